"""Joints of a tree of links: a hinge, a slide, or none that moves. Links' axes agree at home."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism.bodies import ZERO, BodyMotion, Force
from gough.equations.spatial.algebra import Value, cross, dot, skew

STILL = ca.DM.eye(3)


@dataclass(frozen=True)
class Joint(ABC):
    """A joint of at most one freedom; x is its position [rad, m] from home."""

    axis: Value = None
    at_home: float = 0.0
    """What its position is called at home [rad, m]."""
    moves = True
    """Whether it has a coordinate."""

    def turn(self, x: Value) -> Value:
        """The rotation from the link's axes to the carrier's."""
        return STILL

    def way(self, x: Value) -> Value:
        """The way of the link's origin [m], in the carrier's axes."""
        return ZERO

    @abstractmethod
    def carried(self, x: Value, held: BodyMotion, rate: Value, second: Value) -> BodyMotion:
        """The link's motion from that of what carries it."""

    @abstractmethod
    def along(self, force: Force) -> Value:
        """The part of a force on the link that the joint feels [N m, N]."""

    def passed_on(self, x: Value, force: Force) -> Force:
        """A force on the link as one on its carrier."""
        f = self.turn(x) @ force.f
        return Force(f, self.turn(x) @ force.n + cross(self.way(x), f))


class Hinge(Joint):
    """A joint that turns."""

    def turn(self, x: Value) -> Value:
        """By an angle about an axis [Rodrigues]."""
        K = skew(self.axis)
        return STILL + ca.sin(x) * K + (1 - ca.cos(x)) * (K @ K)

    def carried(self, x: Value, held: BodyMotion, rate: Value, second: Value) -> BodyMotion:
        """ω + q̇ a, ω̇ + q̈ a + ω x q̇ a."""
        R, a = self.turn(x), self.axis
        omega = R.T @ held.omega
        omega_dot = R.T @ held.omega_dot + cross(omega, a) * rate + a * second
        return BodyMotion(omega + a * rate, omega_dot, R.T @ held.v_dot)

    def along(self, force: Force) -> Value:
        """The moment about its axis."""
        return dot(self.axis, force.n)


class Slide(Joint):
    """A joint that slides."""

    def way(self, x: Value) -> Value:
        """Along its axis."""
        return self.axis * x

    def carried(self, x: Value, held: BodyMotion, rate: Value, second: Value) -> BodyMotion:
        """v̇ + U a x + q̈ a + 2 ω x q̇ a."""
        a = self.axis
        v_dot = held.v_dot + held.U @ self.way(x) + 2 * cross(held.omega, a) * rate + a * second
        return BodyMotion(held.omega, held.omega_dot, v_dot)

    def along(self, force: Force) -> Value:
        """The force along its axis."""
        return dot(self.axis, force.f)


class Fixed(Joint):
    """No joint: the link moves as what carries it."""

    moves = False

    def carried(self, x: Value, held: BodyMotion, rate: Value, second: Value) -> BodyMotion:
        """As what carries it."""
        return held

    def along(self, force: Force) -> Value:
        """Nothing."""
        return ca.DM.zeros(1)


KINDS: dict[str, type[Hinge | Slide]] = {"hinge": Hinge, "slide": Slide}
