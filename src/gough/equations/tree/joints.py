"""Hinges, slides and screws: what a joint with one freedom does to the link that it carries.

A link's z axis is its joint's axis. All that depends on the type of joint is here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import casadi as ca

from gough.equations.spatial.algebra import Value, reciprocal, vector, without_rounding
from gough.equations.tree.bodies import ZERO, Body, BodyMotion, Force, Rigid, Z

BASE = -1
"""The link before the first joint of a leg."""


@dataclass(frozen=True)
class Turn:
    """A hinge's position: the cosine and sine of its angle, which need no trigonometry."""

    cosine: Value
    sine: Value

    @classmethod
    def by(cls, angle: Value | float) -> Turn:
        """The turn by an angle [rad]; by a right one that is known, exactly so."""
        c, s = ca.vertsplit(without_rounding(vector(ca.cos(angle), ca.sin(angle))))
        return cls(c, s)

    def unit(self) -> Turn:
        """Normalise the turn, whose length rounding or a stretched leg may have changed."""
        r = reciprocal(ca.sqrt(self.cosine**2 + self.sine**2))
        return Turn(self.cosine * r, self.sine * r)

    def turned(self, a: Value) -> Value:
        """A vector, turned about z."""
        c, s = self.cosine, self.sine
        return vector(a[0] * c - a[1] * s, a[0] * s + a[1] * c, a[2])


@dataclass(frozen=True)
class Helix(Turn):
    """A screw's position: its turn, and the angle itself, which counts whole turns."""

    angle: Value

    def unit(self) -> Helix:
        """Return this position: its turn is made of its angle."""
        return self


Position = Value | Turn  # position of a joint: a hinge's turn, or a slide's length [m]


@dataclass(frozen=True)
class LinkPlacement:
    """A link's frame in that before: rotation (a turn about z, then a constant one), origin [m]."""

    rotation: Value
    origin: Value
    constant: Value
    turn: Turn | None = None

    def passed_on(self, force: Force) -> Force:
        """A force on the link as one on the link before."""
        return force.turned(self.rotation).about(self.origin)

    def seen_from_before(self, body: Rigid) -> Rigid:
        """A body of the link in the frame of the link before."""
        return body.shifted(self.rotation @ body.ms, self._turned(body.inertia), self.origin)

    def _turned(self, inertia: Value) -> Value:
        """R I Rᵀ of a symmetric I: first about z, then by the constant rotation, often about x."""
        if self.turn is not None:
            inertia = _turned_about(2, self.turn, inertia)
        F = self.constant
        if F[0, 0].is_one():
            return _turned_about(0, Turn(F[1, 1], F[2, 1]), inertia)
        return F @ inertia @ F.T


@dataclass(frozen=True)
class LinkJoint(ABC):
    """A joint along its link's z axis, and the link."""

    before: int  # the link that carries it, or BASE
    rotation: Value  # from this link's axes to those of the link before, at position zero
    origin: Value  # origin of this link's frame in that of the link before, at position zero [m]
    drawn: Value | float  # position in the home configuration, counted from the frames [rad, m]
    at_home: Value | float  # position at home as the robot file counts it [rad, m]
    body: Body
    travel: Value | float = 0.0
    """Travel along z at unit rate: 0 of a hinge, 1 of a slide, the lead of a screw [m/rad]."""
    armature: Value | float = 0.0
    """Inertia that moves with its position, such as a rotor's behind a gear [kg m^2, kg]."""
    turns: ClassVar[bool] = True  # whether it turns about z

    @abstractmethod
    def position(self, q: Value) -> Position:
        """Position from what the maker calls it: a Turn, or a slide's length [m]."""

    @abstractmethod
    def counted(self, x: Position) -> Value:
        """Return a position as the robot file counts it [rad, m]; hinges within π from home."""

    @abstractmethod
    def placed(self, x: Position) -> LinkPlacement:
        """Where the link is at a position."""

    def carried(
        self, place: LinkPlacement, before: BodyMotion, rate: Value, second: Value
    ) -> BodyMotion:
        """Return the link's motion from that of the link before; p is the travel.

        ω + q̇ z, ω̇ + q̈ z + ω x q̇ z if it turns, and v̇ + p q̈ z + 2 ω x p q̇ z.
        """
        R, p = place.rotation, self.travel
        omega, omega_dot = R.T @ before.omega, R.T @ before.omega_dot
        lifted = before.v_dot + before.U @ place.origin
        v_dot = R.T @ lifted
        swept = vector(omega[1] * rate, -omega[0] * rate, 0)  # ω x q̇ z
        v_dot += 2 * p * swept + p * second * Z
        if not self.turns:
            return BodyMotion(omega, omega_dot, v_dot)
        standing = lifted if type(self) is Revolute and self.before == BASE else None
        return BodyMotion(omega + rate * Z, omega_dot + swept + second * Z, v_dot, standing)

    def column(self, lever: Value) -> tuple[Value, Value]:
        """Velocity of a point and ω at unit rate, link's axes: z x lever + p z, z; slide: z, 0."""
        if not self.turns:
            return Z, ZERO
        return vector(-lever[1], lever[0], self.travel), Z

    def along(self, force: Force) -> Value:
        """The part of a force that the joint feels [N m, N]: its power at unit rate."""
        return force.n[2] + self.travel * force.f[2] if self.turns else force.f[2]

    def accelerating(self, body: Rigid) -> Force:
        """Return the force of a body on the link for unit acceleration of this joint alone.

        z x ∫ r dm + p m z, I z + ∫ r dm x p z; of a slide m z, ∫ r dm x z.
        """
        ms, p = body.ms, self.travel
        sliding = Force(p * body.mass * Z, p * vector(ms[1], -ms[0], 0))
        turning = Force(vector(-ms[1], ms[0], 0), body.inertia[:, 2])
        return turning + sliding if self.turns else sliding


