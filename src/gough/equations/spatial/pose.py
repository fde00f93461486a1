"""The algebra of poses [position; quaternion]: how they are moved and how they are compared.

A step is six numbers, as a twist times a unit of time: a way [m] and a rotation vector [rad], both
in base axes. Quaternions may have any length but zero. `gough.poses` has the same verbs for arrays
of numbers, and those that no equation needs.
"""

from __future__ import annotations

from math import nan

import casadi as ca

from gough.equations.spatial import attitude
from gough.equations.spatial.algebra import (
    Value,
    angular,
    linear,
    norm,
    position,
    quaternion,
    rotation,
    unit,
)

LEADING_BACK = 50.0
"""Rate [1/s] at which integration errors of constraints decay: of closed loops, and of a platform
on its link and in its admissible motion."""


def move(pose: Value, way: Value, turn: Value) -> Value:
    """The pose moved by a way [m] and turned about its origin by a quaternion, in base axes."""
    return ca.vertcat(position(pose) + way, attitude.quaternion_product(turn, quaternion(pose)))


def displace(pose: Value, step: Value) -> Value:
    """The pose after a step: p + way, and exp(θ) R."""
    return move(pose, linear(step), attitude.quaternion_of_rotation_vector(angular(step)))


def about(pivot: Value, pose: Value, step: Value) -> Value:
    """The step of the origin, while a pivot [m], a point of the platform, makes a step."""
    arm = rotation(pose) @ pivot
    turned = attitude.rotation_of_rotation_vector(angular(step)) @ arm
    return ca.vertcat(linear(step) + arm - turned, angular(step))


def nudge(pose: Value, step: Value) -> Value:
    """The pose after a small step, its quaternion of some length.

    The rotation is by 2 atan(|θ|/2) about θ, which is |θ| up to its third order, and needs no sine.
    """
    return move(pose, linear(step), attitude.quaternion_of_rodrigues_vector(angular(step) / 2))


def rate(pose: Value, twist: Value) -> Value:
    """The time derivative of a pose that moves at a twist; keeps the quaternion's length."""
    return ca.vertcat(linear(twist), attitude.quaternion_rate(quaternion(pose), angular(twist)))


def turn_between(a: Value, b: Value) -> Value:
    """The quaternion, of some length and sign, of the turn from b to a, in base axes."""
    return attitude.quaternion_product(quaternion(a), attitude.conjugate(quaternion(b)))


def difference(a: Value, b: Value) -> Value:
    """The step from b to a, by the shorter turn: `displace(b, difference(a, b))` is a."""
    turn = turn_between(a, b)
    v, w = turn[1:4], turn[0]
    sine = norm(v)
    small = sine < 1e-9 * ca.fabs(w)  # atan(x)/x is 1 there, to rounding error
    by_sine = ca.if_else(small, 1 / ca.fabs(w), ca.atan2(sine, ca.fabs(w)) / sine)
    way = position(a) - position(b)
    return ca.vertcat(way, 2 * by_sine * ca.if_else(w < 0, -v, v))


def distance(a: Value, b: Value, length: Value | float) -> Value:
    """The larger one of the way, in this length [m], and the angle [rad] between two poses."""
    turn = turn_between(a, b)
    angle = 2 * ca.atan2(norm(turn[1:4]), ca.fabs(turn[0]))  # q and -q are the same attitude
    way = norm(position(a) - position(b)) / length
    return ca.if_else(way > angle, way, ca.if_else(angle >= way, angle, nan))  # fmax hides NaN


def normalised(pose: Value) -> Value:
    """Return the pose with its quaternion normalised."""
    return ca.vertcat(position(pose), unit(quaternion(pose)))
