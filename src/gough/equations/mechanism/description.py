"""A machine as its maker describes it: where its bodies and joints are in what the equations know.

The equations know a ground, a platform, links of legs, and rods, which are lines between two
points of these. Every body of a description is one of them, or a part of one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gough.equations.mechanism.bodies import Body
from gough.equations.mechanism.joints import BASE
from gough.equations.spatial.algebra import Value


class Carrier(NamedTuple):
    """What moves as one body: a link of a leg, or one of the two below, which are of no leg."""

    leg: int
    link: int


GROUND = Carrier(BASE, BASE)
PLATFORM = Carrier(BASE, 0)


@dataclass(frozen=True)
class Point:
    """A point of a carrier, in its frame [m]."""

    carrier: Carrier
    at: Value


@dataclass(frozen=True)
class Line:
    """From one point to another, at the same distance always: a rod, or a direction of a body."""

    near: Point
    far: Point


@dataclass(frozen=True)
class Between:
    """A point on a line: its share is 0 at the near end and 1 at the far one.

    NaN of what is beside the line and spins about it, nobody knows how far.
    """

    line: Line
    share: Value


Spot = Point | Between


def at_spot(of_point: Callable[[Point], Value], spot: Spot) -> Value:
    """A point's position, velocity or acceleration, from those of points of carriers."""
    if isinstance(spot, Point):
        return of_point(spot)
    x, line = spot.share, spot.line
    return (1 - x) * of_point(line.near) + x * of_point(line.far)


@dataclass(frozen=True)
class Tilt:
    """How far a link leans in a ball or universal joint, as the body at the other side sees it."""

    link: Line
    beyond: Carrier
    at_home: Value
    """The line's direction at home, in the axes of the carrier beyond."""


@dataclass(frozen=True)
class Member:
    """A body of the description that is no rod: what it is part of, its own mass, what holds it."""

    carrier: Carrier
    body: Body
    before: int | None
    """The member that holds it by a joint of its leg's tree or a fixed one; they come first."""


@dataclass(frozen=True)
class Branch:
    """What passes through the joint by which a member is held."""

    member: int


@dataclass(frozen=True)
class Closure:
    """What passes through a tip, from the leg to what holds it."""

    leg: int
    tip: int


@dataclass(frozen=True)
class RodEnd:
    """What passes through an end of a rod, from its near end to the far one."""

    rod: int
    far: bool


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
    near: Value = 0.0
    """∫ (1 - x)² dm."""
    far: Value = 0.0
    """∫ x² dm."""
    shared: Value = 0.0
    """∫ x (1 - x) dm."""


@dataclass(frozen=True)
class Bearing:
    """A joint of the description as what carries forces from its first body to its second."""

    sides: tuple[int, int]
    """These two: members, 0 the base, and behind them the rods."""
    passed: Branch | Closure | RodEnd | None
    """None of a fixed joint in a body that spins, or in a loop of fixed joints."""
    sign: int
    """-1 if that counts from the second body to the first."""
    center: Spot
    """Of a slide as the first body carries it."""
    carrier: Carrier
    axes: Value
    """The joint's own axes, as columns in the axes of that carrier."""
    carried: tuple[int, ...]
    """Components of force and moment, in these axes, that the joint itself can carry."""
    second_axis: Point | None
    """Of a universal joint, which carries a moment across both axes: from its carrier's origin."""
    known: tuple[bool, ...] = (True,) * 6
    """Which components of force and moment are the same in all solutions."""


@dataclass(frozen=True)
class Description:
    """Where all that is described is, in the order of the description."""

    centers: tuple[Spot, ...]
    """Of every joint; of a slide or cylindrical joint two: carried by its first and second body."""
    tilts: tuple[Tilt, ...]
    """Of every ball and universal joint."""
    members: tuple[Member, ...]
    rods: tuple[RodMass, ...]
    closed: tuple[ClosedJoint, ...]
    bearings: tuple[Bearing, ...]
    """All joints."""
    bodies: tuple[Spot, ...] = ()
    """Mass centres of the platform and of all bodies."""
    masses: Mapping[Carrier, Body] = field(default_factory=dict)
    """True ones, before any was lent: of each carrier that moves, with the ends of its rods."""
