"""Small linear systems without branches: safe for any value of the symbols."""

from __future__ import annotations

from math import nan

import casadi as ca

from gough.equations.spatial.algebra import Value, reciprocal

ROUNDING = 1e-14
"""Share of a diagonal entry below which its remainder in triangular form may be rounding error."""


def solve(A: Value, b: Value) -> Value:
    """x of A x = b by Householder's reflections, which need no pivoting.

    Entries of A that are known to be zero cost nothing. `b` may have several columns. (CasADi's own
    symbolic solve loses digits near singular matrices: it is not backward stable.) NaN where a
    pivot is zero.
    """
    x, least, _ = solve_with_pivots(A, b)
    return ca.if_else(least > 0, x, ca.DM.nan(*x.shape))


def solve_with_pivots(A: Value, b: Value) -> tuple[Value, Value, Value]:
    """Return x of A x = b, and the minimum and maximum diagonal entry of A's triangular form.

    If the minimum is negligible beside the maximum, A is singular and x is not to be used. NaN in A
    is NaN in both.
    """
    n = A.shape[0]
    columns = [[c[i] for i in range(n)] for c in (*ca.horzsplit(A), *ca.horzsplit(b))]
    for k in range(n - 1):
        _reflect(columns[k:], k)
    sizes = [ca.fabs(columns[i][i]) for i in range(n)]
    inverse = [reciprocal(columns[i][i]) for i in range(n)]
    for x in columns[n:]:
        for i in reversed(range(n)):
            for j in reversed(range(i + 1, n)):
                x[i] -= columns[j][i] * x[j]
            x[i] *= inverse[i]
    least, greatest = _least(sizes), _greatest(sizes)
    known = sizes[-1] > -1  # NaN anywhere in A is NaN there; CasADi takes >= 0 for granted
    least, greatest = (ca.if_else(known, size, nan) for size in (least, greatest))
    return ca.horzcat(*(ca.vertcat(*x) for x in columns[n:])), least, greatest


def _least(values: list[Value]) -> Value:
    """The smallest, by halves: a chain would hold up the processor. Leaves out NaN."""
    half = len(values) // 2
    return ca.fmin(_least(values[:half]), _least(values[half:])) if half else values[0]


def _greatest(values: list[Value]) -> Value:
    half = len(values) // 2
    return ca.fmax(_greatest(values[:half]), _greatest(values[half:])) if half else values[0]


def _reflect(columns: list[list[Value]], k: int) -> None:
    """Clear the first column below row k by t v - column, the reflection's opposite."""
    pivot, *others = columns
    tail = [i for i in range(k + 1, len(pivot)) if not pivot[i].is_zero()]
    rho = ca.copysign(ca.sqrt(sum((pivot[i] ** 2 for i in tail), pivot[k] ** 2)), pivot[k])
    head = pivot[k] + rho  # no cancellation: the signs are equal
    scale = reciprocal(head)
    v = {i: pivot[i] * scale for i in tail}  # v_k = 1
    pivot[k] = rho
    ratio = head / rho
    for column in others:
        t = ratio * sum((v[i] * column[i] for i in tail), column[k])
        column[k] = t - column[k]
        for i in tail:
            column[i] = t * v[i] - column[i]


def solve_symmetric(A: Value, b: Value) -> Value:
    """x of A x = b for a symmetric positive definite A, by A = L D Lᵀ; reads A's lower half.

    NaN where A is singular to working precision, or not positive definite.
    """
    L, inverse = ldl(A)
    n = A.shape[0]
    y = [b[i, :] for i in range(n)]
    for i in range(n):
        for j in range(i):
            y[i] -= L[i][j] * y[j]
    x = [y[i] * inverse[i] for i in range(n)]
    for i in reversed(range(n)):
        for j in reversed(range(i + 1, n)):  # what was found last is needed last
            x[i] -= L[j][i] * x[j]
    return ca.vertcat(*x)


def ldl(A: Value) -> tuple[list[list[Value]], list[Value]]:
    """The unit lower triangle L, row by row, and the inverse of the diagonal D of A = L D Lᵀ."""
    n = A.shape[0]
    L: list[list[Value]] = [[] for _ in range(n)]
    inverse: list[Value] = []
    for i in range(n):
        scaled: list[Value] = []
        for j in range(i):
            c = A[i, j]
            for k in range(j):
                c -= scaled[k] * L[j][k]
            scaled.append(c)  # L_ij D_j
        L[i] = [c * inverse[j] for j, c in enumerate(scaled)]
        d = A[i, i]
        for c, l in zip(scaled, L[i], strict=True):
            d -= c * l
        inverse.append(reciprocal(ca.if_else(d > ROUNDING * A[i, i], d, nan)))
    return L, inverse
