"""Load paths through a machine: what holds each body, and what each joint can carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gough.equations.mechanism.bodies import Body, Force
from gough.equations.mechanism.points import Carrier, Line, Point, Spot
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Member:
    """A body of the description that is no rod: what it is part of, its own mass, what holds it."""

    carrier: Carrier
    body: Body
    before: int | None
    """The member that holds it by a joint of its leg's tree or a fixed one; they come first."""


@dataclass(frozen=True)
class Branch:
    """Load path through the joint by which a member is held."""

    member: int


@dataclass(frozen=True)
class Closure:
    """Load path through a tip, from the leg to what holds it."""

    leg: int
    tip: int


@dataclass(frozen=True)
class RodEnd:
    """Load path through an end of a rod, from its near end to the far one."""

    rod: int
    far: bool


Passage = Branch | Closure | RodEnd


@dataclass(frozen=True)
class ClosedJoint:
    """A joint that closes a loop: a tip, and the members at its two sides."""

    closure: Closure
    near: int
    far: int


@dataclass(frozen=True)
class RodMass:
    """A rod's mass [kg], with x from 0 at its near end, that of the leg, to 1 at the far one."""

    line: Line
    closure: Closure
    members: tuple[int, int]
    """At its ends."""
    near: Value | float = 0.0
    """∫ (1 - x)² dm."""
    far: Value | float = 0.0
    """∫ x² dm."""
    shared: Value | float = 0.0
    """∫ x (1 - x) dm."""


@dataclass(frozen=True)
class Bearing:
    """A joint of the description as what carries forces from its first body to its second."""

    sides: tuple[int, int]
    """These two: members, 0 the base, and behind them the rods."""
    passed: Passage | None
    """None of a fixed joint in a body that spins, or in a loop of fixed joints."""
    sign: int
    """-1 if that counts from the second body to the first."""
    center: Spot
    """Joint centre; of a slide that fixed in the first body."""
    carrier: Carrier
    axes: Value
    """The joint's own axes, as columns in the axes of that carrier."""
    carried: tuple[int, ...]
    """Components of force and moment, in these axes, that the joint itself can carry."""
    second_axis: Point | None
    """Second axis of a universal joint, which carries a moment across both, at its carrier."""
    known: tuple[bool, ...] = (True,) * 6
    """Which components of force and moment are the same in all solutions, at nearly all poses."""


@dataclass(frozen=True)
class Loads:
    """All bodies and joints through which forces go."""

    members: tuple[Member, ...]
    """The base first."""
    rods: tuple[RodMass, ...]
    closed: tuple[ClosedJoint, ...]
    bearings: tuple[Bearing, ...]
    """All joints, in the order of the description."""
    size: float
    """A length that is typical of the machine [m]."""


class LegLoads(NamedTuple):
    """Loads of one leg by friction, damping and springs of the joints."""

    efforts: dict[int, Value]
    """Efforts of its own joints [N m, N]."""
    links: dict[int, list[Force]]
    """Forces on its links, each in its own frame."""


UNLOADED = LegLoads({}, {})
