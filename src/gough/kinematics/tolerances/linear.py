"""What small errors of a machine's numbers do, by exact derivatives: one number at a time.

The machine is commanded by what its encoders read at a pose x on the drawing, r. With errors e it
takes another one, at which they read the same: r(e, x + δx) = r(0, x), or to first order
δx = -(∂r/∂x)⁻¹ ∂r/∂e · e. What depends on both changes by ∂f/∂e · e + ∂f/∂x · δx.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.tolerances.kernels import (
    DISPLACEMENT,
    force_change_kernel,
    margin_change_kernel,
    reading_change_kernel,
)
from gough.kinematics.tolerances.spread import Spread
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.structure import MechanismStructure
from gough.robot import Robot


def pose_changes(spread: Spread, parameters: Any, poses: Array) -> Array:
    """Displacements (..., 6, k) [m, rad] by a standard deviation of each number, at poses (..., 7).

    They are NaN where a pose is singular. `parameters` (..., n) are the machine's numbers.
    """
    return displacements(spread.robot, spread.changes, parameters, poses)


def displacements(robot: Robot, changes: Array, parameters: Any, poses: Array) -> Array:
    """Displacements (..., 6, k) [m, rad] by changes (k, n) of all numbers, at poses (..., 7).

    They are NaN where a pose is singular. `parameters` (..., n) are the machine's numbers.
    """
    kernel = reading_change_kernel(Machines(robot, parametric=True))
    p, at = np.asarray(parameters)[..., None, :], poses[..., None, :]
    by_number = kernel(p, at, changes, np.zeros(DISPLACEMENT.size))
    T = _moves(robot, poses)
    by_move = kernel(p, at, np.zeros(p.shape[-1]), np.swapaxes(T, -1, -2))
    if not by_number.any():
        return np.zeros((*poses.shape[:-1], DISPLACEMENT.size, len(changes)))
    _check_fits(robot)
    return np.asarray(-T @ _solved(np.swapaxes(by_move, -1, -2), np.swapaxes(by_number, -1, -2)))


def force_changes(
    spread: Spread, parameters: Any, poses: Array, loads: list[Array], moved: Array
) -> Array:
    """Changes (..., n, k) [N, N m] of the actuators' forces, with those of the pose (..., 6, k).

    `loads` are twist, acceleration and wrench (..., 6), which stay what they are.
    """
    kernel = force_change_kernel(_machines(spread))
    state = [np.asarray(x)[..., None, :] for x in (parameters, poses, *loads)]
    return _by_number(kernel(*state, *_directions(spread, moved)))


def margin_changes(spread: Spread, parameters: Any, poses: Array, moved: Array) -> Array:
    """Changes (..., 5, k) of the least margins of all kinds of limits."""
    kernel = margin_change_kernel(_machines(spread))
    state = [np.asarray(x)[..., None, :] for x in (parameters, poses)]
    return _by_number(kernel(*state, *_directions(spread, moved)))


def deviations(changes: Array) -> Array:
    """Standard deviations (..., n) from changes (..., n, k) by that of each number."""
    return np.asarray(np.sqrt(np.square(changes).sum(-1)))


def _machines(spread: Spread) -> Machines:
    return Machines(spread.robot, parametric=True)


def _directions(spread: Spread, moved: Array) -> tuple[Array, Array]:
    """For each number its own error, and the displacement that comes of it."""
    return spread.changes, np.swapaxes(moved, -1, -2)


def _by_number(changes: Any) -> Array:
    return np.swapaxes(np.asarray(changes), -1, -2)


def _moves(robot: Robot, poses: Array) -> Array:
    """How the platform can move: twists (..., 6, f)."""
    model = Kernels(robot)
    if isinstance(model.structure, MechanismStructure):
        return np.asarray(model.moves(poses))
    return np.broadcast_to(np.eye(6), (*poses.shape[:-1], 6, 6))


def _solved(J: Array, right: Array) -> Array:
    """J⁻¹ times what is on the right; NaN where J is singular or not a number."""
    regular = np.isfinite(J).all((-1, -2)) & (np.abs(np.linalg.det(np.nan_to_num(J))) > 0)
    found = np.full(right.shape, np.nan)
    found[regular] = np.linalg.solve(J[regular], right[regular])
    return found


def _check_fits(robot: Robot) -> None:
    """Refuse a machine of which no pose fits all readings when one of them is wrong."""
    structure = Machines(robot).structure
    if structure.actuators != len(structure.freedoms):
        raise GoughError(
            f"{robot.name}: {structure.actuators} actuators for {len(structure.freedoms)} "
            "freedoms strain each other where geometry or encoders have errors; expected a spread "
            "of masses, mass centres and inertias only"
        )
