"""Gaussian elimination of complex matrices, with row exchanges and without branches."""

from __future__ import annotations

import casadi as ca

from gough.equations.solvers.complex_number import Complex, stacked
from gough.equations.spatial.algebra import Value

Rows = list[list[Complex]]


def factorise(A: Complex) -> tuple[Complex, Value]:
    """The factors of a square matrix and which rows were exchanged, for `solve`.

    Above the diagonal of the first result is the upper triangle, on it the inverse pivots, and
    below it the multipliers, where they arose: later exchanges do not move them. An exchange is a
    selection of every entry by the same test, so each sample of a batch has its own order of rows.
    """
    n = A.re.shape[0]
    rows: Rows = [[A[i, j] for j in range(n)] for i in range(n)]
    exchanges = []
    for k in range(n):
        for i in range(k + 1, n):
            larger = rows[i][k].squares > rows[k][k].squares
            exchanges.append(larger)
            for j in range(k, n):
                rows[k][j], rows[i][j] = _exchanged(larger, rows[k][j], rows[i][j])
        rows[k][k] = rows[k][k].inverse
        for i in range(k + 1, n):
            rows[i][k] = rows[i][k] * rows[k][k]
            for j in range(k + 1, n):
                rows[i][j] = rows[i][j] - rows[i][k] * rows[k][j]
    return _matrix(rows), ca.vertcat(*exchanges)


def solve(factors: Complex, exchanges: Value, b: Complex) -> Complex:
    """x of A x = b, from the factors of A; not finite if A is singular."""
    n = factors.re.shape[0]
    x = [b[i] for i in range(n)]
    tests = iter(ca.vertsplit(exchanges))
    for k in range(n):
        for i in range(k + 1, n):
            x[k], x[i] = _exchanged(next(tests), x[k], x[i])
        for i in range(k + 1, n):
            x[i] = x[i] - factors[i, k] * x[k]
    for k in reversed(range(n)):
        for j in range(k + 1, n):
            x[k] = x[k] - factors[k, j] * x[j]
        x[k] = x[k] * factors[k, k]
    return stacked(*x)


def _exchanged(test: Value, a: Complex, b: Complex) -> tuple[Complex, Complex]:
    return b.selected(test, a), a.selected(test, b)


def _matrix(rows: Rows) -> Complex:
    return Complex(
        ca.vertcat(*(ca.horzcat(*(z.re for z in row)) for row in rows)),
        ca.vertcat(*(ca.horzcat(*(z.im for z in row)) for row in rows)),
    )
