"""Small linear systems: what is no number in them is none in their pivots."""

import casadi as ca
import numpy as np
import pytest

from gough.equations.solvers.linear import solve_with_pivots

A, B = ca.SX.sym("A", 3, 3), ca.SX.sym("b", 3)
SOLVED = ca.Function("solved", [A, B], list(solve_with_pivots(A, B)))


@pytest.mark.parametrize("entry", list(np.ndindex(3, 3)))
def test_a_matrix_with_nan_anywhere_has_no_pivots(entry):
    matrix = np.diag([3.0, 2.0, 1.0]) + 0.1
    assert np.isfinite(np.array(SOLVED(matrix, np.ones(3))[1])).all()
    matrix[entry] = np.nan
    assert all(np.isnan(np.array(found)).all() for found in SOLVED(matrix, np.ones(3)))
