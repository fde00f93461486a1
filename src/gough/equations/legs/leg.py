"""One leg: its length, direction and rotation, and their rates, from the platform's motion.

The leg frame has z along s, from base joint to platform joint. In a UPS leg x is the universal
joint's second axis, along first_axis x s, and y = z x x; the leg turns about its two joint axes,
so in general it also spins about s. An SPS leg does not spin; any axes across it will do.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.machine import Leg
from gough.equations.spatial.algebra import (
    Value,
    angular,
    cross,
    dot,
    linear,
    norm,
    position,
    reciprocal,
    rotation,
    unit,
)


@dataclass(frozen=True)
class LegPosition:
    """Where a leg is: lengths in m, vectors in base axes."""

    b: Value
    """From the platform frame's origin to the platform joint."""
    l: Value
    """Length: the distance between the two joint centres."""
    inverse_l: Value
    """1 / l."""
    s: Value
    """Direction, from base joint to platform joint."""


@dataclass(frozen=True)
class LegVelocity:
    """How a leg moves: m/s and rad/s, vectors in base axes."""

    x_dot: Value
    """Velocity of the platform joint."""
    l_dot: Value
    s_dot: Value
    omega: Value
    """Angular velocity of cylinder and piston, spin included."""


@dataclass(frozen=True)
class LegAcceleration:
    """How a leg's motion changes: m/s^2 and rad/s^2, vectors in base axes."""

    x_ddot: Value
    """Acceleration of the platform joint."""
    l_ddot: Value
    s_ddot: Value
    alpha: Value
    """Angular acceleration of cylinder and piston, spin included."""


def leg_position(leg: Leg, pose: Value) -> LegPosition:
    """A leg's length and direction at a pose [Oftadeh 2010, section II]."""
    b = rotation(pose) @ leg.platform
    span = position(pose) + b - leg.base
    l = norm(span)  # Oftadeh (3)
    inverse_l = reciprocal(l)
    return LegPosition(b, l, inverse_l, span * inverse_l)  # Oftadeh (4)


def leg_velocity(leg: Leg, at: LegPosition, twist: Value) -> LegVelocity:
    """A leg's rates [Oftadeh 2010 (11)-(16); with the universal joint's spin: Kalani 2016 §3]."""
    x_dot = linear(twist) + cross(angular(twist), at.b)  # Oftadeh (11)
    l_dot = dot(at.s, x_dot)  # Oftadeh (13)
    s_dot = (x_dot - l_dot * at.s) * at.inverse_l
    if leg.kind == "SPS":
        return LegVelocity(x_dot, l_dot, s_dot, cross(at.s, s_dot))
    a, (x, _, _) = leg.first_axis, leg_axes(leg, at)
    gamma_dot, psi_dot = universal_joint_rates(leg, at, s_dot)
    return LegVelocity(x_dot, l_dot, s_dot, gamma_dot * a + psi_dot * x)


def leg_acceleration(
    leg: Leg, at: LegPosition, v: LegVelocity, twist: Value, acceleration: Value
) -> LegAcceleration:
    """A leg's second rates; the universal joint's from s̈ = α x s + ω x ṡ."""
    omega_p = angular(twist)
    x_ddot = (
        linear(acceleration)
        + cross(angular(acceleration), at.b)
        + cross(omega_p, cross(omega_p, at.b))
    )
    l_ddot = dot(at.s, x_ddot) + at.l * dot(v.s_dot, v.s_dot)
    s_ddot = (x_ddot - l_ddot * at.s - 2 * v.l_dot * v.s_dot) * at.inverse_l
    if leg.kind == "SPS":
        return LegAcceleration(x_ddot, l_ddot, s_ddot, cross(at.s, s_ddot))
    a, (x, _, _) = leg.first_axis, leg_axes(leg, at)
    gamma_dot, psi_dot = universal_joint_rates(leg, at, v.s_dot)
    carried = psi_dot * gamma_dot * cross(a, x)  # the second axis turns with the first
    rest = s_ddot - cross(v.omega, v.s_dot) - cross(carried, at.s)
    gamma_ddot, psi_ddot = universal_joint_rates(leg, at, rest)
    alpha = gamma_ddot * a + psi_ddot * x + carried
    return LegAcceleration(x_ddot, l_ddot, s_ddot, alpha)


def leg_axes(leg: Leg, at: LegPosition) -> tuple[Value, Value, Value]:
    """The leg frame's x, y, z in base axes; for an SPS leg, x is any direction across it."""
    if leg.kind == "UPS":
        across = cross(leg.first_axis, at.s)
    else:  # the coordinate axis that s is farthest from is never parallel to s
        flat = ca.fabs(at.s[2]) < 0.9
        across = cross(ca.vertcat(ca.if_else(flat, 0, 1), 0, ca.if_else(flat, 1, 0)), at.s)
    x = unit(across)
    return x, cross(at.s, x), at.s


def universal_joint_rates(leg: Leg, at: LegPosition, s_dot: Value) -> tuple[Value, Value]:
    """Rates about the first and second axis that turn s at the rate ṡ.

    ω = γ̇ a + ψ̇ x and ω x s = ṡ, where a x s = k x and x x s = -y.
    """
    x, y, _ = leg_axes(leg, at)
    return dot(s_dot, x) * reciprocal(norm(cross(leg.first_axis, at.s))), -dot(s_dot, y)
