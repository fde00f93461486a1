"""One step along a path of solutions x(s) of the legs' conditions while their coefficients move.

Six conditions c(s)·monomials(x) = 0 with c(s) = c₀ + s c₁, and e·g = 0, define curves in the
projective space of Study coordinates. A step corrects a predicted point by Newton's method, expands
the curve into its Taylor series there, and predicts the next point as far as the series is good.
Points have length one; corrections and derivatives are orthogonal to them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log2

import casadi as ca

from gough.equations.assembly.study_coordinates import (
    N_MONOMIALS,
    bordered,
    gradients,
    jacobian,
    study_gradient,
)
from gough.equations.solvers.complex_number import Complex, normalised, squared_norm, stacked, zeros
from gough.equations.spatial.algebra import Value

ORDER = 8
"""Order of the Taylor series: a power of two, so that its roots are square roots."""
GOING, ARRIVED, STUCK = 0, 1, 2
_LARGEST_CORRECTION = 20.0
_SMALLEST_STEP = 1e-13


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
    series sees it. A correction that is much larger than it rejects the prediction.
    """
    step, corrected = newton_step(pencil.at(state.s), state.x, linear)
    good = squared_norm(step) < (_LARGEST_CORRECTION * tolerance) ** 2
    x = corrected.selected(good, state.last_x)
    s = ca.if_else(good, state.s, state.last_s)
    boldness = ca.if_else(good, ca.fmin(1, 1.5 * state.boldness), state.boldness / 4)

    series = taylor_series(pencil, x, s, linear)
    left = 1 - s
    h = boldness * _reach(series, tolerance)
    last_one = h >= left
    predicted = normalised(_sum(series, ca.if_else(last_one, left, h)))

    arrived = ca.logic_and(good, left <= 0)
    new = PathState(
        x=x.selected(arrived, predicted),
        s=ca.if_else(last_one, 1, s + h),
        last_x=x,
        last_s=s,
        boldness=boldness,
    )
    moving = ca.logic_or(h > _SMALLEST_STEP, last_one)
    return new, ca.if_else(arrived, ARRIVED, ca.if_else(moving, GOING, STUCK))


def newton_step(c: Complex, x: Complex, linear: LinearAlgebra) -> tuple[Complex, Complex]:
    """One step of Newton's method towards a solution, and the point of length one after it."""
    J = jacobian(c, x)
    values = (J @ x).scaled(0.5)
    step = linear.solve(*linear.factorise(bordered(J, x)), stacked(values, zeros(1)))
    return step, normalised(x - step)


def taylor_series(pencil: Pencil, x: Complex, s: Value, linear: LinearAlgebra) -> list[Complex]:
    """The Taylor coefficients of the solution about s, x itself first.

    The conditions are quadratic: of order m they are J x_m plus products of lower coefficients.
    """
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


def _reach(series: list[Complex], tolerance: Value) -> Value:
    """Return the step over which the series may be used [Telen, Van Barel, Verschelde 2020].

    Ratios of the last coefficients estimate the distance R of the nearest singularity; over that
    distance x moves by about |x₁| R, and no other solution is much nearer than that.
    """
    n_1, n_6, n_7, n_8 = (
        ca.sqrt(squared_norm(series[k])) for k in (1, ORDER - 2, ORDER - 1, ORDER)
    )
    R = ca.fmin(n_7 / n_8, n_6 / n_7)
    last = ca.fmax(n_8, n_7 * n_7 / n_6)
    h = tolerance * ca.fmin(1, n_1 * R) / last
    for _ in range(int(log2(ORDER))):
        h = ca.sqrt(h)
    return h


def _sum(series: list[Complex], h: Value) -> Complex:
    total = series[-1]
    for coefficient in reversed(series[:-1]):
        total = coefficient + total.scaled(h)
    return total
