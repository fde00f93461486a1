"""What a machine is made of: its legs, their joints, which of them are driven, how it can move.

Every shape follows from it: as many positions q and forces as there are driven joints, as many
rows of legs as there are legs. A twist has six components and a pose seven numbers for all
machines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.mechanism import MOVES
from gough.robot.numbers import numbers_of

if TYPE_CHECKING:
    from gough.equations.machine import Machine as HexapodMachine
    from gough.model.mechanism.bearings import Reaction
    from gough.model.mechanism.description import Center
    from gough.model.mechanism.reading import Analysis


@dataclass(frozen=True)
class LegStructure:
    """The joints of one leg, from the base to the platform: R, P, U, S, C as in robot files."""

    joints: tuple[str, ...]
    driven: tuple[int, ...]
    """The places of the driven ones among the joints."""
    springs: tuple[str, ...] = ()
    """Keys of what yields in it, where all legs of a machine yield."""

    def __str__(self) -> str:
        """As UP*S, with a star behind each joint that is driven."""
        return "".join(j + "*" * (k in self.driven) for k, j in enumerate(self.joints))


@dataclass(frozen=True)
class DrivenJoint:
    """A joint that is driven: its name, and whether it turns or slides."""

    name: str
    turns: bool

    @property
    def unit(self) -> str:
        """Of its position."""
        return "rad" if self.turns else "m"

    @property
    def force_unit(self) -> str:
        """Of its torque or force."""
        return "N m" if self.turns else "N"

    @property
    def travel(self) -> str:
        """What its smallest and largest position are called."""
        return "range" if self.turns else "stroke"


@dataclass(frozen=True)
class Structure:
    """A machine without its numbers. Hashable: equations and shapes are chosen by it."""

    legs: tuple[LegStructure, ...]
    driven: tuple[DrivenJoint, ...]
    """In the order of positions q and forces."""
    freedoms: tuple[str, ...] = MOVES
    """How the platform can move."""
    flexible: tuple[tuple[str, int], ...] = field(default=(), kw_only=True)
    """Which of base and platform yield, where the legs do, and the size of their matrices."""
    numbers: tuple[str, ...] = field(default=(), kw_only=True)
    """Names of what the parameters hold, in their order."""

    def __repr__(self) -> str:
        return f"<gough structure: {self}>"

    def __str__(self) -> str:
        legs = ", ".join(f"{count} {leg}" for leg, count in Counter(map(str, self.legs)).items())
        return f"legs {legs}; {self.actuators} actuators; freedoms {' '.join(self.freedoms)}"

    @property
    def actuators(self) -> int:
        """How many joints are driven: the length of q and of force."""
        return len(self.driven)

    @property
    def determined(self) -> bool:
        """Whether a motion determines the forces: as many actuators as freedoms."""
        return self.actuators == len(self.freedoms)

    @property
    def elastic(self) -> bool:
        """Whether it yields under load."""
        return any(leg.springs for leg in self.legs)

    @property
    def unit(self) -> str:
        """Of positions q: "m", "rad", or both."""
        return _units(joint.unit for joint in self.driven)

    @property
    def force_unit(self) -> str:
        """Of the actuators' forces and torques."""
        return _units(joint.force_unit for joint in self.driven)


@dataclass(frozen=True)
class MechanismStructure(Structure):
    """A machine of any kind without its numbers."""

    joints: tuple[str, ...] = ()
    """Names of all joints of one freedom, leg by leg."""
    motor_legs: tuple[str, ...] = ()
    """Of each leg that has motors their names."""
    passive_groups: tuple[str, ...] = ()
    """Of each group of passive joints that are solved together their names, leg by leg."""
    sliding: frozenset[str] = frozenset()
    """Those of them that slide; the others turn."""
    mobility: int = 0
    overconstrained: int = 0
    """How many of the conditions of its closed loops say nothing new."""
    centers: tuple[Center, ...] = ()
    """Which joint and whose point each row of the joint centres is."""
    tilts: tuple[str, ...] = ()
    """Names of the ball and universal joints, in the order of their tilts."""
    spinning: tuple[str, ...] = ()
    """Names of the bodies that spin between ball joints as they like, felt by nothing."""
    bodies: tuple[str, ...] = ()
    """Names of all moving bodies, the platform first, in the order of their mass centres."""
    springs: tuple[str, ...] = ()
    """Places of the numbers of all that yields, where all driven joints do."""
    reactions: tuple[Reaction, ...] = ()
    """Which joint and whose axes each row of the reactions is, and which components are known."""
    fingerprint: str = ""
    """Of the geometry, which the equations are made for."""
    beams: tuple[str, ...] = ()
    """Names of the bodies that bend."""
    beam_modes: tuple[str, ...] = ()
    """Names of the modes by which they do, beside displacements and turns of their ends."""

    __repr__ = Structure.__repr__

    @property
    def elastic(self) -> bool:
        """Whether it yields under load."""
        return bool(self.springs)

    @property
    def links_yield(self) -> bool:
        """Whether links bend or bearings give way, so that the platform leaves its moves."""
        return any(".beam." in place or ".bearing." in place for place in self.springs)


