"""Points and lines of what moves: of the ground, the platform, links of legs, and rods.

Every body of a description is one of these, or a part of one. Rods are lines between two points of
the others.
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
    share: Value


@dataclass(frozen=True)
class Seen:
    """How a carrier sees a frame that it carries along: rotation and origin [m] in its own."""

    axes: Value
    origin: Point


@dataclass(frozen=True)
class SeenByRod:
    """How a rod carries a frame along: it stood on a line of direction one at home."""

    line: Line
    near: Value
    """Where its near end was, in the frame [m]."""
    direction: Value


Spot = Point | Between


def at_spot(of_point: Callable[[Point], Value], spot: Spot) -> Value:
    """A point's position, velocity or acceleration, from those of points of carriers."""
    if isinstance(spot, Point):
        return of_point(spot)
    x, line = spot.share, spot.line
    return (1 - x) * of_point(line.near) + x * of_point(line.far)
