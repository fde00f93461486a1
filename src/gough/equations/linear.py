"""Small linear systems without branches: safe for any value of the symbols."""

from __future__ import annotations

import casadi as ca

from gough.equations.algebra import Value


def solve(A: Value, b: Value) -> Value:
    """x of A x = b by orthogonal triangularisation, which needs no pivoting."""
    return ca.solve(A, b)


def solve_symmetric(A: Value, b: Value) -> Value:
    """x of A x = b for a symmetric positive definite A, by A = L D Lᵀ; reads A's lower half."""
    L, D = ldl(A)
    n = A.shape[0]
    y = [b[i, :] for i in range(n)]
    for i in range(n):
        for j in range(i):
            y[i] -= L[i][j] * y[j]
    x = [y[i] / D[i] for i in range(n)]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] -= L[j][i] * x[j]
    return ca.vertcat(*x)


def ldl(A: Value) -> tuple[list[list[Value]], list[Value]]:
    """The unit lower triangle L, row by row, and the diagonal D of A = L D Lᵀ."""
    n = A.shape[0]
    L: list[list[Value]] = [[] for _ in range(n)]
    D: list[Value] = []
    for i in range(n):
        scaled: list[Value] = []
        for j in range(i):
            c = A[i, j]
            for k in range(j):
                c -= scaled[k] * L[j][k]
            scaled.append(c)  # L_ij D_j
        L[i] = [c / D[j] for j, c in enumerate(scaled)]
        d = A[i, i]
        for c, l in zip(scaled, L[i], strict=True):
            d -= c * l
        D.append(d)
    return L, D
