"""A machine as its maker describes it: where its bodies and joints are in what the equations know.

The equations know a ground, a platform, links of legs, and rods, which are lines between two
points of these. Every body of a description is one of them, or a part of one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

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
    share: float


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
class Pair:
    """What a joint joins, and how the second may move as the first sees it."""

    first: Carrier | Line
    second: Carrier | Line
    axes: tuple[Value, ...]
    """About which it turns: of a universal joint one in the axes of either, else of the first."""
    turns: bool
    """Whether it turns at all: without axes all ways."""
    slide: Carrier | None
    """Leg and number of the joint that slides, if one does."""


@dataclass(frozen=True)
class Description:
    """Where all that is described is, in the order of the description."""

    centers: tuple[Spot, ...]
    """Of every joint; of a slide or cylindrical joint two: carried by its first and second body."""
    tilts: tuple[Tilt, ...]
    """Of every ball and universal joint."""
    pairs: tuple[Pair, ...]
    """Of every joint."""
