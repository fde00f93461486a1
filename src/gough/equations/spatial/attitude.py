"""Attitudes: quaternions (w, x, y, z), rotation vectors, Euler angles, and their rates.

A rotation matrix takes platform axes to base axes; angular velocities are in base axes. Euler
sequences are named as in SciPy: upper case turns about the moving axes ("XYZ"), lower case about
the fixed ones ("xyz"); angles come in the order of the letters.
"""

from itertools import product
from math import factorial
from typing import TypeVar

import casadi as ca
from casadi import cross, dot, skew

from gough.equations.spatial.algebra import Value, norm

Part = TypeVar("Part")

TINY = 1e-30  # a square beside which that of rounding [rad^2] is large
_THREE = (*product("XYZ", repeat=3), *product("xyz", repeat=3))
EULER_SEQUENCES = tuple("".join(axes) for axes in _THREE if axes[0] != axes[1] != axes[2])
"""All 24: Tait-Bryan and proper, moving and fixed axes."""


def conjugate(q: Value) -> Value:
    """The quaternion of the turn back."""
    return ca.vertcat(q[0], -q[1:4])


def quaternion_product(p: Value, q: Value) -> Value:
    """The quaternion of turning first by q, then by p."""
    p_0, p_v, q_0, q_v = p[0], p[1:4], q[0], q[1:4]
    return ca.vertcat(p_0 * q_0 - dot(p_v, q_v), p_0 * q_v + q_0 * p_v + cross(p_v, q_v))


def quaternion_rate(q: Value, omega: Value) -> Value:
    """q̇ of an attitude that turns at ω [rad/s], in base axes; keeps the length of q."""
    return quaternion_product(ca.vertcat(0, omega), q) / 2


def angle_between(a: Value, b: Value) -> Value:
    """Angle [rad] between two vectors, exact also where they are nearly parallel."""
    return ca.atan2(norm(cross(a, b)), dot(a, b))


def rotation_of_rotation_vector(theta: Value) -> Value:
    """The rotation matrix of a turn by |θ| [rad] about θ: the exponential of skew(θ)."""
    sine, cosine = _turn(dot(theta, theta))
    return ca.DM.eye(3) + sine * skew(theta) + cosine * skew(theta) @ skew(theta)


def shortest_turn(a: Value, b: Value) -> Value:
    """The rotation matrix of the shortest turn between unit vectors, which are not opposite."""
    across = skew(cross(a, b))
    return ca.DM.eye(3) + across + across @ across / (1 + dot(a, b))


def angle_about(axis: Value, first: Value, second: Value) -> Value:
    """The angle [rad] about a unit axis between rotation matrices that agree in it, within π."""
    D = second @ first.T
    return ca.atan2(dot(axis, vee(D)), (ca.trace(D) - 1) / 2)


def angle_from(axis: Value, a: Value, b: Value) -> Value:
    """The angle [rad] about an axis of length one by which a turns to b, within half a turn."""
    return ca.atan2(dot(axis, cross(a, b)), dot(a, b) - dot(axis, a) * dot(axis, b))


def rotation_vector(R: Value) -> Value:
    """The rotation vector (3) [rad] of a rotation matrix, within half a turn, smooth at zero."""
    return _of_sine(vee(R), (ca.trace(R) - 1) / 2)


def turn_from(a: Value, b: Value) -> Value:
    """The rotation vector (3) [rad] of the shortest turn from a direction to another, as above."""
    return _of_sine(cross(a, b), dot(a, b))


def _of_sine(v: Value, cosine: Value) -> Value:
    """The rotation vector of a turn: v is the sine of the angle times the axis."""
    sine = ca.sqrt(ca.fmax(dot(v, v), TINY))
    return ca.atan2(sine, cosine) / sine * v


def vee(R: Value) -> Value:
    """Vector of the skew part of a matrix: of a rotation, sine of the angle times the axis."""
    return ca.vertcat(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) / 2


def quaternion_of_rotation_vector(theta: Value) -> Value:
    """The unit quaternion of a turn by |θ| [rad] about θ."""
    half = theta / 2
    x = dot(half, half)
    sine, cosine = _turn(x)
    return ca.vertcat(1 - x * cosine, sine * half)


def _turn(x: Value) -> tuple[Value, Value]:
    """sin(φ)/φ and (1 - cos(φ))/φ² of x = φ²: smooth at zero, with all their derivatives.

    Below one radian by their power series, to rounding error. The other side of the selection
    is kept away from zero, where the root's infinite derivative would spoil the result.
    """
    small = x < 1
    sine: Value | float = 0
    cosine: Value | float = 0
    for n in reversed(range(11)):  # (-x)ⁿ/(2n+1)! and (-x)ⁿ/(2n+2)!
        sine = 1 / factorial(2 * n + 1) - x * sine
        cosine = 1 / factorial(2 * n + 2) - x * cosine
    phi = ca.sqrt(ca.if_else(small, 1, x))
    return (
        ca.if_else(small, sine, ca.sin(phi) / phi),
        ca.if_else(small, cosine, (1 - ca.cos(phi)) / phi**2),
    )


def euler_quaternion(sequence: str, angles: Value) -> Value:
    """The unit quaternion of three Euler angles [rad]."""
    turns = ((axis, angle / 2) for axis, angle in _turns(sequence, angles))
    first, second, third = (ca.vertcat(ca.cos(x), ca.sin(x) * axis) for axis, x in turns)
    return quaternion_product(quaternion_product(first, second), third)


def euler_rate_matrix(sequence: str, angles: Value) -> Value:
    """E of ω = E · rates of the angles, 3x3, in base axes; singular where two axes align."""
    (axis_1, angle_1), (axis_2, angle_2), (axis_3, _) = _turns(sequence, angles)
    R_1, R_2 = _rotation_about(axis_1, angle_1), _rotation_about(axis_2, angle_2)
    return ca.horzcat(*_in_order(sequence, [axis_1, R_1 @ axis_2, R_1 @ (R_2 @ axis_3)]))


def _turns(sequence: str, angles: Value) -> list[tuple[Value, Value]]:
    """Axis and angle of each turn, in the order in which turns about moving axes happen."""
    if sequence not in EULER_SEQUENCES:
        raise ValueError(
            f"unknown Euler sequence {sequence!r}: expected three of X, Y, Z for turns about the "
            "moving axes, or of x, y, z for the fixed axes, no letter twice in a row"
        )
    axes = [ca.DM.eye(3)[:, "xyz".index(letter)] for letter in sequence.lower()]
    return _in_order(sequence, list(zip(axes, ca.vertsplit(angles), strict=True)))


def _in_order(sequence: str, three: list[Part]) -> list[Part]:
    """Between the letters' order and that of moving axes: fixed axes are moving ones reversed."""
    return three if sequence.isupper() else three[::-1]


def _rotation_about(axis: Value, angle: Value) -> Value:
    s, c = ca.sin(angle), ca.cos(angle)
    return c * ca.DM.eye(3) + s * skew(axis) + (1 - c) * axis @ axis.T
