"""The axes that a quantity has behind time: what each number of one sample is called."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple


class Part(NamedTuple):
    """Numbers that belong together and share a unit."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Axis:
    """What the places along one axis of an array are."""

    name: str
    parts: tuple[Part, ...] = ()
    """Its places in order; none where they are counted from 1, as many as there are."""
    of_machine: bool = False
    """Whether its places are legs, actuators or joints: as many as a machine has."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What the places are called; nothing where they are counted."""
        return tuple(label for part in self.parts for label in part.labels)

    def part(self, name: str) -> slice:
        """Where the numbers of a part are."""
        start = 0
        for part in self.parts:
            if part.name == name:
                return slice(start, start + len(part.labels))
            start += len(part.labels)
        raise KeyError(name)

    def names(self, count: int) -> tuple[str, ...]:
        """What each of so many places is called."""
        return self.labels or tuple(str(k + 1) for k in range(count))

    def titles(self, count: int) -> tuple[str, ...]:
        """The same where they stand by themselves: "leg 3", or a joint's own name."""
        return self.labels or tuple(f"{self.name} {k + 1}" for k in range(count))


def _axis(name: str, labels: str) -> Axis:
    return Axis(name, (Part(name, tuple(labels.split())),))


def _in_parts(**parts: str) -> Axis:
    return Axis("component", tuple(Part(n, tuple(labels.split())) for n, labels in parts.items()))


def joints_axis(name: str, joints: Iterable[tuple[str, bool]]) -> Axis:
    """The axis of joints, each with its name and whether it turns: those alike share a part."""
    parts = [
        Part(TURNING if turns else SLIDING, tuple(label for label, _ in alike))
        for turns, alike in groupby(joints, key=lambda joint: joint[1])
    ]
    return Axis(name, tuple(parts), of_machine=True)


TURNING, SLIDING = "turning", "sliding"
"""The parts of an axis of joints: positions in rad or in m."""
SUFFIXES = ("", f"_{TURNING}", f"_{SLIDING}")
"""Of the names of figures: of all joints, or of one kind where a machine has both."""
LEG = Axis("leg", of_machine=True)
"""Of a hexapod the legs, which are its actuators; of other machines the actuators."""
JOINT = Axis("joint", of_machine=True)
"""All joints of one freedom of a machine of any kind."""
TILT = Axis("tilted joint", of_machine=True)
"""The ball and universal joints of a machine of any kind."""
BEARING = Axis("bearing", of_machine=True)
"""All joints of a machine of any kind, whatever their freedoms."""
LEG_WITH_MOTORS = Axis("leg with motors", of_machine=True)
PASSIVE_GROUP = Axis("group of passive joints", of_machine=True)
"""Of a machine of any kind: legs by their motors, and passive joints that are solved together."""
MODE = _axis("mode", "1 2 3 4 5 6")
"""The lowest modes of vibration: as many as the platform has freedoms."""
BEAM = Axis("beam", of_machine=True)
"""Links of a machine of any kind that bend."""
BEAM_MODE = Axis("mode of a beam", of_machine=True)
DIRECTION = _axis("direction", "x y z")
TURN = _axis("turn", "first second")
POSE = _in_parts(position="x y z", orientation="qw qx qy qz")
MOTION = _in_parts(linear="vx vy vz", angular="wx wy wz")
WRENCH = _in_parts(linear="fx fy fz", angular="nx ny nz")
POSE_ERROR = _in_parts(linear="x y z", angular="rx ry rz")
ENERGY = _axis("part of energy", "kinetic potential")
STORED_ENERGY = _axis("part of energy", "kinetic potential rotors windings springs stops surface")
"""Where a machine can store energy: first its platform and legs, moving and lifted."""
NUMBER = Axis("number")
"""Of an array of which nothing is known."""
