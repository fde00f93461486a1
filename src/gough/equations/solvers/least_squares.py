"""Systems with at least as many equations as unknowns: solved exactly, or in the mean.

What has too many motors has too many equations of its motion, and too few of its forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import casadi as ca

from gough.equations.solvers import elimination
from gough.equations.solvers.elimination import Factors
from gough.equations.solvers.linear import solve_symmetric, solve_with_pivots
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Fit:
    """A matrix A (m x n), m ≥ n, and the factors of A or, where it is not square, of AᵀA."""

    A: Value
    factors: Factors

    @classmethod
    def of(cls, A: Value) -> Self:
        """Factorise a matrix."""
        return cls(A, elimination.factorise(A if _square(A) else A.T @ A))

    def solve(self, b: Value) -> Value:
        """Return x (n) of A x = b with the minimum sum of squared errors."""
        return elimination.solve(self.factors, b if _square(self.A) else self.A.T @ b)

    def solve_transposed(self, b: Value, beside: Value) -> Value:
        """Return the y (m) of minimum norm with Aᵀ (y - beside) = b."""
        if _square(self.A):
            return beside + elimination.solve_transposed(self.factors, b)
        return self.A @ elimination.solve(self.factors, b + self.A.T @ beside)


def _square(A: Value) -> bool:
    return bool(A.shape[0] == A.shape[1])


@dataclass(frozen=True)
class DampedFit:
    """A matrix A (m x n), m ≥ n, in units in which its columns can be compared.

    Far from the loss of a rank it solves as `Fit` does. Near it the weakest direction is damped
    away, ever more: what cannot be known or done is left as it was. The switch is smooth.
    """

    B: Value
    """A, each column times its unit."""
    unit: Value
    damping: Value
    """λ² of BᵀB + λ² 1: zero unless the minimum pivot of B is a small share of the maximum."""
    before: Value
    """y (m) as it was: what the weakest direction keeps."""

    @classmethod
    def of(cls, A: Value, unit: Value, near: Value, before: Value) -> Self:
        """Factorise A; the minimum pivot is damped below the share `near` of the maximum one."""
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
