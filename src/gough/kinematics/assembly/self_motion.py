"""Platforms that move with all legs fixed: architecturally singular ones, and special lengths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray
from gough.errors import GoughError
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.kernels import jacobians, orthonormal_rows

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
        return np.asarray(np.tensordot(points, self.forms, 1))

    def values(self, points: AnyArray) -> AnyArray:
        """Return the residuals (n, 7), which are zero at solutions."""
        return np.asarray((self.jacobian(points) @ points[:, :, None])[:, :, 0] / 2)

    def fits(self, points: AnyArray, within: float = FITS) -> AnyArray:
        """Return which points are solutions, and poses rather than at infinity."""
        finite = np.linalg.norm(points[:, :4], axis=1) > 1e-3
        return np.asarray(finite & (np.abs(self.values(points)).max(1) < within))

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
    return np.asarray(np.linalg.norm(others - points * along, axis=-1))


def unit(points: AnyArray) -> AnyArray:
    """Return points normalised to length one."""
    return np.asarray(points / np.linalg.norm(points, axis=-1, keepdims=True))


def _improved(x: AnyArray, damping: AnyArray, conditions: Quadrics) -> AnyArray:
    J = conditions.jacobian(x)
    values = J @ x[:, :, None] / 2
    left, sizes, right = np.linalg.svd(J, full_matrices=False)
    weights = sizes / (sizes**2 + damping[:, None])
    step = _adjoint(right) @ (weights[:, :, None] * (_adjoint(left) @ values))
    return unit(x - step[:, :, 0])


def _adjoint(matrices: AnyArray) -> AnyArray:
    return matrices.conj().swapaxes(1, 2)


_SINGULAR = 1e-10
_STEP = 0.01
_STEPS = 10
"""Number of steps along a curve: from an isolated solution of multiplicity m the error is 0.1^m."""
_ATTEMPTS = 4
_LONGEST_SLIDE = 200
_LONGEST_MOVE = 0.05
_NEAR = 1e-3


class SelfMotion(GoughError):  # noqa: N818  (it is a fact about a machine)
    """The platform can move with its legs' lengths fixed: it has no assembly modes to list."""


def check_architecture(geometry: Geometry, name: str) -> None:
    """Raise SelfMotion if J is singular at every pose.

    Its determinant is a polynomial in the pose that vanishes or not: checked at asymmetric poses.
    """
    if geometry.dexterity < _SINGULAR:
        raise SelfMotion(
            f"{name}: architecturally singular: J has no inverse at any pose (its singular values "
            f"differ by a factor of {geometry.dexterity:.1g}), so the platform can move with all "
            "legs fixed; expected joint centres in a more general position"
        )


def on_curves(points: AnyArray, conditions: Quadrics) -> AnyArray:
    """Return which solutions (n, 8), real or complex, are on curves or surfaces of solutions.

    From there, a walk of finite length along a null vector of the Jacobian must meet only singular
    solutions. An isolated solution draws it back, or has regular neighbours. Where curves meet,
    most null vectors are tangent to none: hence several attempts.
    """
    rng = np.random.default_rng(1897)
    solutions = nearest_solutions(points, conditions)
    on = np.zeros(len(points), dtype=bool)
    for _ in range(_ATTEMPTS):
        rest = np.flatnonzero(~on & conditions.fits(solutions))
        anywhere = rng.normal(size=(len(rest), 8)).astype(points.dtype)
        on[rest] = _walk_on(solutions[rest], anywhere, conditions)
    return on


def nearest_on_curves(points: AnyArray, goal: AnyArray, conditions: Quadrics) -> AnyArray:
    """Slide real solutions (n, 8) along their curves or surfaces as near to a goal as they come.

    Those that come to the same place are given once.
    """
    x = points.copy()
    gap, part = apart(x, goal), np.ones(len(x))
    going = np.arange(len(x))
    for _ in range(_LONGEST_SLIDE):
        here = x[going]
        way = _along_tangents(here, _towards(here, goal), conditions)
        length = np.linalg.norm(way, axis=1)
        step = part[going] * np.minimum(1, _LONGEST_MOVE / np.maximum(length, _LONGEST_MOVE))
        y = nearest_solutions(unit(here + step[:, None] * way), conditions)
        new_gap = apart(y, goal)
        better = conditions.fits(y) & (new_gap < gap[going])
        x[going[better]], gap[going[better]] = y[better], new_gap[better]
        part[going] = np.where(better, np.minimum(1, 2 * part[going]), part[going] / 4)
        going = going[step * length > 1e-7]
        if len(going) == 0:
            break
    return given_once(x)


def given_once(points: AnyArray) -> AnyArray:
    """Return points (n, 8) without those that are near to an earlier one."""
    kept: list[AnyArray] = []
    for point in points:
        if not any(apart(point, other) < _NEAR for other in kept):
            kept.append(point)
    return np.array(kept).reshape(-1, 8)


def _walk_on(points: AnyArray, directions: AnyArray, conditions: Quadrics) -> AnyArray:
    """Whether walks from solutions, in about these directions, meet only singular ones.

    They must lead away: near a singular solution, a walk may circle for long.
    """
    ahead = _along_tangents(points, directions, conditions)
    walking = np.flatnonzero(np.linalg.norm(ahead, axis=1))
    x, ahead = points[walking], ahead[walking]
    for _ in range(_STEPS):
        ahead = unit(ahead)
        y = nearest_solutions(unit(x + _STEP * ahead), conditions)
        moved = apart(x, y)
        ahead = _along_tangents(y, ahead, conditions)
        straight = np.linalg.norm(ahead, axis=1) > 0.5
        on = conditions.fits(y) & straight & (moved > _STEP / 4) & (moved < 2 * _STEP)
        walking, x, ahead = walking[on], y[on], ahead[on]
    away = np.zeros(len(points), dtype=bool)
    away[walking] = apart(points[walking], x) > _STEPS * _STEP / 3
    return away


def _along_tangents(points: AnyArray, directions: AnyArray, conditions: Quadrics) -> AnyArray:
    """The parts of directions (n, 8) that are tangent to the solutions at points."""
    rows, tangent = conditions.tangents(points)
    weights = np.einsum("nij,nj->ni", rows.conj(), directions) * tangent
    return np.asarray(np.einsum("ni,nij->nj", weights, rows))


def _towards(points: AnyArray, goal: AnyArray) -> AnyArray:
    """From points to a goal, of whose two signs the nearer one counts."""
    sign = np.where(points @ goal < 0, -1, 1)
    return sign[:, None] * goal - points
