"""Motions under rows that hold them: Gauss's principle, and motions that rows leave free.

Rows may repeat each other, as those of planar loops do: forces in them are the least ones then.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array

REPEATED = 1e-9
"""A row that adds less to the others, beside the largest, repeats them."""


def held_acceleration(M: Array, force: Array, A: Array, a: Array) -> tuple[Array, Array]:
    """z̈ and λ (..., m) of M z̈ = force + Aᵀ λ, A z̈ = a: least M-distance from the free z̈."""
    L = np.linalg.cholesky(M)
    free = np.linalg.solve(L, force[..., None])
    D = np.swapaxes(np.linalg.solve(L, np.swapaxes(A, -1, -2)), -1, -2)
    inverse = np.linalg.pinv(D, rcond=REPEATED)
    change = inverse @ (a[..., None] - D @ free)
    z_ddot = np.linalg.solve(np.swapaxes(L, -1, -2), free + change)
    multipliers = np.swapaxes(inverse, -1, -2) @ change
    return z_ddot[..., 0], multipliers[..., 0]


def null_space(A: Array) -> Array:
    """An orthonormal basis of the motions that rows leave free, as columns."""
    _, sizes, Vt = np.linalg.svd(A)
    rank = int((sizes > REPEATED * sizes.max(initial=0.0)).sum())
    return np.asarray(Vt[rank:].T)


def least(A: Array, b: Array, repeated: float = REPEATED) -> Array:
    """The least x that is nearest to A x = b."""
    return np.asarray(np.linalg.lstsq(A, b, rcond=repeated)[0])
