"""Singular values of a small square matrix by one-sided Jacobi rotations [Hestenes 1958].

Columns are turned in pairs until all are at right angles; their lengths are the singular values
then. Small singular values come out with the same relative precision as large ones, which matters
near a singularity. A sweep turns every pair once and has no branches; sweeps are repeated by the
caller until `sweep` says that the columns are orthogonal, usually five to seven times.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.algebra import Value, dot

ORTHOGONAL = 4e-15
"""The largest cosine between two columns that counts as a right angle."""
SWEEPS = 20
"""More sweeps than any matrix of finite numbers needs."""


def sweep(W: Value) -> tuple[Value, Value]:
    """The matrix after turning every pair of columns once, and whether there was no need to.

    Rows beyond the number of columns are carried along: start them as an identity and they become
    the right singular vectors, in the columns.
    """
    n = W.shape[1]
    columns = ca.horzsplit(W)
    squares = [dot(a[:n], a[:n]) for a in columns]  # kept up to date within the sweep
    done = 1
    for i, j in _pairs(n):
        a, b = columns[i], columns[j]
        alpha, beta, gamma = squares[i], squares[j], dot(a[:n], b[:n])
        done = ca.logic_and(done, gamma * gamma <= ORTHOGONAL**2 * alpha * beta)
        c, s, t = _rotation(alpha, beta, gamma)
        columns[i], columns[j] = c * a - s * b, s * a + c * b
        squares[i], squares[j] = alpha - t * gamma, beta + t * gamma
    return ca.horzcat(*columns), done


def sorted_columns(W: Value) -> tuple[Value, Value]:
    """The lengths of the columns, largest first, and all columns' carried rows in that order."""
    n = W.shape[1]
    lengths = [ca.sqrt(dot(W[:n, k], W[:n, k])) for k in range(n)]
    carried = [W[n:, k] for k in range(n)]
    for end in reversed(range(n)):
        for k in range(end):
            swap = lengths[k] < lengths[k + 1]
            lengths[k], lengths[k + 1] = _ordered(swap, lengths[k], lengths[k + 1])
            carried[k], carried[k + 1] = _ordered(swap, carried[k], carried[k + 1])
    return ca.vertcat(*lengths), ca.horzcat(*carried)


def _pairs(n: int) -> list[tuple[int, int]]:
    """All pairs of an even number of columns, in the rounds of a tournament.

    The n/2 pairs of a round have nothing in common, so a processor can turn them side by side.
    """
    pairs = []
    circle = list(range(1, n))
    for _ in range(n - 1):
        seats = [0, *circle]
        pairs += [(seats[k], seats[n - 1 - k]) for k in range(n // 2)]
        circle = circle[-1:] + circle[:-1]
    return pairs


def _rotation(alpha: Value, beta: Value, gamma: Value) -> tuple[Value, Value, Value]:
    """Cosine, sine and tangent of the smaller rotation that makes two columns orthogonal.

    alpha, beta are their squared lengths, gamma is their scalar product.
    """
    d = beta - alpha
    reach = ca.fabs(d) + ca.sqrt(d * d + 4 * gamma * gamma)
    t = ca.if_else(d < 0, -2, 2) * gamma / ca.if_else(reach > 0, reach, 1)
    c = 1 / ca.sqrt(1 + t * t)
    return c, c * t, t


def _ordered(swap: Value, a: Value, b: Value) -> tuple[Value, Value]:
    return ca.if_else(swap, b, a), ca.if_else(swap, a, b)
