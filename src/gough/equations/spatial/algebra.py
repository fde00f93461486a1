"""Vectors, rotations, and the parts of poses, twists and wrenches."""

from collections.abc import Callable, Sequence
from functools import reduce
from math import inf
from operator import add
from sys import float_info

import casadi as ca
from casadi import cross

Value = ca.SX  # a matrix of symbols or of numbers (DM), which CasADi's types do not tell apart

_ROUNDING = 4 * float_info.epsilon  # relative size below which a number counts as 0

_x = ca.SX.sym("x")
_RECIPROCAL = ca.Function("reciprocal", [_x], [1 / _x], {"never_inline": True})


def vector(*components: Value | float) -> Value:
    """A column of these components."""
    return ca.vertcat(*components)


def tensor(six: Value) -> Value:
    """The symmetric 3x3 matrix of six numbers or symbols: xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = ca.vertsplit(six)
    return ca.blockcat([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def norm(a: Value) -> Value:
    """The length of a vector."""
    return ca.sqrt(ca.dot(a, a))


def unit(a: Value) -> Value:
    """The vector of length one in the same direction."""
    return a * reciprocal(norm(a))


def reciprocal(x: Value) -> Value:
    """1 / x as a value of its own: several products with it need a single division.

    CasADi turns a product with 1 / x back into a division by x; a call it leaves alone.
    """
    return _RECIPROCAL(x)


def total(terms: Sequence[Value]) -> Value:
    """Return the sum; of constants, 0 where that is rounding error of the maximum term."""
    return without_rounding(reduce(add, terms), ca.horzcat(*map(ca.vec, terms)))


def without_rounding(numbers: Value, beside: Value | None = None) -> Value:
    """Set constants to 0 that are rounding errors of the maximum finite one, or of others."""
    known = numbers if beside is None else beside
    if not (numbers.is_constant() and known.is_constant()):
        return numbers
    largest = max((abs(float(x)) for x in known.nonzeros() if abs(float(x)) < inf), default=0.0)
    return ca.if_else(ca.fabs(numbers) <= _ROUNDING * largest, 0.0, numbers)


def derivative(of: Callable[[Value], Value], at: Value, along: Value | None = None) -> Value:
    """Return the Jacobian of a function at a value, or its derivatives along given directions."""
    x = ca.SX.sym("x", *at.shape)
    found = of(x)
    slope = ca.jacobian(found, x) if along is None else ca.jtimes(found, x, along)
    return ca.substitute(slope, x, at)


def wrench_at(arm: Value, force: Value) -> Value:
    """The wrench (6) of a force at the end of an arm."""
    return ca.vertcat(force, cross(arm, force))


def point_jacobian(arm: Value) -> Value:
    """Return the matrix (3x6) from a body's twist to the velocity of its point at an arm."""
    return ca.horzcat(ca.DM.eye(3), -ca.skew(arm))


def position(pose: Value) -> Value:
    """The platform frame's origin, in the base frame [m]."""
    return pose[0:3]


def quaternion(pose: Value) -> Value:
    """The platform's attitude, (w, x, y, z), not necessarily of length one."""
    return pose[3:7]


def linear(twist: Value) -> Value:
    """The first half of a twist, acceleration or wrench: velocity, acceleration or force."""
    return twist[0:3]


def angular(twist: Value) -> Value:
    """The second half: angular velocity, angular acceleration or moment."""
    return twist[3:6]


def rotation(pose: Value) -> Value:
    """The rotation matrix from platform to base axes; the quaternion is normalised on the way."""
    w, x, y, z = ca.vertsplit(quaternion(pose))
    k = 2 / (w * w + x * x + y * y + z * z)
    kx, ky, kz = k * x, k * y, k * z
    wx, wy, wz = w * kx, w * ky, w * kz
    xx, xy, xz = x * kx, x * ky, x * kz
    yy, yz, zz = y * ky, y * kz, z * kz
    return ca.vertcat(
        ca.horzcat(1 - (yy + zz), xy - wz, xz + wy),
        ca.horzcat(xy + wz, 1 - (xx + zz), yz - wx),
        ca.horzcat(xz - wy, yz + wx, 1 - (xx + yy)),
    )
