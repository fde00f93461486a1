"""Motion of a rigid body: twist and acceleration from a pose that is known in time, and screws."""

from __future__ import annotations

import casadi as ca

from gough.equations.spatial import attitude
from gough.equations.spatial.algebra import (
    Value,
    angular,
    cross,
    dot,
    linear,
    norm,
    position,
    quaternion,
)

TRANSLATION = 1e-9
"""A twist whose |ω| times a length is below this share of |v| is a pure translation."""


def twist_and_acceleration(pose: Value, pose_1: Value, pose_2: Value) -> tuple[Value, Value]:
    """Twist [v; ω] and acceleration [v̇; ω̇] of a pose with its first and second time derivative.

    The quaternion may have any length, and the length may change: with u = q̇ q⁻¹, ω is twice
    the vector part of u, and ω̇ twice that of u̇ = q̈ q⁻¹ - u u.
    """
    q, q_1, q_2 = quaternion(pose), quaternion(pose_1), quaternion(pose_2)
    inverse = attitude.conjugate(q) / dot(q, q)
    u = attitude.quaternion_product(q_1, inverse)
    u_1 = attitude.quaternion_product(q_2, inverse) - attitude.quaternion_product(u, u)
    twist = ca.vertcat(position(pose_1), 2 * u[1:4])
    return twist, ca.vertcat(position(pose_2), 2 * u_1[1:4])


def along_a_screw(
    start: Value, axis: Value, point: Value, angle: Value, travel: Value
) -> tuple[Value, Value, Value]:
    """Pose, twist and acceleration of a finite screw motion from a start pose.

    The axis (length one) goes through the point [m], both fixed in the base. `angle` [rad] and
    `travel` [m] hold a value and its two time derivatives each. What Baiges 3.(44)-(49) say to
    first order and 3.(63)-(65) for a rotation holds here for any angle.
    """
    theta, theta_1, theta_2 = ca.vertsplit(angle)
    d, d_1, d_2 = ca.vertsplit(travel)
    turn = ca.vertcat(ca.cos(theta / 2), ca.sin(theta / 2) * axis)
    r_0 = position(start) - point
    s_r = cross(axis, r_0)
    r = r_0 + ca.sin(theta) * s_r + (1 - ca.cos(theta)) * cross(axis, s_r)  # Baiges 3.(51)
    omega, alpha = theta_1 * axis, theta_2 * axis
    v = cross(omega, r) + d_1 * axis
    a = cross(alpha, r) + cross(omega, v) + d_2 * axis
    pose = ca.vertcat(point + r + d * axis, attitude.quaternion_product(turn, quaternion(start)))
    return pose, ca.vertcat(v, omega), ca.vertcat(a, alpha)


def turned_by(
    reference: Value, place: Value, place_1: Value, place_2: Value
) -> tuple[Value, Value, Value]:
    """Pose, twist and acceleration of a place [position; rotation vector] and its derivatives.

    The rotation vector [rad] is that of the turn from a reference attitude (a quaternion), on the
    platform's axes at that attitude.
    """
    turn = attitude.quaternion_of_rotation_vector(place[3:6])
    pose = ca.vertcat(place[0:3], attitude.quaternion_product(reference, turn))
    pose_1 = ca.jtimes(pose, place, place_1)
    both, both_1 = ca.vertcat(place, place_1), ca.vertcat(place_1, place_2)
    pose_2 = ca.jtimes(pose_1, both, both_1)
    return pose, *twist_and_acceleration(pose, pose_1, pose_2)


def screw_of_twist(
    twist: Value, origin: Value, length: Value | float
) -> tuple[Value, Value, Value]:
    """Axis (unit vector), the axis' point nearest to the origin [m], and pitch [m/rad].

    `origin` is the point whose velocity the twist gives; `length` [m] makes rotations comparable
    with translations. A pure translation has an infinite pitch; its axis is put through the
    origin. A screw has no sign: the component of maximum magnitude of the axis is made positive.
    """
    v, omega = linear(twist), angular(twist)
    slides = length * norm(omega) <= TRANSLATION * norm(v)
    along = ca.if_else(slides, v, omega)
    axis = along / norm(along)
    squared = ca.if_else(slides, 1, dot(omega, omega))
    point = origin + ca.if_else(slides, 0, 1) * cross(omega, v) / squared
    pitch = ca.if_else(slides, ca.inf, dot(omega, v) / squared)
    return axis * sign_of_largest(axis), point, pitch


def sign_of_largest(a: Value) -> Value:
    """Return the sign of the component of maximum magnitude."""
    largest = a[0]
    for k in range(1, a.numel()):
        largest = ca.if_else(ca.fabs(a[k]) > ca.fabs(largest), a[k], largest)
    return ca.if_else(largest < 0, -1, 1)
