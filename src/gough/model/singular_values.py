"""Singular values of a symbolic matrix: Jacobi's sweeps as a loop of the compiler."""

import casadi as ca
from casadi import dot

from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.equations.solvers.linear import ROUNDING, solve_with_pivots
from gough.equations.solvers.singular_values import SWEEPS, sorted_columns, sweep
from gough.equations.spatial.algebra import Value


def singular_values(
    J: Value, *, vectors: bool = False, constant: bool = False
) -> tuple[Value, Value]:
    """Return the singular values of an SX matrix in descending order, and right vectors as columns.

    It has at least as many rows as columns. NaN where the iteration does not end, which only
    happens to what is not a number. As `constant` they have no derivatives.
    """
    rows, n = J.shape
    turned, done = _swept(ca.vertcat(J, ca.DM.eye(n)) if vectors else J, rows, constant)
    values, right = sorted_columns(turned, rows)
    return ca.if_else(done, values, ca.DM.nan(n)), right


def lowest_eigenvector(A: Value) -> Value:
    """Return the unit eigenvector (n) of the minimum eigenvalue of a symmetric positive SX matrix.

    It has no derivatives. Jacobi's sweeps turn the columns into eigenvectors times eigenvalues.
    """
    turned, done = _swept(A, A.shape[0], constant=True)
    lowest, *others = ca.horzsplit(turned)
    for column in others:
        lowest = ca.if_else(dot(column, column) < dot(lowest, lowest), column, lowest)
    return ca.if_else(done, lowest / ca.sqrt(dot(lowest, lowest)), ca.DM.nan(A.shape[0]))


def _swept(start: Value, rows: int, constant: bool) -> tuple[Value, Value]:
    """Return the columns at right angles to one another, and whether they are."""
    W = Argument("W", start.shape)
    name = f"sweep_{start.shape[0]}_{start.shape[1]}"
    step = Function.from_equation(name, lambda W: sweep(W, rows), [W], [W, Argument("done")])
    turned, _, done = iterate(step, SWEEPS, constant=constant)(start)
    return turned, done


def weakest_direction(J: Value) -> Value:
    """The right vector (n) of the smallest singular value, with derivatives.

    The loop gives numbers without derivatives; a step of Newton's method for JᵀJ x = λ x, xᵀx = 1,
    changes none of them and has the derivatives. It has none where the smallest value is double.
    """
    x = singular_values(J, vectors=True, constant=True)[1][:, -1]
    n, K = x.shape[0], J.T @ J
    rest = K - dot(x, K @ x) * ca.DM.eye(n)
    bordered = ca.blockcat([[rest, -x], [x.T, 0]])
    step, least, greatest = solve_with_pivots(bordered, ca.vertcat(-rest @ x, 0))
    return x + ca.if_else(least > ROUNDING * greatest, step[:n, :], ca.DM.zeros(n))
