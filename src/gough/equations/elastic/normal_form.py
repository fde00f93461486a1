"""Small vibrations as one symmetric matrix, whose eigenvalues are the squares of frequencies.

With M = L D Lᵀ, of which L has ones on its diagonal, M z̈ + K z = 0 becomes ÿ + A y = 0 by
y = D½ Lᵀ z and A = D⁻½ L⁻¹ K L⁻ᵀ D⁻½. A shift makes all of its eigenvalues positive, so that they
are singular values as well: also those of an unstable machine, and of fixed coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, pi

import casadi as ca

from gough.equations.solvers.linear import ldl
from gough.equations.spatial.algebra import Value

BEYOND = 3
"""Where held coordinates are put, in shifts: all others are below two."""


@dataclass(frozen=True)
class Shifted:
    """A + σ 1, whose eigenvalues are from 0 to 2 σ; 3 σ for each coordinate that is held."""

    matrix: Value
    shift: Value
    """σ [rad²/s²]."""

    def frequencies(self, eigenvalues: Value) -> Value:
        """Frequencies [Hz], lowest first, of eigenvalues of the matrix in descending order."""
        squares = eigenvalues[::-1] - self.shift
        held = squares > (BEYOND - 1.5) * self.shift
        found = ca.sign(squares) * ca.sqrt(ca.fabs(squares)) / (2 * pi)
        return ca.if_else(held, inf, found)


def shifted(M: Value, K: Value, platform: int) -> Shifted:
    """A of M and K, shifted; a coordinate whose stiffness is infinite is held.

    The first coordinates are the platform's, and never held.
    """
    n = M.shape[0]
    held = [i >= platform and K[i, i] == inf for i in range(n)]
    rows = [[_without(held, i, j, K[i, j]) for j in range(n)] for i in range(n)]
    A = _congruent(M, rows)
    shift = 1 + ca.sqrt(sum(x**2 for row in A for x in row))
    for i in range(n):
        A[i][i] += ca.if_else(held[i], BEYOND * shift, shift)
    return Shifted(ca.vertcat(*(ca.horzcat(*row) for row in A)), shift)


def _without(held: Sequence[Value | bool], i: int, j: int, entry: Value) -> Value:
    """An entry of K; zero for what is held."""
    out = [held[k] for k in {i, j} if held[k] is not False]
    for one in out:
        entry = ca.if_else(one, 0, entry)
    return entry


def _congruent(M: Value, K: list[list[Value]]) -> list[list[Value]]:
    """D⁻½ L⁻¹ K L⁻ᵀ D⁻½, row by row: L⁻¹ from the left, then from the right."""
    L, inverse = ldl(M)
    n = len(K)
    left = _solved(L, K)
    both = _solved(L, [[left[j][i] for j in range(n)] for i in range(n)])
    scale = [ca.sqrt(x) for x in inverse]
    return [[scale[i] * scale[j] * both[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]


def _solved(L: list[list[Value]], rows: list[list[Value]]) -> list[list[Value]]:
    """L⁻¹ times a matrix."""
    found: list[list[Value]] = []
    for i, row in enumerate(rows):
        new = list(row)
        for j, factor in enumerate(L[i]):
            if not factor.is_zero():
                new = [x - factor * y for x, y in zip(new, found[j], strict=True)]
        found.append(new)
    return found
