"""Small linear systems: what is no number has no pivots; bounds over boxes are narrow and hold."""

import casadi as ca
import numpy as np
import pytest

from gough.compiler import Argument, Function, Kernel
from gough.equations.solvers.linear import for_boxes, solve, solve_with_pivots

A, B = ca.SX.sym("A", 3, 3), ca.SX.sym("b", 3)
SOLVED = ca.Function("solved", [A, B], list(solve_with_pivots(A, B)))


@pytest.mark.parametrize("entry", list(np.ndindex(3, 3)))
def test_a_matrix_with_nan_anywhere_has_no_pivots(entry):
    matrix = np.diag([3.0, 2.0, 1.0]) + 0.1
    assert np.isfinite(np.array(SOLVED(matrix, np.ones(3))[1])).all()
    matrix[entry] = np.nan
    assert all(np.isnan(np.array(found)).all() for found in SOLVED(matrix, np.ones(3)))


def test_solutions_over_a_box_have_narrow_bounds_that_hold_values_and_derivatives():
    """x of (M + t N) x = b, whose derivative by t is -(M + t N)^-1 N x."""
    rng, n, b = np.random.default_rng(0), 6, np.arange(1.0, 7.0)
    M, N = rng.normal(size=(2, n, n))
    M, N = M @ np.diag([1.0, 1.0, 1.0, 1.0, 1.0, 0.05]), rng.normal() * N
    singular = np.linalg.eigvals(np.linalg.solve(N, M))
    t_singular = -min(singular[np.abs(singular.imag) < 1e-12].real, key=abs)

    @for_boxes()
    def equation(t):
        x = solve(M + t * N, ca.DM(b))
        return ca.vertcat(x, ca.jtimes(x, t, ca.DM(1)))

    found = Function.from_equation("f", equation, [Argument("t")], [Argument("y", (2 * n,))])
    kernel, t, half = Kernel(found, boxes=["t"]), 0.3 * t_singular, 2e-3 * abs(t_singular)
    (low, high), (least, most) = (x.T for x in kernel([t - half, t + half], 1.0))
    matrices = M + np.linspace(t - half, t + half, 101)[:, None, None] * N
    x = np.linalg.solve(matrices, b)
    rate = -np.linalg.solve(matrices, (N @ x[..., None])[..., 0][..., None])[..., 0]
    second = -2 * np.linalg.solve(matrices, (N @ rate[..., None]))[..., 0]
    values = np.concatenate([x, rate], axis=1)
    assert ((low < values) & (values < high)).all()
    assert ((least[:n] < rate) & (rate < most[:n])).all()
    assert ((least[n:] < second) & (second < most[n:])).all()
    assert (high - low < 30 * np.ptp(values, axis=0)).all()
    middle = kernel([t, t])[0]
    assert (np.ptp(middle, axis=1) < 1e-9 * np.abs(middle).max()).all()
    assert not np.isfinite(kernel([0.9 * t_singular, 1.1 * t_singular])[0]).any()
