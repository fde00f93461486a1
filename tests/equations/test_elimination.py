"""Gaussian elimination without branches, against NumPy."""

import casadi as ca
import numpy as np
import pytest

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.solvers.linear import factorise

A, B = Argument("A", (6, 6)), Argument("b", (6,))


def everything(matrix, b):
    factors = factorise(matrix)
    smallest = ca.mmin(ca.fabs(ca.vertcat(*factors.pivots)))
    return factors.solve(b), factors.solve_transposed(b), factors.determinant, smallest


@pytest.fixture(scope="module")
def kernel():
    outputs = [
        Argument("x", (6,)),
        Argument("x_of_transposed", (6,)),
        Argument("determinant"),
        Argument("smallest_pivot"),
    ]
    return Kernel(Function.from_equation("elimination", everything, [A, B], outputs))


def test_it_solves_random_systems_and_knows_their_determinants(kernel):
    rng = np.random.default_rng(0)
    matrices, b = rng.normal(size=(1000, 6, 6)), rng.normal(size=(1000, 6))
    x, x_of_transposed, determinant, _ = kernel(matrices, b)
    exact = np.linalg.det(matrices)
    np.testing.assert_allclose(determinant, exact, rtol=1e-10, atol=1e-12)
    for A, y in ((matrices, x), (matrices.mT, x_of_transposed)):
        residual = np.abs((A @ y[..., None])[..., 0] - b).max(-1)
        assert (residual <= 1e-13 * (1 + np.abs(y).max(-1))).all()


def test_zeros_on_the_diagonal_are_exchanged_away(kernel):
    rng = np.random.default_rng(1)
    for _ in range(50):
        permutation = np.eye(6)[rng.permutation(6)] * rng.choice([-2.0, 0.5], 6)
        x, x_of_transposed, determinant, _ = kernel(permutation, np.arange(6.0))
        np.testing.assert_allclose(permutation @ x, np.arange(6.0), atol=1e-15)
        np.testing.assert_allclose(permutation.T @ x_of_transposed, np.arange(6.0), atol=1e-15)
        np.testing.assert_allclose(determinant, np.linalg.det(permutation), rtol=1e-14)


def test_small_pivots_do_not_spoil_the_solution(kernel):
    matrix = np.random.default_rng(2).normal(size=(6, 6))
    matrix[0] *= 1e-14
    matrix[0, 0] = 1e-30
    b = np.ones(6)
    np.testing.assert_allclose(kernel(matrix, b).x, np.linalg.solve(matrix, b), rtol=1e-10)


def test_a_singular_matrix_has_a_zero_pivot_and_no_solution(kernel):
    matrix = np.random.default_rng(3).integers(-3, 4, (6, 6)).astype(float)
    matrix[4] = matrix[1]
    x, _, determinant, pivot = kernel(matrix, np.arange(6.0))
    assert pivot <= 1e-15
    assert abs(determinant) <= 1e-12
    assert not np.isfinite(x).all() or np.abs(x).max() > 1e10


def test_scaling_a_column_scales_its_pivot_only():
    matrix = ca.DM(np.random.default_rng(4).normal(size=(6, 6)))
    before = factorise(matrix).pivots
    after = factorise(matrix @ ca.diag([1, 1, 1, 1, 7, 1])).pivots
    ratios = [float(b / a) for a, b in zip(before, after, strict=True)]
    np.testing.assert_allclose(ratios, [1, 1, 1, 1, 7, 1], rtol=1e-13)
