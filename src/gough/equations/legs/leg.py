"""One leg: its length, direction and rotation, and their rates, from the platform's motion.

The leg frame has z along s, from base joint to platform joint; x and y are as its base joint says.
"""

from __future__ import annotations

from dataclasses import dataclass

from gough.equations.legs.base_joint import angular_velocity
from gough.equations.legs.extensible import Leg
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
    """Velocity of a leg: m/s and rad/s, vectors in base axes."""

    x_dot: Value
    """Velocity of the platform joint."""
    l_dot: Value
    s_dot: Value
    omega: Value
    """Angular velocity of cylinder and piston, spin included."""


@dataclass(frozen=True)
class LegAcceleration:
    """Acceleration of a leg: m/s^2 and rad/s^2, vectors in base axes."""

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
    """A leg's rates [Oftadeh 2010 (11)-(16)]."""
    x_dot = linear(twist) + cross(angular(twist), at.b)  # Oftadeh (11)
    l_dot = dot(at.s, x_dot)  # Oftadeh (13)
    s_dot = (x_dot - l_dot * at.s) * at.inverse_l
    return LegVelocity(x_dot, l_dot, s_dot, angular_velocity(leg.base_joint, at.s, s_dot))


def leg_acceleration(
    leg: Leg, at: LegPosition, v: LegVelocity, twist: Value, acceleration: Value
) -> LegAcceleration:
    """A leg's second rates."""
    omega_p = angular(twist)
    x_ddot = (
        linear(acceleration)
        + cross(angular(acceleration), at.b)
        + cross(omega_p, cross(omega_p, at.b))
    )
    l_ddot = dot(at.s, x_ddot) + at.l * dot(v.s_dot, v.s_dot)
    s_ddot = (x_ddot - l_ddot * at.s - 2 * v.l_dot * v.s_dot) * at.inverse_l
    alpha = leg.base_joint.angular_acceleration(at.s, v.s_dot, s_ddot)
    return LegAcceleration(x_ddot, l_ddot, s_ddot, alpha)
