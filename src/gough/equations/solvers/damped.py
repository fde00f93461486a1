"""Systems near the loss of a rank, solved but for their weakest direction.

Far from there they are those of `least_squares`. Near it the weakest direction is damped away, ever
more: what cannot be known or done is left as it was. The switch is smooth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import casadi as ca

from gough.equations.solvers.linear import solve_symmetric, solve_with_pivots
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class DampedFit:
    """A matrix A (m x n), m ≥ n, in units in which its columns can be compared."""

    B: Value
    """A, each column times its unit."""
    unit: Value
    damping: Value
    """λ² of BᵀB + λ² 1: zero unless the least pivot of B is nearly none of the largest."""
    before: Value
    """y (m) as it was: what the weakest direction keeps."""

    @classmethod
    def of(cls, A: Value, unit: Value, near: Value, before: Value) -> Self:
        """`near` is the share of the largest pivot below which the least is damped."""
        B = A * ca.repmat(unit.T, A.shape[0], 1)
        square = B if B.shape[0] == B.shape[1] else B.T @ B
        _, least, greatest = solve_with_pivots(square, ca.DM.zeros(B.shape[1]))
        if square is not B:
            least, greatest = ca.sqrt(least), ca.sqrt(greatest)
        missing = ca.fmax(0, 1 - (least / (near * greatest)) ** 2)
        return cls(B, unit, (near * greatest) ** 2 * missing, before)

    def solve(self, b: Value) -> Value:
        """x (n) of A x = b, without what the weakest direction would take of it."""
        return self.unit * self._solve(self.B.T @ b)

    def solve_transposed(self, b: Value, beside: Value) -> Value:
        """y (m) of Aᵀ (y - beside) = b, as it was in the weakest direction."""
        return self.before + self.B @ self._solve(self.unit * b + self.B.T @ (beside - self.before))

    def _solve(self, b: Value) -> Value:
        K = self.B.T @ self.B + self.damping * ca.DM.eye(self.B.shape[1])
        return solve_symmetric(K, b)
