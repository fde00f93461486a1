"""Gaussian elimination with row exchanges and no branches: solutions, pivots, determinant.

An exchange is a selection of each entry by the same test, so that every lane of a batch has its own
order of rows. Once a matrix is factorised, each further right-hand side is cheap.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import casadi as ca

from gough.equations.spatial.algebra import Value, reciprocal


@dataclass(frozen=True)
class _Elimination:
    """Operation on row `row` that cleared column `column`."""

    column: int
    row: int
    exchanged: Value
    """Whether this row and row `column` changed places first."""
    factor: Value
    """Multiple of row `column` that was subtracted."""


@dataclass(frozen=True)
class Factors:
    """A square matrix, factorised."""

    exchanges: tuple[tuple[_Elimination, ...], ...]
    upper: tuple[tuple[Value, ...], ...]
    """The triangle that is left: row k holds entries k, k + 1, ...; the first one is the pivot."""
    inverse_pivots: tuple[Value, ...]

    @property
    def pivots(self) -> tuple[Value, ...]:
        """One per column: one is zero if the matrix is singular, and small if it nearly is.

        To scale a column of the matrix scales its pivot, and nothing else.
        """
        return tuple(row[0] for row in self.upper)

    @property
    def determinant(self) -> Value:
        """Determinant of the matrix: the pivots' product, its sign changed by each exchange."""
        turns = [ca.if_else(e.exchanged, -1, 1) for column in self.exchanges for e in column]
        return reduce(lambda a, b: a * b, (*turns, *self.pivots))


def factorise(A: Value) -> Factors:
    """Factorise a square matrix; the maximum entry of each column becomes the pivot."""
    n = A.shape[0]
    rows = [[A[i, j] for j in range(n)] for i in range(n)]
    exchanges, upper, inverse_pivots = [], [], []
    for k in range(n):
        tests = []
        for i in range(k + 1, n):
            tests.append(ca.fabs(rows[i][0]) > ca.fabs(rows[k][0]))
            pairs = [_exchanged(tests[-1], a, b) for a, b in zip(rows[k], rows[i], strict=True)]
            rows[k], rows[i] = [a for a, _ in pairs], [b for _, b in pairs]
        inverse = reciprocal(rows[k][0])
        cleared = []
        for i, test in zip(range(k + 1, n), tests, strict=True):
            factor = rows[i][0] * inverse
            rows[i] = [b - factor * a for a, b in zip(rows[k][1:], rows[i][1:], strict=True)]
            cleared.append(_Elimination(k, i, test, factor))
        exchanges.append(tuple(cleared))
        upper.append(tuple(rows[k]))
        inverse_pivots.append(inverse)
    return Factors(tuple(exchanges), tuple(upper), tuple(inverse_pivots))


def solve(factors: Factors, b: Value) -> Value:
    """x of A x = b; not finite if A is singular."""
    n = len(factors.upper)
    x = [b[i] for i in range(n)]
    for column in factors.exchanges:
        for e in column:
            x[e.column], x[e.row] = _exchanged(e.exchanged, x[e.column], x[e.row])
        for e in column:
            x[e.row] -= e.factor * x[e.column]
    for i in reversed(range(n)):
        for j in reversed(range(i + 1, n)):  # what was found last is needed last
            x[i] -= factors.upper[i][j - i] * x[j]
        x[i] *= factors.inverse_pivots[i]
    return ca.vertcat(*x)


def solve_transposed(factors: Factors, b: Value) -> Value:
    """x of Aᵀ x = b from the factors of A: the steps of `solve` transposed, the last one first."""
    n = len(factors.upper)
    x = [b[i] for i in range(n)]
    for i in range(n):
        for j in range(i):
            x[i] -= factors.upper[j][i - j] * x[j]
        x[i] *= factors.inverse_pivots[i]
    for column in reversed(factors.exchanges):
        for e in reversed(column):
            x[e.column] -= e.factor * x[e.row]
        for e in reversed(column):
            x[e.column], x[e.row] = _exchanged(e.exchanged, x[e.column], x[e.row])
    return ca.vertcat(*x)


def _exchanged(test: Value, a: Value, b: Value) -> tuple[Value, Value]:
    return ca.if_else(test, b, a), ca.if_else(test, a, b)
