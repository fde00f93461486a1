"""Systems with at least as many equations as unknowns: solved exactly, or in the mean.

What has too many motors has too many equations of its motion, and too few of its forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from gough.equations.solvers import elimination
from gough.equations.solvers.elimination import Factors
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
        """x (n) of A x = b, for which the sum of the errors' squares is least."""
        return elimination.solve(self.factors, b if _square(self.A) else self.A.T @ b)

    def solve_transposed(self, b: Value, beside: Value) -> Value:
        """The least y (m) of Aᵀ (y - beside) = b: of all that is right the shortest."""
        if _square(self.A):
            return beside + elimination.solve_transposed(self.factors, b)
        return self.A @ elimination.solve(self.factors, b + self.A.T @ beside)


def _square(A: Value) -> bool:
    return bool(A.shape[0] == A.shape[1])