@lru_cache(maxsize=64)  # it is asked for many times over
def structure_of(robot: Robot) -> Structure:
    """The structure of a robot."""
    driven = tuple(DrivenJoint(a.name, a.turns) for a in robot.actuators)
    if isinstance(robot, Hexapod):
        yields = robot.elastic
        legs = (_extensible(leg.kind[0], leg.springs if yields else ()) for leg in robot.legs)
        sizes, names = _flexible_sizes(robot), tuple(numbers_of(robot))
        return Structure(tuple(legs), driven, flexible=sizes, numbers=names)
    assert isinstance(robot, Mechanism)
    return _of_mechanism(robot, driven)


def _of_mechanism(robot: Mechanism, driven: tuple[DrivenJoint, ...]) -> MechanismStructure:
    from gough.model.mechanism.reading import analysed, geometry_of  # noqa: PLC0415  (slow)

    found = analysed(robot)
    moves = enumerate(robot.platform.moves, 1)
    return MechanismStructure(
        tuple(LegStructure(*leg) for leg in found.legs),
        driven,
        tuple(move if isinstance(move, str) else f"u{k}" for k, move in moves),
        found.joints,
        *_groups(found),
        frozenset(
            name for name, slides in zip(found.joints, _slides(found), strict=True) if slides
        ),
        found.mobility,
        found.overconstrained,
        found.centers,
        found.tilts,
        found.spinning,
        found.bodies,
        tuple(robot.springs),
        found.reactions,
        geometry_of(robot).fingerprint,
        *_beams(robot),
        numbers=tuple(numbers_of(robot)),
    )


def _beams(robot: Mechanism) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the bodies that bend, and of their modes."""
    bent = [(body.name, body.beam.modes) for body in robot.bodies if body.beam is not None]
    modes = (f"{name}_{k + 1}" for name, count in bent for k in range(count))
    return tuple(name for name, _ in bent), tuple(modes)


def _groups(found: Analysis) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the motors of each leg that has some, and of its groups of passive joints."""
    driven, passive, rest = [], [], found.joints
    for leg in found.machine.legs:
        names, rest = rest[: len(leg.joints)], rest[len(leg.joints) :]
        if leg.plan.driven:
            driven.append(" and ".join(names[j] for j in leg.plan.driven))
        passive += [", ".join(names[j] for j in joints) for _, joints in leg.plan.stages]
    return tuple(driven), tuple(passive)


def structure_of_machine(machine: HexapodMachine) -> Structure:
    """The structure of a hexapod of the equations, whose numbers may be symbols."""
    driven = tuple(DrivenJoint(f"leg {k}", False) for k in range(1, len(machine.legs) + 1))
    return Structure(tuple(_extensible(leg.base_joint.letter) for leg in machine.legs), driven)


def _slides(found: Analysis) -> list[bool]:
    """Whether each joint of all legs slides."""
    from gough.equations.mechanism.joints import Slide  # noqa: PLC0415  (slow)

    return [isinstance(joint, Slide) for leg in found.machine.legs for joint in leg.joints]


def _extensible(base_joint: str, springs: tuple[str, ...] = ()) -> LegStructure:
    return LegStructure((base_joint, "P", "S"), (1,), springs)


def flexible_frames(robot: Hexapod) -> dict[str, tuple[tuple[float, ...], ...]]:
    """The compliance of base and platform, of those that yield in an elastic robot."""
    if not robot.elastic or robot.flexibility is None:
        return {}
    return robot.flexibility.model_dump(exclude_none=True)


def _flexible_sizes(robot: Hexapod) -> tuple[tuple[str, int], ...]:
    return tuple((end, len(matrix)) for end, matrix in flexible_frames(robot).items())


def _units(units: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(units))
