"""Weighted least squares, with the covariance that filtered noise has; robust where asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError

LEAST = 1e-13
"""Of the squares of singular values, beside the largest: what is less is rounding error."""
HUBER, TUKEY = 1.345, 4.685
"""Where weights begin to fall, and where they are zero, in standard deviations: of noise without
outliers, the estimate is then worth 95 % of what least squares are [Huber & Ronchetti 2009]."""
CONVEX, FALLING = 4, 12
"""Rounds with Huber's weights, which need no good start, and Tukey's, which forget outliers."""
OF_MEDIAN = 1.4826
"""The standard deviation of noise, over the median of its size."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """What explains forces best."""

    values: Array
    root: Array
    """R, of the covariance R Rᵀ: what is surely told does not drown in it beside what barely is."""
    residuals: Array
    """(T, n) forces that are not explained [N]."""
    noise: Array
    """(n) standard deviation of each actuator's [N]."""
    condition: float
    """Of the weighted columns, each of length one."""
    weights: Array
    """(T, n) by which samples count, 0 to 1."""

    @property
    def covariance(self) -> Array:
        """Of the values."""
        return np.asarray(self.root @ self.root.T)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Columns (n, T, k) and forces (n, T) of each actuator, and how the noise hangs together."""

    columns: Array
    forces: Array
    correlated: Array
    least: Array

    def solved(self, noise: Array, weights: Array) -> tuple[Array, Array, float]:
        """The numbers, B of the inverse B Bᵀ of their normal matrix, and the condition number."""
        each = zip(self.columns, self.forces, weights / noise[:, None] ** 2, strict=True)
        pairs = [(W.T @ (w[:, None] * W), W.T @ (w * f)) for W, f, w in each]
        B, condition = _half_inverse(sum(normal for normal, _ in pairs))
        return B @ (B.T @ sum(seen for _, seen in pairs)), B, condition

    def left(self, x: Array) -> Array:
        """Forces that numbers do not explain."""
        return np.asarray(self.forces - self.columns @ x)

    def freedom(self, B: Array, noise: Array) -> Array:
        """(n) samples, less what the numbers take of them."""
        taken = noise**-2.0 * np.einsum("jk,nkj->n", B @ B.T, self.correlated)
        return np.asarray(np.maximum(self.forces.shape[1] - taken, 1.0))

    def root(self, B: Array, counts: Array) -> Array:
        """R with R Rᵀ = B Bᵀ S B Bᵀ, the covariance: S sums the noise as actuators count (n)."""
        S = np.tensordot(counts, self.correlated, 1)
        sizes, axes = np.linalg.eigh(B.T @ S @ B)
        return np.asarray(B @ (axes * np.sqrt(np.maximum(sizes, 0.0))))


def estimated(
    columns: Array,
    forces: Array,
    correlation: Array,
    *,
    least: Array | float = 0.0,
    robust: bool = False,
) -> Estimate:
    """The numbers x with forces (T, n) = columns (T, n, k) x.

    Each actuator counts by its own noise, which is found on the way, and is `least` (n) or more.
    `correlation` is that of the noise of samples 0, 1, … apart: least squares would have the same x
    without it, but believe it more than it deserves. A `robust` estimate counts samples less that
    are far from all others' explanation, down to not at all.
    """
    each = np.ascontiguousarray(np.moveaxis(columns, 1, 0))
    correlated = np.array([_correlated(W, correlation) for W in each])
    rows = _Rows(
        each, np.ascontiguousarray(forces.T), correlated, np.broadcast_to(least, len(each))
    )
    found = _robust(rows) if robust else _least_squares(rows)
    x, root, noise, condition, weights = found
    return Estimate(x, root, rows.left(x).T, noise, condition, weights.T)


_Found = tuple[Array, Array, Array, float, Array]
"""Numbers, root of their covariance, noise, condition number and weights."""


def _least_squares(rows: _Rows) -> _Found:
    noise, alike = np.ones(len(rows.forces)), np.ones_like(rows.forces)
    for _ in range(2):
        before = noise
        x, B, condition = rows.solved(before, alike)
        squares = (rows.left(x) ** 2).sum(-1)
        noise = np.maximum(np.sqrt(squares / rows.freedom(B, before)), rows.least)
    return x, rows.root(B, (noise / before**2) ** 2), noise, condition, alike


def _robust(rows: _Rows) -> _Found:
    """By weights that follow the residuals, beside noise that their median says.

    The covariance is that of such estimates: noise ψ of the residuals u, over the mean slope of ψ.
    """
    noise, weights = np.ones(len(rows.forces)), np.ones_like(rows.forces)
    for k in range(CONVEX + FALLING):
        x, B, _ = rows.solved(noise, weights)
        left, count = rows.left(x), rows.forces.shape[1]
        median = OF_MEDIAN * np.median(np.abs(left), axis=-1)
        noise = np.maximum(
            median * np.sqrt(count / rows.freedom(B, noise)), np.maximum(rows.least, 1e-300)
        )
        u = left / noise[:, None]
        weights = _huber(u) if k < CONVEX else _tukey(u)
    x, _, _ = rows.solved(noise, weights)
    _, B, condition = rows.solved(noise, np.ones_like(weights))
    inside = np.sqrt(weights)  # 1 - (u / c)²
    slope = np.where(inside > 0.0, inside * (5.0 * inside - 4.0), 0.0).mean(-1)
    psi = noise * np.sqrt(np.mean((weights * u) ** 2, axis=-1)) / slope
    return x, rows.root(B, (psi / noise**2) ** 2), noise, condition, weights


def _huber(u: Array) -> Array:
    return np.asarray(HUBER / np.maximum(np.abs(u), HUBER))


def _tukey(u: Array) -> Array:
    return np.asarray(np.maximum(1.0 - (u / TUKEY) ** 2, 0.0) ** 2)


def _half_inverse(normal: Array) -> tuple[Array, float]:
    """B with B Bᵀ = (WᵀW)⁻¹, and the condition number of W with columns of length one."""
    lengths = np.sqrt(np.diag(normal))
    if not lengths.all():
        raise GoughError("the recording does not move all that is to be estimated")
    sizes, axes = np.linalg.eigh(normal / np.outer(lengths, lengths))
    if sizes[0] <= LEAST * sizes[-1]:
        raise GoughError("the motion does not tell its parameters apart; expected a richer one")
    return axes / lengths[:, None] / np.sqrt(sizes), float(np.sqrt(sizes[-1] / sizes[0]))


def _correlated(columns: Array, correlation: Array) -> Array:
    """Wᵀ C W of columns (T, k), where C has the noise's correlation along time."""
    together = columns.copy()
    for lag, rho in enumerate(correlation[1:], 1):
        together[lag:] += rho * columns[:-lag]
        together[:-lag] += rho * columns[lag:]
    return np.asarray(columns.T @ together)
