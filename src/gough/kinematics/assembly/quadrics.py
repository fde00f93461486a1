"""The legs' conditions as quadratic forms, and a search for solutions that may be singular."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray
from gough.kinematics.assembly.generic_section import orthonormal_rows
from gough.kinematics.assembly.kernels import jacobians

FITS = 1e-9
"""Maximum value of the conditions at a solution: data may be rounded to ten digits."""
_DONE = 1e-14
_FLOOR = 1e-20
"""Damping at a solution: far below the square of any singular value that is not zero."""
_ZERO = 1e-6
"""Singular value of the Jacobian that counts as zero."""


@dataclass(frozen=True)
class Quadrics:
    """Six conditions and e·g, at points (n, 8) of length one, real or complex.

    The Jacobian is linear in the point, and `forms` (8, 7, 8) are the Jacobians at unit vectors.
    """

    forms: AnyArray

    def jacobian(self, points: AnyArray) -> AnyArray:
        """Return the derivatives (n, 7, 8)."""
        J: AnyArray = np.tensordot(points, self.forms, 1)
        return J

    def values(self, points: AnyArray) -> AnyArray:
        """Return the residuals (n, 7), which are zero at solutions."""
        values: AnyArray = (self.jacobian(points) @ points[:, :, None])[:, :, 0] / 2
        return values

    def fits(self, points: AnyArray, within: float = FITS) -> AnyArray:
        """Return which points are solutions, and poses rather than at infinity."""
        finite = np.linalg.norm(points[:, :4], axis=1) > 1e-3
        fits: AnyArray = finite & (np.abs(self.values(points)).max(1) < within)
        return fits

    def tangents(self, points: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return orthonormal rows (n, 8, 8), and which of them (n, 8) are tangent to the solutions.

        The last one is nearest to being tangent.
        """
        bordered = np.concatenate([self.jacobian(points), points.conj()[:, None]], 1)
        _, sizes, rows = np.linalg.svd(bordered)
        return rows.conj(), sizes < _ZERO


def quadrics(coefficients: AnyArray) -> Quadrics:
    """Return the forms of real coefficients (6, 17), mixed so that they are well conditioned."""
    return Quadrics(jacobians()(np.eye(8), orthonormal_rows(coefficients)))


def nearest_solutions(points: AnyArray, conditions: Quadrics, most_steps: int = 60) -> AnyArray:
    """Find solutions near points (n, 8), by Levenberg and Marquardt's method with minimum changes.

    It also converges where solutions form curves. The result need not be a solution.
    """
    x = points.copy()
    damping = np.full(len(x), 1e-2)
    size = np.linalg.norm(conditions.values(x), axis=1)
    going = np.flatnonzero(size > _DONE)
    for _ in range(most_steps):
        if len(going) == 0:
            break
        y = _improved(x[going], damping[going] * size[going] + _FLOOR, conditions)
        new_size = np.linalg.norm(conditions.values(y), axis=1)
        better = new_size < size[going]
        x[going[better]], size[going[better]] = y[better], new_size[better]
        damping[going] = np.clip(damping[going] * np.where(better, 0.3, 4), 1e-8, 1e8)
        going = going[size[going] > _DONE]
    return x


def apart(points: AnyArray, others: AnyArray) -> AnyArray:
    """Return the sine of the angle between points of length one, pair by pair."""
    along = (points.conj() * others).sum(-1, keepdims=True)
    sine: AnyArray = np.linalg.norm(others - points * along, axis=-1)
    return sine


def unit(points: AnyArray) -> AnyArray:
    """Return points normalised to length one."""
    scaled: AnyArray = points / np.linalg.norm(points, axis=-1, keepdims=True)
    return scaled


def _improved(x: AnyArray, damping: AnyArray, conditions: Quadrics) -> AnyArray:
    J = conditions.jacobian(x)
    values = J @ x[:, :, None] / 2
    left, sizes, right = np.linalg.svd(J, full_matrices=False)
    weights = sizes / (sizes**2 + damping[:, None])
    step = _adjoint(right) @ (weights[:, :, None] * (_adjoint(left) @ values))
    return unit(x - step[:, :, 0])


def _adjoint(matrices: AnyArray) -> AnyArray:
    return matrices.conj().swapaxes(1, 2)