class Revolute(LinkJoint):
    """A joint that turns about z."""

    def position(self, q: Value) -> Turn:
        """The turn of an angle."""
        return Turn.by(q - self.at_home + self.drawn)

    def counted(self, x: Position) -> Value:
        """The angle of a turn, within half a turn from home."""
        assert isinstance(x, Turn)
        drawn = Turn.by(self.drawn)
        c, s = drawn.cosine, drawn.sine
        return self.at_home + ca.atan2(x.sine * c - x.cosine * s, x.cosine * c + x.sine * s)

    def placed(self, x: Position) -> LinkPlacement:
        """The link, turned."""
        assert isinstance(x, Turn)
        F, c, s = self.rotation, x.cosine, x.sine
        across = ca.horzcat(F[:, 0] * c + F[:, 1] * s, F[:, 1] * c - F[:, 0] * s)
        return LinkPlacement(ca.horzcat(across, F[:, 2]), self.origin, F, x)


@dataclass(frozen=True)
class Prismatic(LinkJoint):
    """A joint that slides along z."""

    travel: Value | float = 1.0
    turns: ClassVar[bool] = False

    def position(self, q: Value) -> Value:
        """The length from where the frames stand."""
        return q - self.at_home + self.drawn

    def counted(self, x: Position) -> Value:
        """The length as the maker counts it."""
        assert not isinstance(x, Turn)
        return x - self.drawn + self.at_home

    def placed(self, x: Position) -> LinkPlacement:
        """The link, displaced."""
        assert not isinstance(x, Turn)
        F = self.rotation
        return LinkPlacement(F, self.origin + F @ (x * Z), F)


class Helical(Revolute):
    """A joint that turns about z and moves along it as it turns, by its lead."""

    def position(self, q: Value) -> Helix:
        """The turn of an angle, and the angle."""
        angle = q - self.at_home + self.drawn
        turn = Turn.by(angle)
        return Helix(turn.cosine, turn.sine, angle)

    def counted(self, x: Position) -> Value:
        """The angle as the maker counts it, with whole turns."""
        assert isinstance(x, Helix)
        return x.angle - self.drawn + self.at_home

    def placed(self, x: Position) -> LinkPlacement:
        """The link, turned and displaced."""
        assert isinstance(x, Helix)
        turned, z = super().placed(x), self.rotation[:, 2]
        return replace(turned, origin=self.origin + z * (self.travel * (x.angle - self.drawn)))


def _turned_about(axis: int, turn: Turn, inertia: Value) -> Value:
    """A symmetric I turned about a coordinate axis: eight products."""
    i, j, k = (axis + 1) % 3, (axis + 2) % 3, axis
    c, s = turn.cosine, turn.sine
    across = vector(inertia[i, i], inertia[j, j])
    g = s * without_rounding(across[0] - across[1], across) + 2 * c * inertia[i, j]
    turned = ca.SX.zeros(3, 3)
    turned[i, i], turned[j, j] = inertia[i, i] - s * g, inertia[j, j] + s * g
    turned[k, k] = inertia[k, k]
    turned[i, j] = turned[j, i] = c * g - inertia[i, j]
    turned[i, k] = turned[k, i] = c * inertia[i, k] - s * inertia[j, k]
    turned[j, k] = turned[k, j] = s * inertia[i, k] + c * inertia[j, k]
    return turned
