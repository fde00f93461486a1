"""Points and lines of what moves: of the ground, the platform, links of legs, and rods.

Every body of a description is one of these, or a part of one. Rods are lines between two points of
the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import casadi as ca

from gough.equations.mechanism.joints import BASE
from gough.equations.spatial.algebra import Value


class Carrier(NamedTuple):
    """A rigid unit: a link of a leg, or one of the two below, which belong to no leg."""

    leg: int
    link: int


EYE = ca.DM.eye(3)
GROUND = Carrier(BASE, BASE)
PLATFORM = Carrier(BASE, 0)


@dataclass(frozen=True)
class Point:
    """A point of a carrier, in its frame [m]."""

    carrier: Carrier
    at: Value


@dataclass(frozen=True)
class Line:
    """From one point to another: a rod, a leg that extends, or a direction of a body."""

    near: Point
    far: Point


@dataclass(frozen=True)
class Between:
    """A point on a line: its share is 0 at the near end and 1 at the far one.

    NaN of what is beside the line and spins about it, nobody knows how far.
    """

    line: Line
    share: Value | float


@dataclass(frozen=True)
class FixedFrame:
    """A frame fixed in a carrier: rotation and origin [m] in the carrier's own frame."""

    axes: Value
    origin: Point


@dataclass(frozen=True)
class RodFixedFrame:
    """A frame fixed in a rod, which at home lay on a line of a given unit direction."""

    line: Line
    near: Value
    """Where its near end was, in the frame [m]."""
    direction: Value
    axes: Value = EYE
    """Axes of the frame at home, as columns."""


Spot = Point | Between


def at_spot(of_point: Callable[[Point], Value], spot: Spot) -> Value:
    """A point's position, velocity or acceleration, from those of points of carriers."""
    if isinstance(spot, Point):
        return of_point(spot)
    x, line = spot.share, spot.line
    return (1 - x) * of_point(line.near) + x * of_point(line.far)
