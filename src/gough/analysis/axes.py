"""The axes that a quantity has behind time: what each number of one sample is called."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple


class AxisPart(NamedTuple):
    """Numbers that belong together and share a unit."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Axis:
    """Labels of the places along one axis of an array."""

    name: str
    parts: tuple[AxisPart, ...] = ()
    """Its places in order; none where they are counted from 1, as many as there are."""
    of_machine: bool = False
    """Whether its places are legs, actuators or joints: as many as a machine has."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the places; none where they are counted."""
        return tuple(label for part in self.parts for label in part.labels)

    def part(self, name: str) -> slice:
        """Where the numbers of a part are."""
        k = [part.name for part in self.parts].index(name)
        start = sum(len(part.labels) for part in self.parts[:k])
        return slice(start, start + len(self.parts[k].labels))

    def names(self, count: int) -> tuple[str, ...]:
        """Return the name of each of `count` places."""
        return self.labels or tuple(str(k + 1) for k in range(count))

    def titles(self, count: int) -> tuple[str, ...]:
        """Return names that stand alone: "leg 3", or a joint's own name."""
        return self.labels or tuple(f"{self.name} {k + 1}" for k in range(count))


def _axis(name: str, labels: str = "", **parts: str) -> Axis:
    """An axis with labels, or with several parts that have theirs."""
    own = parts or {name: labels}
    return Axis(name, tuple(AxisPart(part, tuple(own[part].split())) for part in own))


def joints_axis(name: str, joints: Iterable[tuple[str, bool]]) -> Axis:
    """The axis of joints, each with its name and whether it turns: those alike share a part."""
    alike = groupby(joints, key=itemgetter(1))
    parts = (
        AxisPart(ROTARY if turns else LINEAR, tuple(n for n, _ in own)) for turns, own in alike
    )
    return Axis(name, tuple(parts), of_machine=True)


ROTARY, LINEAR = "rotary", "linear"
"""The parts of an axis of joints: positions in rad or in m."""
SUFFIXES = ("", f"_{ROTARY}", f"_{LINEAR}")
"""Suffixes of the names of figures: for all joints, or one kind where a machine has both."""
LEG = Axis("leg", of_machine=True)
"""Legs of a hexapod, which are its actuators, or actuators of other machines."""
JOINT = Axis("joint", of_machine=True)
"""All joints of one degree of freedom of a machine."""
TILT = Axis("tilted joint", of_machine=True)
"""The ball and universal joints of a machine."""
BEARING = Axis("bearing", of_machine=True)
"""All joints of a machine, whatever their degrees of freedom."""
COUPLING = Axis("coupling", of_machine=True)
"""Couplings of joints of a mechanism."""
LEG_WITH_MOTORS = Axis("leg with motors", of_machine=True)
PASSIVE_GROUP = Axis("group of passive joints", of_machine=True)
"""Legs of a mechanism by their motors, and passive joints that are solved together."""
MODE = _axis("mode", "1 2 3 4 5 6")
"""Lowest natural modes: as many as the platform has degrees of freedom."""
BEAM = Axis("beam", of_machine=True)
"""Flexible links of a mechanism."""
BEAM_MODE = Axis("mode of a beam", of_machine=True)
DIRECTION = _axis("direction", "x y z")
PLANE = _axis("direction", "x y")
POSE = _axis("component", position="x y z", orientation="qw qx qy qz")
MOTION = _axis("component", linear="vx vy vz", angular="wx wy wz")
WRENCH = _axis("component", linear="fx fy fz", angular="nx ny nz")
POSE_ERROR = _axis("component", linear="x y z", angular="rx ry rz")
ENERGY = _axis("part of energy", "kinetic potential")
STORED_ENERGY = _axis("part of energy", "kinetic potential rotors windings springs stops surface")
"""Where a machine can store energy: first its platform and legs, moving and lifted."""
NUMBER = Axis("number")
"""Axis of an array without labels."""
