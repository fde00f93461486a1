"""Study coordinates of a pose, in which a leg's length is a linear condition on 17 monomials.

A pose (t, R) is a point (e, g) of projective space: e is the quaternion of R and g = t e / 2, so
that e·g = 0 (Study's quadric) and t = 2 g ē / e·e. Multiplied by e·e, the square of a leg's length
is linear in

    e·e;  e₁², e₂², e₃²;  e_i e_j (i < j);  g_i e_j - g_j e_i (i < j);  g·g,

hence six legs cut a fixed variety of dimension six, which has degree 40, by six hyperplanes
[Husty 1996; Wampler 1996]. Points with e·e = 0 are no poses: they lie at infinity.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import log2

import casadi as ca
from casadi import cross, dot

from gough.equations.solvers.complex_number import Complex, real, side_by_side, stacked, zeros
from gough.equations.spatial.algebra import Value, position, quaternion, rotation
from gough.equations.spatial.attitude import conjugate, quaternion_product

N_MONOMIALS = 17  # in the order of this file's first lines
_PAIRS = tuple(combinations(range(4), 2))
ORDER = 4
"""Order of the Taylor series: a power of two, so that its roots are square roots.

Orders from 4 to 8 take as many operations to the end of a path within 20 %, the lowest the fewest.
"""
GOING, ARRIVED, STUCK = 0, 1, 2
_LARGEST_CORRECTION = 0.15  # maximum correction, compared with the distance to other solutions
_SMALLEST_STEP = 1e-13
_TINY = 1e-300
ROUNDING = 2.0**-46  # 128 units of rounding: no term meets more than 60; √2 for complex products


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
    """The derivatives (7x8) of c·monomials (6x17) and e·g: times x they are twice the values."""
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
    return ca.vertcat(position(pose) + base - rotation(pose) @ platform, quaternion(pose))


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


# One step along a path of solutions x(s) of the legs' conditions while their coefficients move. Six
# conditions c(s)·monomials(x) = 0 with c(s) = c₀ + s c₁, and e·g = 0, define curves in projective
# space. A step corrects a predicted point by Newton's method, expands the curve into its Taylor
# series there, and predicts the next point as far as the series is good. Points have length one;
# corrections and derivatives are orthogonal to them. What is predicted at s = 1 is the path's end:
# whoever proves it corrects it.


@dataclass(frozen=True)
class Pencil:
    """Coefficients (6x17) at s = 0, and their change from there to s = 1."""

    start: Complex
    change: Complex

    def at(self, s: Value) -> Complex:
        """The coefficients at s."""
        return self.start + self.change.scaled(s)


@dataclass(frozen=True)
class PathState:
    """Where a path is: a predicted point at s, and the corrected one before it.

    `boldness` is the fraction of a normal step that is tried: it falls when a prediction was bad,
    and recovers.
    """

    x: Complex
    s: Value
    last_x: Complex
    last_s: Value
    boldness: Value


@dataclass(frozen=True)
class LinearAlgebra:
    """Factorisation of an 8x8 matrix, and the solution with the factors."""

    factorise: Callable[[Complex], tuple[Complex, Value]]
    solve: Callable[[Complex, Value, Complex], Complex]


def path_step(
    pencil: Pencil, state: PathState, tolerance: Value, linear: LinearAlgebra
) -> tuple[PathState, Value]:
    """The state after one step, and GOING, ARRIVED (at s = 1) or STUCK (steps have vanished).

    `tolerance` is the error of a prediction, compared with the distance to other solutions as the
    series sees it. A correction that is much larger rejects the prediction: back to the point
    before, or, if that one itself needs it, one more correction.
    """
    step, x = newton_step(pencil.at(state.s), state.x, linear)
    series = taylor_series(pencil, x, state.s, linear)
    room, reach = _reach(series, tolerance)
    good = step.squared_norm < (_LARGEST_CORRECTION * room) ** 2
    onward = state.s > state.last_s
    less = ca.if_else(onward, state.boldness / 3, state.boldness)
    boldness = ca.if_else(good, ca.fmin(1, 1.5 * state.boldness), less)
    left, h = 1 - state.s, boldness * reach
    last_one = h >= left
    predicted = _sum(series, ca.if_else(last_one, left, h)).normalised

    new = PathState(
        x=predicted.selected(good, state.last_x.selected(onward, x)),
        s=ca.if_else(good, ca.if_else(last_one, 1, state.s + h), state.last_s),
        last_x=x.selected(good, state.last_x),
        last_s=ca.if_else(good, state.s, state.last_s),
        boldness=boldness,
    )
    back = ca.logic_and(onward, ca.logic_not(good))
    moving = ca.logic_or(ca.logic_or(h > _SMALLEST_STEP, last_one), back)
    arrived = ca.logic_and(good, last_one)
    return new, ca.if_else(arrived, ARRIVED, ca.if_else(moving, GOING, STUCK))


def newton_step(c: Complex, x: Complex, linear: LinearAlgebra) -> tuple[Complex, Complex]:
    """One step of Newton's method towards a solution, and the point of length one after it."""
    J = jacobian(c, x)
    values = (J @ x).scaled(0.5)
    step = linear.solve(*linear.factorise(bordered(J, x)), stacked(values, zeros(1)))
    return step, (x - step).normalised


