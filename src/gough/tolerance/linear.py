"""Effects of small errors of a machine's numbers, by exact derivatives: one number at a time.

The machine is commanded by the readings r of the nominal encoders at a pose x. With errors e it
reaches another one, with the same readings: r(e, x + δx) = r(0, x), or to first order
δx = -(∂r/∂x)⁻¹ ∂r/∂e · e. A function f of both changes by ∂f/∂e · e + ∂f/∂x · δx.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler.native.kernel import Kernel
from gough.errors import GoughError
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.robot import Robot
from gough.tolerance.kernels import (
    DISPLACEMENT,
    force_change_kernel,
    margin_change_kernel,
    reading_change_kernel,
)
from gough.tolerance.stated import StatedTolerances


def pose_changes(stated: StatedTolerances, parameters: ArrayLike, poses: Array) -> Array:
    """Displacements (..., 6, k) [m, rad] by a standard deviation of each number, at poses (..., 7).

    NaN where one of the poses (..., 7) is singular. `parameters` (..., n) are the machine's.
    """
    return displacements(stated.robot, stated.changes, parameters, poses)


def displacements(robot: Robot, changes: Array, parameters: ArrayLike, poses: Array) -> Array:
    """Compute displacements (..., 6, k) [m, rad] by changes (k, n) of all numbers.

    NaN where one of the poses (..., 7) is singular. `parameters` (..., n) are the machine's.
    """
    kernel = reading_change_kernel(Machines(robot, parametric=True))
    p, at = np.asarray(parameters)[..., None, :], poses[..., None, :]
    by_number = kernel(p, at, changes, np.zeros(DISPLACEMENT.size))
    T = np.asarray(Kernels(robot).twist_basis(poses))  # twist basis (..., 6, f)
    by_move = kernel(p, at, np.zeros(p.shape[-1]), np.swapaxes(T, -1, -2))
    if not by_number.any():
        return np.zeros((*poses.shape[:-1], DISPLACEMENT.size, len(changes)))
    _check_fits(robot)
    return np.asarray(-T @ _solved(np.swapaxes(by_move, -1, -2), np.swapaxes(by_number, -1, -2)))


def force_changes(
    stated: StatedTolerances, parameters: ArrayLike, poses: Array, loads: list[Array], moved: Array
) -> Array:
    """Compute changes (..., n, k) [N, N m] of actuator forces, with those of the pose (..., 6, k).

    `loads` are twist, acceleration and wrench (..., 6), which are constant.
    """
    kernel = force_change_kernel(Machines(stated.robot, parametric=True))
    return _changes(kernel, stated, [parameters, poses, *loads], moved)


def margin_changes(
    stated: StatedTolerances, parameters: ArrayLike, poses: Array, moved: Array
) -> Array:
    """Changes (..., 5, k) of the minimum margins of all kinds of limits."""
    kernel = margin_change_kernel(Machines(stated.robot, parametric=True))
    return _changes(kernel, stated, [parameters, poses], moved)


def deviations(changes: Array) -> Array:
    """Compute standard deviations (..., n) from changes (..., n, k) by that of each number."""
    return np.asarray(np.sqrt(np.square(changes).sum(-1)))


def _changes(
    kernel: Kernel, stated: StatedTolerances, state: list[ArrayLike], moved: Array
) -> Array:
    """Changes (..., n, k) by the error of each number and the displacement that comes of it."""
    at = [np.asarray(x)[..., None, :] for x in state]
    return np.swapaxes(kernel(*at, stated.changes, np.swapaxes(moved, -1, -2)), -1, -2)


def _solved(J: Array, right: Array) -> Array:
    """J⁻¹ times the right-hand side; NaN where J is singular or not a number."""
    regular = np.isfinite(J).all((-1, -2)) & (np.abs(np.linalg.det(np.nan_to_num(J))) > 0)
    found = np.full(right.shape, np.nan)
    found[regular] = np.linalg.solve(J[regular], right[regular])
    return found


def _check_fits(robot: Robot) -> None:
    """Refuse a redundantly actuated machine, for which no pose fits readings with errors."""
    structure = Machines(robot).structure
    if structure.actuators != structure.dof:
        raise GoughError(
            f"{robot.name}: {structure.actuators} actuators for {structure.dof} "
            "degrees of freedom strain each other where geometry or encoders have errors; expected "
            "tolerances of masses, mass centres and inertias only"
        )
