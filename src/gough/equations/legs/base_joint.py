"""The joint that a leg stands on: how the leg turns about it as its direction s changes.

A joint says which axes x and y across the leg it has, how the leg turns about s itself while s
moves, and what it holds. A new kind of joint is one more class here: no equation asks which one it
has. Directions s have length one, and all vectors are in base axes.
"""

from dataclasses import dataclass
from typing import ClassVar

import casadi as ca
from casadi import cross, dot

from gough.equations.spatial.algebra import Value, norm, reciprocal, unit


@dataclass(frozen=True)
class UniversalBase:
    """A universal joint: γ about its first axis a, in the base, then ψ about its second, x.

    x is along a x s and y = s x x. The leg in general also spins about s [Kalani 2016, §2, §3]. ψ
    is zero where s is at right angles to a and stays within ±π/2, where the joint locks.
    """

    first_axis: Value  # a, of length one

    letter: ClassVar[str] = "U"
    spins: ClassVar[bool] = True  # whether the leg turns about s: then all of its inertia counts

    def axes(self, s: Value) -> tuple[Value, Value, Value]:
        """The leg frame's x, y, z."""
        x = unit(cross(self.first_axis, s))
        return x, cross(s, x), s

    def angular_velocity(self, s: Value, s_dot: Value) -> Value:
        """The leg's angular velocity ω [rad/s], its spin included [Kalani 2016 (27)].

        ω = γ̇ a + ψ̇ x and ω x s = ṡ, where a x s = k x and x x s = -y.
        """
        gamma_dot, psi_dot, x = self._rates(s, s_dot)
        return gamma_dot * self.first_axis + psi_dot * x

    def carried(self, s: Value, s_dot: Value) -> Value:
        """Part of the angular acceleration: the second axis turns with the first, ψ̇ γ̇ a x x."""
        gamma_dot, psi_dot, x = self._rates(s, s_dot)
        return psi_dot * gamma_dot * cross(self.first_axis, x)

    def _rates(self, s: Value, s_dot: Value) -> tuple[Value, Value, Value]:
        """γ̇ and ψ̇ [rad/s], and x."""
        x, y, _ = self.axes(s)
        return dot(s_dot, x) * reciprocal(norm(cross(self.first_axis, s))), -dot(s_dot, y), x

    def alignment(self, s: Value) -> Value:
        """cos² of the angle from a, along which the leg must not stand."""
        return dot(self.first_axis, s) ** 2

    def sine(self, s: Value) -> Value:
        """Sine of the angle from a."""
        return norm(cross(self.first_axis, s))


@dataclass(frozen=True)
class BallBase:
    """A ball joint: it holds nothing, and a leg on it, which is symmetric, does not spin."""

    first_axis: ClassVar[None] = None
    letter: ClassVar[str] = "S"
    spins: ClassVar[bool] = False

    def axes(self, s: Value) -> tuple[Value, Value, Value]:
        """Any x and y across the leg: the coordinate axis farthest from s is not parallel to it."""
        flat = ca.fabs(s[2]) < 0.9
        x = unit(cross(ca.vertcat(ca.if_else(flat, 0, 1), 0, ca.if_else(flat, 1, 0)), s))
        return x, cross(s, x), s

    def angular_velocity(self, s: Value, s_dot: Value) -> Value:
        """ω = s x ṡ."""
        return cross(s, s_dot)

    def carried(self, s: Value, s_dot: Value) -> Value:
        """None."""
        return ca.DM.zeros(3)

    def alignment(self, s: Value) -> float:
        """The leg may stand anywhere."""
        return 0

    def sine(self, s: Value) -> Value:
        """Return the sine of a zero angle."""
        return ca.DM.nan()


BaseJoint = UniversalBase | BallBase
