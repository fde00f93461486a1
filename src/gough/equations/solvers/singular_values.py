"""Singular values of a small matrix by one-sided Jacobi rotations [Hestenes 1958].

Columns are turned in pairs until all are at right angles; their lengths are the singular values
then. Small singular values come out with the same relative precision as large ones, which matters
near a singularity. A sweep turns every pair once and has no branches; sweeps are repeated by the
caller until `sweep` says that none is left to do, usually three to six times.
"""

import casadi as ca
from casadi import dot

from gough.equations.solvers.linear import exchanged
from gough.equations.spatial.algebra import Value

ORTHOGONAL = 4e-15  # maximum cosine between two columns that counts as a right angle
SETTLED = {"values": 1e-4, "vectors": 1e-8}
"""Maximum cosine, over the relative gap between two columns' squares, of a last sweep.

Rotations are as small as that then, and a sweep leaves about the squares of such cosines: that is
the error of the vectors, and its square that of the lengths.
"""
SWEEPS = 20  # more sweeps than any matrix of finite numbers needs


def sweep(W: Value, rows: int) -> tuple[Value, Value]:
    """The matrix after turning every pair of columns once, and whether that was the last time.

    Further rows are carried along: start them as an identity and they become the right singular
    vectors, in the columns.
    """
    n = W.shape[1]
    columns = ca.horzsplit(W)
    scales = [ca.SX(1)] * n  # a column stands for itself times the root of its scale
    squares = [dot(a[:rows], a[:rows]) for a in columns]  # scaled, and kept up to date
    settled = SETTLED["vectors" if W.shape[0] > rows else "values"]
    done = ca.DM(1)
    for i, j in _pairs(n):
        a, b, A, B = columns[i], columns[j], scales[i], scales[j]
        alpha, beta, gamma = squares[i], squares[j], dot(a[:rows], b[:rows])
        product = A * B * gamma**2  # its square, scaled
        orthogonal = ORTHOGONAL**2 * alpha * beta - product >= 0  # false if both are infinite
        small = product * (alpha + beta) ** 2 <= settled**2 * (beta - alpha) ** 2 * alpha * beta
        done = ca.logic_and(done, ca.logic_or(orthogonal, small))
        gap = beta - alpha  # tangent of the smaller turn, over the root of scales [Gentleman 1973]
        turn = ca.if_else(gap < 0, -2, 2) * gamma / (ca.fabs(gap) + ca.sqrt(gap**2 + 4 * product))
        t = ca.if_else(orthogonal, 0, turn)
        columns[i], columns[j] = a - B * t * b, b + A * t * a
        squares[i], squares[j] = alpha - A * B * t * gamma, beta + A * B * t * gamma
        cosine = 1 / (1 + A * B * t**2)  # its square
        scales[i], scales[j] = A * cosine, B * cosine
    return ca.horzcat(*[ca.sqrt(A) * a for A, a in zip(scales, columns, strict=True)]), done


def sorted_columns(W: Value, rows: int) -> tuple[Value, Value]:
    """Return the columns' lengths in descending order, and all columns' carried rows likewise."""
    n = W.shape[1]
    lengths = [ca.sqrt(dot(W[:rows, k], W[:rows, k])) for k in range(n)]
    carried = [W[rows:, k] for k in range(n)]
    for end in reversed(range(n)):
        for k in range(end):
            swap = lengths[k] < lengths[k + 1]
            lengths[k], lengths[k + 1] = exchanged(swap, lengths[k], lengths[k + 1])
            carried[k], carried[k + 1] = exchanged(swap, carried[k], carried[k + 1])
    return ca.vertcat(*lengths), ca.horzcat(*carried)


def _pairs(n: int) -> list[tuple[int, int]]:
    """All pairs of columns, in rounds of a tournament: those of a round turn side by side."""
    pairs = []
    last = n + n % 2 - 1
    circle = list(range(1, last + 1))
    for _ in range(last):
        seats = [0, *circle]
        met = ((seats[k], seats[last - k]) for k in range((last + 1) // 2))
        pairs += [pair for pair in met if max(pair) < n]
        circle = circle[-1:] + circle[:-1]
    return pairs