def taylor_series(pencil: Pencil, x: Complex, s: Value, linear: LinearAlgebra) -> list[Complex]:
    """Taylor coefficients of the solution about s, x first: J x_m and products of lower orders."""
    c, M = pencil.at(s), gradients(x)
    factors = linear.factorise(bordered(stacked(c @ M, study_gradient(x)), x))
    series = [x]
    before = (M @ x).scaled(0.5)  # the monomials' own coefficient of the order before
    for m in range(1, ORDER + 1):
        monomials, study = _products(series, m)
        values = stacked(c @ monomials + pencil.change @ before, study, zeros(1))
        series.append(-linear.solve(*factors, values))
        before = monomials + M @ series[m]
    return series


def _products(series: list[Complex], m: int) -> tuple[Complex, Complex]:
    """Return the terms of x_1 ... x_{m-1} in order m of the monomials and of e·g."""
    monomials, study = zeros(N_MONOMIALS), zeros(1)
    for i in range(1, m // 2 + 1):
        weight = 0.5 if 2 * i == m else 1.0
        monomials += (gradients(series[i]) @ series[m - i]).scaled(weight)
        study += (study_gradient(series[i]) @ series[m - i]).scaled(weight)
    return monomials, study


def _reach(series: list[Complex], tolerance: Value) -> tuple[Value, Value]:
    """Return the distance to other solutions, at most 1, and the step for which the series is good.

    Ratios of the last coefficients estimate the distance R of the nearest singularity; over that
    distance x moves by about |x₁| R, and no other solution is much nearer than that [Telen, Van
    Barel, Verschelde 2020].
    """
    n_1, n_a, n_b, n_c = (
        ca.sqrt(series[k].squared_norm + _TINY) for k in (1, ORDER - 2, ORDER - 1, ORDER)
    )
    R = ca.fmin(n_b / n_c, n_a / n_b)
    last = ca.fmax(n_c, n_b * n_b / n_a)
    room = ca.fmin(1, n_1 * R)
    h = tolerance * room / last
    for _ in range(int(log2(ORDER))):
        h = ca.sqrt(h)
    return room, h


def _sum(series: list[Complex], h: Value) -> Complex:
    """Return the sum of a Taylor series a step ahead, by Horner's scheme."""
    return reduce(lambda total, coefficient: coefficient + total.scaled(h), reversed(series))


# A proof that one solution of the legs' conditions lies near a point: Krawczyk's operator. Let F be
# the six conditions c·monomials, e·g and the row x̂ᴴ(z - x) that fixes the scale, and Y any matrix.
# N(z) = z - Y F(z) has the derivative I - Y F'(z), and F' is linear in z, so with
#
#     b₀ >= |Y F(x)|,   b₁ >= ‖I - Y F'(x)‖,   b₂ r >= ‖Y (F'(z) - F'(x))‖ for |z - x| <= r
#
# (maximum absolute value of an entry, and the induced matrix norm) N maps the ball of radius
# r = 2 b₀ into itself and contracts it if b₁ + b₂ r <= 1/2. Then F has exactly one zero in the
# ball, and Y is regular. Farther out, the contraction excludes a second zero as long as
# b₁ + b₂ |z - x| < 1. All bounds hold for exact coefficients: each sum is bounded by the same sum
# of absolute values times ROUNDING, which covers the rounding of the coefficients, of F, F' and
# Y F', and of the bounds themselves.


def proof(
    c: Complex, bounds: Value, x: Complex, linear: LinearAlgebra
) -> tuple[Value, Value, Value, Value]:
    """Krawczyk's test at x, |x| = 1; c is exact to 16 units of rounding of `bounds` (6x17).

    Whether it holds, radii of balls with exactly one solution and without a second one, and the
    norm of Y, which is about that of the inverse Jacobian: large near singular solutions.
    """
    J = bordered(jacobian(c, x), x)
    values = (J[0:7, :] @ x).scaled(0.5)
    size = ca.sqrt(x.squares)
    J_bounds = ca.vertcat(
        bounds @ gradient_bounds(size), ca.vertcat(size[4:8], size[0:4]).T, size.T
    )
    value_bounds = J_bounds[0:7, :] @ size

    Y = _inverse(J, linear)
    Y_size = ca.sqrt(Y.squares)
    residual = ca.sqrt(values.squares) + ROUNDING * value_bounds
    b_0 = _largest(Y_size[:, 0:7] @ residual)
    product = Y @ J
    defect = Complex(product.re - ca.SX.eye(8), product.im)
    b_1 = _largest(ca.sum2(ca.sqrt(defect.squares) + ROUNDING * (1 + Y_size @ J_bounds)))
    ones = ca.SX.ones(8)
    curvature = ca.vertcat(bounds @ gradient_bounds(ones) @ ones, 8)
    b_2 = _largest(Y_size[:, 0:7] @ curvature) * (1 + ROUNDING)

    radius = 2 * b_0 * (1 + ROUNDING)
    holds = b_1 + b_2 * radius <= 0.5 - ROUNDING
    isolation = (1 - b_1) / b_2 * (1 - ROUNDING)
    return holds, radius, isolation, _largest(ca.sum2(Y_size))


def _inverse(A: Complex, linear: LinearAlgebra) -> Complex:
    """An approximate inverse, column by column."""
    factors = linear.factorise(A)
    return side_by_side(*(linear.solve(*factors, real(e)) for e in ca.horzsplit(ca.SX.eye(8))))


def _largest(values: Value) -> Value:
    """Return the maximum of values, none of them negative; NaN if one of them is NaN."""
    every = ca.vertsplit(values)
    largest, total = reduce(ca.fmax, every), sum(every[1:], every[0])
    return ca.if_else(total >= largest, largest, total)
