"""Complex scalars, vectors and matrices as pairs of real ones, for kernels that know reals only.

Parts may be sparse: a matrix of real coefficients has an empty imaginary part, and a product with
it costs half as much.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from gough.equations.spatial.algebra import Value


@dataclass(frozen=True, eq=False)
class Complex:
    """The real and the imaginary part, of one shape. `*` is entry by entry, as in NumPy."""

    re: Value
    im: Value

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Complex) -> Complex:
        return Complex(self.re - other.re, self.im - other.im)

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def __mul__(self, other: Complex) -> Complex:
        return Complex(
            self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re
        )

    def __matmul__(self, other: Complex) -> Complex:
        return Complex(
            self.re @ other.re - self.im @ other.im, self.re @ other.im + self.im @ other.re
        )

    def __getitem__(self, index: Any) -> Complex:
        return Complex(self.re[index], self.im[index])

    @property
    def T(self) -> Complex:
        """The transpose."""
        return Complex(self.re.T, self.im.T)

    @property
    def conjugate(self) -> Complex:
        """Return the complex conjugate."""
        return Complex(self.re, -self.im)

    @property
    def inverse(self) -> Complex:
        """One divided by it, entry by entry."""
        scale = 1 / self.squares
        return Complex(self.re * scale, -self.im * scale)

    @property
    def squares(self) -> Value:
        """The square of each entry's absolute value."""
        return self.re * self.re + self.im * self.im

    @property
    def squared_norm(self) -> Value:
        """The square of a vector's Euclidean length."""
        return ca.dot(self.re, self.re) + ca.dot(self.im, self.im)

    @property
    def normalised(self) -> Complex:
        """The vector of length one in the same direction."""
        return self.scaled(1 / ca.sqrt(self.squared_norm))

    def scaled(self, factor: Value | float) -> Complex:
        """Multiplied by a real number."""
        return Complex(factor * self.re, factor * self.im)

    def selected(self, test: Value, other: Complex) -> Complex:
        """This where the test holds, otherwise the other."""
        return Complex(ca.if_else(test, self.re, other.re), ca.if_else(test, self.im, other.im))


def from_pairs(pairs: Value) -> Complex:
    """A vector from its entries' parts, one row each."""
    return Complex(pairs[:, 0], pairs[:, 1])


def to_pairs(z: Complex) -> Value:
    """One row per entry of a vector: real part, imaginary part."""
    return ca.horzcat(z.re, z.im)


def real(values: Value) -> Complex:
    """Real values as complex ones, whose imaginary part is structurally zero."""
    return Complex(values, ca.SX(*values.shape))


def stacked(*parts: Complex) -> Complex:
    """One below the other."""
    return Complex(ca.vertcat(*(p.re for p in parts)), ca.vertcat(*(p.im for p in parts)))


def side_by_side(*parts: Complex) -> Complex:
    """One beside the other."""
    return Complex(ca.horzcat(*(p.re for p in parts)), ca.horzcat(*(p.im for p in parts)))


def zeros(rows: int) -> Complex:
    """A column of structural zeros."""
    return Complex(ca.SX(rows, 1), ca.SX(rows, 1))


def factorise(A: Complex) -> tuple[Complex, Value]:
    """The factors of a square matrix and which rows were exchanged, for `solve`.

    Above the diagonal of the first result is the upper triangle, on it the inverse pivots, and
    below it the multipliers, where they arose: later exchanges do not move them. An exchange is a
    selection of every entry by the same test, so each sample of a batch has its own order of rows.
    """
    n = A.re.shape[0]
    rows: list[list[Complex]] = [[A[i, j] for j in range(n)] for i in range(n)]
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
    return stacked(*(side_by_side(*row) for row in rows)), ca.vertcat(*exchanges)


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
