"""Weighted least squares, with the covariance that filtered noise has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError

LEAST = 1e-13
"""Of the squares of singular values, beside the largest: what is less is rounding error."""


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
    each = np.ascontiguousarray(np.moveaxis(columns, 1, 0))
    own = np.array([W.T @ W for W in each])
    seen = np.array([W.T @ f for W, f in zip(each, forces.T, strict=True)])
    correlated = np.array([_correlated(W, correlation) for W in each])
    noise = np.ones(forces.shape[1])
    for _ in range(2):
        weights = noise**-2.0
        inverse, condition = _inverse(np.tensordot(weights, own, 1))
        x = inverse @ (weights @ seen)
        residuals = forces - columns @ x
        taken = weights * np.einsum("jk,nkj->n", inverse, correlated)
        noise = np.sqrt((residuals**2).sum(0) / np.maximum(len(forces) - taken, 1.0))
    spread = np.tensordot((weights * noise) ** 2, correlated, 1)
    return Estimate(x, inverse @ spread @ inverse, residuals, noise, condition)


def _inverse(normal: Array) -> tuple[Array, float]:
    """(WᵀW)⁻¹, and the condition number of W with columns of length one."""
    lengths = np.sqrt(np.diag(normal))
    if not lengths.all():
        raise GoughError("the recording does not move all that is to be estimated")
    sizes, axes = np.linalg.eigh(normal / np.outer(lengths, lengths))
    if sizes[0] <= LEAST * sizes[-1]:
        raise GoughError("the motion does not tell its parameters apart; expected a richer one")
    scaled = axes / lengths[:, None]
    return (scaled / sizes) @ scaled.T, float(np.sqrt(sizes[-1] / sizes[0]))


def _correlated(columns: Array, correlation: Array) -> Array:
    """Wᵀ C W of columns (T, k), where C has the noise's correlation along time."""
    together = columns.copy()
    for lag, rho in enumerate(correlation[1:], 1):
        together[lag:] += rho * columns[:-lag]
        together[:-lag] += rho * columns[lag:]
    return np.asarray(columns.T @ together)
