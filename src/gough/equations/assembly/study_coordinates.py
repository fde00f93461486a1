"""Study coordinates of a pose, in which a leg's length is a linear condition on 17 monomials.

A pose (t, R) is a point (e, g) of projective space: e is the quaternion of R and g = t e / 2, so
that e·g = 0 (Study's quadric) and t = 2 g ē / e·e. Multiplied by e·e, the square of a leg's length
is linear in

    e·e;  e₁², e₂², e₃²;  e_i e_j (i < j);  g_i e_j - g_j e_i (i < j);  g·g,

hence six legs cut a fixed variety of dimension six, which has degree 40, by six hyperplanes
[Husty 1996; Wampler 1996]. Points with e·e = 0 are no poses: they lie at infinity.
"""

from __future__ import annotations

from itertools import combinations

import casadi as ca

from gough.equations.solvers.complex_number import Complex, side_by_side, stacked
from gough.equations.spatial.algebra import Value, cross, dot, position, quaternion, rotation
from gough.equations.spatial.attitude import conjugate, quaternion_product

N_MONOMIALS = 17
"""In the order of this file's first lines."""
_PAIRS = tuple(combinations(range(4), 2))


def leg_coefficients(base: Value, platform: Value) -> Value:
    """The coefficients of l² e·e / 4, for a leg between these joint centres."""
    a, b = base, platform
    squares = dot(a, b) - a * b
    mixed = [-(a[i] * b[j] + a[j] * b[i]) for i, j in ((0, 1), (0, 2), (1, 2))]
    minors = ca.vertcat(a - b, a[2] + b[2], -(a[1] + b[1]), a[0] + b[0])
    return ca.vertcat(dot(a - b, a - b) / 4, squares, cross(a, b), *mixed, minors, 1)


def leg_coefficient_bounds(base: Value, platform: Value) -> Value:
    """Sum the absolute values of the terms of `leg_coefficients`, as the scale of rounding."""
    a, b = ca.fabs(base), ca.fabs(platform)
    crossed = [a[j] * b[k] + a[k] * b[j] for j, k in ((1, 2), (0, 2), (0, 1))]
    minors = ca.vertcat(a + b, a[2] + b[2], a[1] + b[1], a[0] + b[0])
    mixed = reversed(crossed)
    return ca.vertcat(dot(a + b, a + b) / 4, dot(a, b) + a * b, *crossed, *mixed, minors, 1)


def gradients(x: Complex) -> Complex:
    """The partial derivatives of the 17 monomials (rows) with respect to (e, g), sparse.

    They are linear in x: gradients(x) @ y is symmetric in x and y, and twice the monomials if the
    two are equal.
    """
    return Complex(_gradients(x.re), _gradients(x.im))


def gradient_bounds(x: Value) -> Value:
    """Bounds of the absolute values of `gradients`, for points with these absolute values."""
    return ca.fabs(_gradients(x))


def study_gradient(x: Complex) -> Complex:
    """The derivative of e·g with respect to (e, g), a row; linear in x as `gradients`."""
    return side_by_side(x[4:8].T, x[0:4].T)


def jacobian(c: Complex, x: Complex) -> Complex:
    """The derivatives of the conditions c·monomials (6x17) and of e·g: 7x8.

    All of them are quadratic forms: the Jacobian times x is twice their values.
    """
    return stacked(c @ gradients(x), study_gradient(x))


def bordered(J: Complex, x: Complex) -> Complex:
    """J with a last row that makes corrections orthogonal to x: 8x8."""
    return stacked(J, x.conjugate.T)


def pose_of_study_point(x: Value) -> Value:
    """The pose of a real point (e, g), its quaternion of length one and with w >= 0."""
    e, g = x[0:4], x[4:8]
    square = dot(e, e)
    t = 2 * quaternion_product(g, conjugate(e))[1:4] / square
    return ca.vertcat(t, e * ca.if_else(e[0] < 0, -1, 1) / ca.sqrt(square))


def moved_origins(pose: Value, base: Value, platform: Value) -> Value:
    """A pose between frames at these points of base and platform, for the bodies' own frames."""
    t = position(pose) + base - rotation(pose) @ platform
    return ca.vertcat(t, quaternion(pose))


def _gradients(x: Value) -> Value:
    M = ca.SX(N_MONOMIALS, 8)
    for i in range(4):
        M[0, i] = 2 * x[i]
        M[16, 4 + i] = 2 * x[4 + i]
    for i in (1, 2, 3):
        M[i, i] = 2 * x[i]
    for row, (i, j) in enumerate(_PAIRS):
        M[4 + row, i], M[4 + row, j] = x[j], x[i]
        M[10 + row, 4 + i], M[10 + row, 4 + j] = x[j], -x[i]
        M[10 + row, i], M[10 + row, j] = -x[4 + j], x[4 + i]
    return M
