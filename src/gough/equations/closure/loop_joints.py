"""Tips: where a link of a leg is held by the platform, or by another link of its leg.

A row states that in one direction a tip and what holds it have equal velocities. It is described by
the force and couple that hold the tip there: the row also determines the effect of a multiplier.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import casadi as ca

from gough.equations.spatial.algebra import Value, cross, dot
from gough.equations.spatial.attitude import vee
from gough.equations.tree.bodies import ZERO


@dataclass(frozen=True)
class Row:
    """A direction in which a tip must follow: unit force at its point, and unit couple."""

    force: Value
    couple: Value
    gap: Value
    """Gap of the tip in this direction [m, rad]."""
    axes: tuple[Value, Value] | None = None
    """Universal: the link's and the other axis, across which the couple stands."""

    def couple_rate(self, omega: Value, turning: Value) -> Value:
        """The couple's rate of change, where the link turns at ω, and its holder faster."""
        carried = cross(omega, self.couple)
        if self.axes is None:
            return carried
        axis, held_axis = self.axes
        return carried + cross(axis, cross(turning, held_axis))


@dataclass(frozen=True)
class Tip(ABC):
    """A point of a link that is held; without `other` by the platform, else by that link."""

    link: int
    point: Value
    """In the link's frame [m]."""
    held_point: Value
    """That point, or a rod's other end, in the frame of what holds it [m]."""
    other: int | None

    @abstractmethod
    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """Rows from the distance to the held point, and the holder's axes, in the tip's axes."""


@dataclass(frozen=True)
class RodTip(Tip):
    """A rod with balls at both ends, from the link's point to the held point; in base axes."""

    length: Value | float
    shared_mass: Value | float
    """∫ x (1 - x) dm over its length, x from 0 to 1 [kg]."""

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """One: the distance of its ends."""
        return [Row(distance, ZERO, (dot(distance, distance) - self.length**2) / 2)]


@dataclass(frozen=True)
class BallTip(Tip):
    """A ball joint: its point follows in three directions; as all but rods in the link's axes."""

    axes: Value
    """The directions, as columns."""

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """Three of the point."""
        return [Row(e, ZERO, dot(e, distance)) for e in ca.horzsplit(self.axes)]


@dataclass(frozen=True)
class HingedTip(BallTip):
    """A hinge: it also does not turn about two directions across its axis."""

    turns: Value
    axis: Value
    held_axis: Value
    """That axis, in the axes of what holds it."""

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """Three of the point, and two of the axis."""
        away = cross(self.axis, attitude @ self.held_axis)
        turns = [Row(ZERO, e, dot(e, away)) for e in ca.horzsplit(self.turns)]
        return super().rows(distance, attitude) + turns


@dataclass(frozen=True)
class UniversalTip(BallTip):
    """A universal joint: the angle between its two axes stays."""

    axis: Value
    held_axis: Value
    """The other axis, in the axes of what holds it."""
    cosine: Value | float
    """Cosine of the angle; zero in nearly all."""

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """Three of the point, and one across both axes."""
        held_axis = attitude @ self.held_axis
        gap = self.cosine - dot(self.axis, held_axis)
        row = Row(ZERO, cross(self.axis, held_axis), gap, (self.axis, held_axis))
        return [*super().rows(distance, attitude), row]


@dataclass(frozen=True)
class Weld(BallTip):
    """A link that is one with what holds it."""

    held_attitude: Value
    """The link's attitude in the axes of what holds it."""

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """Three of the point, and three of the attitude."""
        E = attitude @ self.held_attitude
        turns = [Row(ZERO, e, dot(e, vee(E))) for e in ca.horzsplit(ca.DM.eye(3))]
        return super().rows(distance, attitude) + turns
