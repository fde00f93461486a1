"""The algebra of poses [position; quaternion]: how they move, in steps and screws, and compare.

A step is six numbers, as a twist times a unit of time: a way [m] and a rotation vector [rad], both
in base axes. Quaternions may have any length but zero. `gough.poses` has the same verbs for arrays
of numbers, and those that no equation needs.
"""

from math import nan

import casadi as ca
from casadi import cross, dot

from gough.equations.spatial import algebra, attitude
from gough.equations.spatial.algebra import Value, angular, linear, norm, position, quaternion

BAUMGARTE_RATE = 50.0
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
    arm = algebra.rotation(pose) @ pivot
    turned = attitude.rotation_of_rotation_vector(angular(step)) @ arm
    return ca.vertcat(linear(step) + arm - turned, angular(step))


def nudge(pose: Value, step: Value) -> Value:
    """The pose after a small step, its quaternion of some length.

    The rotation is by 2 atan(|θ|/2) about θ, which is |θ| up to its third order, and needs no sine.
    """
    return move(pose, linear(step), ca.vertcat(1, angular(step) / 2))


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
    return ca.vertcat(position(a) - position(b), 2 * by_sine * ca.if_else(w < 0, -v, v))


def distance(a: Value, b: Value, length: Value | float) -> Value:
    """The larger one of the way, in this length [m], and the angle [rad] between two poses."""
    turn = turn_between(a, b)
    angle = 2 * ca.atan2(norm(turn[1:4]), ca.fabs(turn[0]))  # q and -q are the same attitude
    way = norm(position(a) - position(b)) / length
    return ca.if_else(way > angle, way, ca.if_else(angle >= way, angle, nan))  # fmax hides NaN


def normalised(pose: Value) -> Value:
    """Return the pose with its quaternion normalised."""
    return ca.vertcat(position(pose), algebra.unit(quaternion(pose)))


TRANSLATION = 1e-9  # |ω| times a length over |v| below which a twist is a pure translation


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
    """Pose, twist, acceleration of [position; rotation vector on the axes of `reference`]."""
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
