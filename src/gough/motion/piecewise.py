"""Piecewise polynomials of time, and the quintics through what is known at their corners."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.display.brief import Brief
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True, eq=False, repr=False)
class PiecewisePolynomial(Brief):
    """A polynomial between each two corners; those at the ends go on beyond them."""

    corners: Array  # (n + 1) increasing times [s]
    coefficients: Array  # (degree + 1, n, ...) of the time since a piece began, highest power first

    def __call__(self, t: Array) -> Array:
        """Times (...) -> values (..., as a coefficient is)."""
        piece = np.searchsorted(self.corners[1:-1], t, side="right")
        since = self._spread(t - self.corners[piece])
        return np.asarray(_horner((c[piece] for c in self.coefficients), since))

    def law(self, t: Value, at: float) -> Value:
        """Return the polynomial of the piece at a time, as an expression."""
        piece = int(np.searchsorted(self.corners[1:-1], at, side="right"))
        since = t - float(self.corners[piece])
        found: Value = _horner((ca.DM(c[piece]) for c in self.coefficients), since)
        return found

    @cached_property
    def derivative(self) -> PiecewisePolynomial:
        """Its rate of change."""
        powers = np.arange(len(self.coefficients) - 1, 0, -1.0)
        rates = self.coefficients[:-1] * self._spread(powers[:, None])
        return PiecewisePolynomial(self.corners, rates)

    def antiderivative(self) -> PiecewisePolynomial:
        """Return its integral, from zero at the first corner on."""
        powers = np.arange(len(self.coefficients), 0, -1.0)
        sums = self.coefficients / self._spread(powers[:, None])
        gained = _horner([*sums, 0.0], self._spread(np.diff(self.corners)))
        before = np.concatenate([np.zeros_like(gained[:1]), np.cumsum(gained[:-1], 0)])
        return PiecewisePolynomial(self.corners, np.concatenate([sums, before[None]]))

    def _spread(self, numbers: Array) -> Array:
        """Numbers that are the same for all that a coefficient holds."""
        return numbers.reshape((*numbers.shape, *[1] * (self.coefficients.ndim - 2)))


def quintics(times: Array, states: Array) -> PiecewisePolynomial:
    """The quintics with these values, rates and second rates (n, 3, ...) at times (n) [s]."""
    h = np.diff(times).reshape(-1, *[1] * (states.ndim - 2))
    (x, v, a), (x_1, v_1, a_1) = (np.moveaxis(ends, 1, 0) for ends in (states[:-1], states[1:]))
    d = (x_1 - x) / h - v - a * h / 2  # what is left for the higher powers, and its rates
    e, f = v_1 - v - a * h, (a_1 - a) * h
    c_5 = (12 * d - 6 * e + f) / (2 * h**4)
    c_4 = (-30 * d + 14 * e - 2 * f) / (2 * h**3)
    c_3 = (20 * d - 8 * e + f) / (2 * h**2)
    return PiecewisePolynomial(times, np.stack([c_5, c_4, c_3, a / 2, v, x]))


def smoothest(times: Array, values: Array) -> PiecewisePolynomial:
    """Return the quintic spline through values (n, d) at times (n) [s], at rest at both ends.

    Among all curves through them it has the minimum mean square of jerk; hence third and fourth
    derivatives are continuous, too, which gives two equations for speed and acceleration at each
    inner time. Their matrix is positive definite, and only neighbours are in one equation.
    """
    h, way = np.diff(times), np.diff(values, axis=0)
    own, next_ = _blocks(h)
    snap, jerk = 360.0 * way / h[:, None] ** 4, 60.0 * way / h[:, None] ** 3
    given = np.stack([snap[:-1] + snap[1:], jerk[1:] - jerk[:-1]], 1)
    states = np.zeros((len(times), 3, values.shape[1]))
    states[:, 0] = values
    if len(given):
        states[1:-1, 1:] = _solved(own, next_, given)
    return quintics(times, states)


def _blocks(h: Array) -> tuple[Array, Array]:
    """Blocks (n, 2, 2) of the matrix at the inner times, from the steps between all: own, next.

    Rows are of snap and jerk, columns of speed and acceleration.
    """
    h_1, h_2, h_3 = h, h**2, h**3
    before, after = slice(None, -1), slice(1, None)
    crossed = 36.0 / h_2[after] - 36.0 / h_2[before]
    own = [
        [192.0 / h_3[before] + 192.0 / h_3[after], crossed],
        [crossed, 9.0 / h_1[before] + 9.0 / h_1[after]],
    ]
    next_ = [[168.0 / h_3, -24.0 / h_2], [24.0 / h_2, -3.0 / h_1]]
    return np.array(own).transpose(2, 0, 1), np.array(next_).transpose(2, 0, 1)[1:-1]


def _solved(own: Array, next_: Array, given: Array) -> Array:
    """The solution (n, 2, d) of a symmetric system, block by block."""
    own, given = own.copy(), given.copy()
    for k, coupling in enumerate(next_):
        share = np.linalg.solve(own[k], coupling).T
        own[k + 1] -= share @ coupling
        given[k + 1] -= share @ given[k]
    found = np.empty_like(given)
    found[-1] = np.linalg.solve(own[-1], given[-1])
    for k in range(len(next_) - 1, -1, -1):
        found[k] = np.linalg.solve(own[k], given[k] - next_[k] @ found[k + 1])
    return found


def _horner(coefficients: Iterable[Any], x: Any) -> Any:
    value: Any = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value
