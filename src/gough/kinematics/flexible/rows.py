"""Motions under rows that hold them: Gauss's principle, and motions that rows leave free.

Rows may repeat each other, as those of planar loops do: forces in them are the least ones then.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError

REPEATED = 1e-9
"""A row that adds less to the others, beside the largest, repeats them."""

MASSLESS = 1e-12
"""A motion with less of the largest mass has none."""
NO_MASS = (
    "some motion of the machine moves no mass; expected inertias of all that can turn, such as of "
    "rods about themselves between ball joints, and of bodies on bearings that yield"
)


def held_acceleration(M: Array, force: Array, A: Array, a: Array) -> tuple[Array, Array]:
    """z̈ and λ (..., m) of M z̈ = force + Aᵀ λ, A z̈ = a: least M-distance from the free z̈."""
    L = root_of(M)
    free = np.linalg.solve(L, force[..., None])
    D = np.swapaxes(np.linalg.solve(L, np.swapaxes(A, -1, -2)), -1, -2)
    inverse = np.linalg.pinv(D, rcond=REPEATED)
    change = inverse @ (a[..., None] - D @ free)
    z_ddot = np.linalg.solve(np.swapaxes(L, -1, -2), free + change)
    multipliers = np.swapaxes(inverse, -1, -2) @ change
    return z_ddot[..., 0], multipliers[..., 0]


def normal_modes(M: Array, K: Array) -> tuple[Array, Array]:
    """Squares of angular frequencies, the lowest first, and modes of M z̈ + K z = 0 as columns."""
    L = root_of(M)
    half = np.linalg.solve(L, (K + K.T) / 2)
    squares, vectors = np.linalg.eigh(np.linalg.solve(L, half.T))
    return squares, np.asarray(np.linalg.solve(L.T, vectors))


def null_space(A: Array) -> Array:
    """An orthonormal basis of the motions that rows leave free, as columns."""
    _, sizes, Vt = np.linalg.svd(A)
    rank = int((sizes > REPEATED * sizes.max(initial=0.0)).sum())
    return np.asarray(Vt[rank:].T)


def free_motions(M: Array, K: Array, ties: Array) -> Array:
    """Motions (n, k) that ties leave, as columns; what moves no mass follows the rest at once."""
    basis = null_space(ties)
    values, vectors = np.linalg.eigh(basis.T @ M @ basis)
    heavy = values > MASSLESS * values[-1]
    light, rest = basis @ vectors[:, ~heavy], basis @ vectors[:, heavy]
    if not light.size:
        return np.asarray(rest)
    held = light.T @ K @ light
    if np.linalg.matrix_rank(held, len(K) * np.finfo(float).eps * np.abs(K).max()) < len(held):
        raise GoughError(NO_MASS)
    return np.asarray(rest - light @ np.linalg.solve(held, light.T @ K @ rest))


def least(A: Array, b: Array, repeated: float = REPEATED) -> Array:
    """The least x that is nearest to A x = b."""
    return np.asarray(np.linalg.lstsq(A, b, rcond=repeated)[0])


def root_of(M: Array) -> Array:
    """L of M = L Lᵀ, by Cholesky; GoughError where some motion moves no mass."""
    try:
        return np.asarray(np.linalg.cholesky(M))
    except np.linalg.LinAlgError as error:
        raise GoughError(NO_MASS) from error
