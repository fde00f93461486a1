"""Motions under constraint rows: Gauss's principle, and the motions that remain free.

Rows may be redundant, as those of planar loops are: constraint forces then have minimum norm.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.model.mechanism.decisions.samples import null_space

REPEATED = 1e-9
"""Singular value, relative to the maximum, below which a row is redundant."""

UNHELD = 1e-13
"""Fraction of the maximum stiffness that counts as zero: rods spin between ball joints."""
UNSEEN = 1e-6
"""Maximum part of a motion that counts as zero."""
MASSLESS = 1e-12
"""Fraction of the maximum mass below which a motion moves no mass."""
NO_MASS = (
    "some motion of the machine moves no mass; expected inertias of all bodies that can rotate, "
    "such as of rods about their axis between ball joints, and of bodies on compliant bearings"
)


def held_acceleration(M: Array, force: Array, A: Array, a: Array) -> tuple[Array, Array]:
    """z̈ and λ (..., m) of M z̈ = force + Aᵀ λ, A z̈ = a: minimum M-distance from the free z̈."""
    L = root_of(M)
    free = np.linalg.solve(L, force[..., None])
    D = np.swapaxes(np.linalg.solve(L, np.swapaxes(A, -1, -2)), -1, -2)
    inverse = np.linalg.pinv(D, rcond=REPEATED)
    change = inverse @ (a[..., None] - D @ free)
    z_ddot = np.linalg.solve(np.swapaxes(L, -1, -2), free + change)
    multipliers = np.swapaxes(inverse, -1, -2) @ change
    return z_ddot[..., 0], multipliers[..., 0]


def without_spins(M: Array, K: Array, basis: Array, seen: Array) -> Array:
    """Motions (n, k), as columns, without those of zero stiffness that no row of `seen` observes.

    The remaining ones have no momentum along these: rods between ball joints do not spin.
    """
    stiffness, vectors = np.linalg.eigh(basis.T @ K @ basis)
    slack = basis @ vectors[:, np.abs(stiffness) <= UNHELD * np.abs(K).max(initial=0.0)]
    spins = slack @ null_space(seen @ slack, UNSEEN, largest=1.0)
    rest = basis @ null_space(spins.T @ basis, REPEATED)
    return np.asarray(rest - spins @ np.linalg.pinv(spins.T @ M @ spins) @ (spins.T @ M @ rest))


def free_motions(M: Array, K: Array, ties: Array) -> Array:
    """Motions (n, k) that constraints leave, as columns; massless ones follow statically."""
    return heavy_motions(M, K, null_space(ties, REPEATED))


def heavy_motions(M: Array, K: Array, basis: Array) -> Array:
    """Motions (n, k) among some, as columns; massless ones follow statically."""
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
    """Return the least-squares solution x of A x = b with minimum norm."""
    return np.asarray(np.linalg.lstsq(A, b, rcond=repeated)[0])


def root_of(M: Array) -> Array:
    """L of M = L Lᵀ, by Cholesky; GoughError where some motion moves no mass."""
    try:
        return np.asarray(np.linalg.cholesky(M))
    except np.linalg.LinAlgError as error:
        raise GoughError(NO_MASS) from error
