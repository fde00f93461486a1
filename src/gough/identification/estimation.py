"""Weighted least squares, with the covariance that filtered noise has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from gough.arrays import Array
from gough.errors import GoughError


@dataclass(frozen=True, eq=False)
class Estimate:
    """What explains forces best."""

    values: Array
    covariance: Array
    residuals: Array
    """(T, n) forces that are not explained [N]."""
    noise: Array
    """(n) standard deviation of each actuator's [N]."""
    condition: float
    """Of the weighted columns, each of length one."""


def estimated(columns: Array, forces: Array, correlation: Array) -> Estimate:
    """The numbers x with forces (T, n) = columns (T, n, k) x.

    Each actuator counts by its own noise, which is found on the way. `correlation` is that of the
    noise of samples 0, 1, … apart: least squares would have the same x without it, but believe it
    more than it deserves.
    """
    noise = np.ones(forces.shape[1])
    for _ in range(3):
        weighted = columns / noise[:, None]
        x, inverse, condition = _solved(weighted, forces / noise)
        spread = inverse @ _correlated(weighted, correlation) @ inverse.T
        residuals = forces - columns @ x
        noise = _noise(weighted, inverse, correlation, residuals)
    return Estimate(x, spread, residuals, noise, condition)


def _solved(columns: Array, forces: Array) -> tuple[Array, Array, float]:
    """x, (WᵀW)⁻¹ and the condition number."""
    W = columns.reshape(-1, columns.shape[-1])
    lengths = np.linalg.norm(W, axis=0)
    if not lengths.all() or len(W) <= W.shape[1]:
        raise GoughError("the recording is too short, or does not move all that is to be estimated")
    R = linalg.qr(W / lengths, mode="r")[0][: W.shape[1]]
    condition = float(np.linalg.cond(R))
    if condition > 1e12:
        raise GoughError("the motion does not tell its parameters apart; expected a richer one")
    R_inverse = linalg.solve_triangular(R, np.eye(len(R))) / lengths[:, None]
    inverse = R_inverse @ R_inverse.T
    return inverse @ (W.T @ forces.ravel()), inverse, condition


def _correlated(columns: Array, correlation: Array) -> Array:
    """Wᵀ C W, where C has the noise's correlation along time."""
    total = np.einsum("tnj,tnk->jk", columns, columns, optimize=True)
    for lag, rho in enumerate(correlation[1:], 1):
        shifted = np.einsum("tnj,tnk->jk", columns[lag:], columns[:-lag], optimize=True)
        total += rho * (shifted + shifted.T)
    return np.asarray(total)


def _noise(columns: Array, inverse: Array, correlation: Array, residuals: Array) -> Array:
    """The noise of each actuator, with what the estimate took from its residuals given back."""
    taken = []
    for k in range(columns.shape[1]):
        own = columns[:, k : k + 1]
        taken.append(np.trace(inverse @ _correlated(own, correlation)))
    left = len(residuals) - np.array(taken)
    return np.sqrt((residuals**2).sum(0) / np.maximum(left, 1.0))
