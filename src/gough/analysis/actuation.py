"""How firmly the actuators of a machine of any kind hold its platform, compared with home.

J over the freedoms, q̇ = J u, has rows and columns of several units. J · J(home)⁻¹ says how actuator
rates at a pose compare with those at home for the same motion of the platform: its determinant and
its condition number need no length by which turns and ways could be compared.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gough.arrays import Array
from gough.model.kernels import Kernels
from gough.model.parameters import parameters_of
from gough.robot import Robot


def home_determinant(robot: Robot) -> float:
    """det J at home, of more actuators than freedoms √det JᵀJ."""
    return float(determinant(_at_home(robot)))


def determinant(J: Array) -> Array:
    """(...) det J of (..., m, n); of more rows than columns √det JᵀJ, zero where J loses rank."""
    if J.shape[-1] == J.shape[-2]:
        return np.asarray(np.linalg.det(J))
    return np.asarray(np.sqrt(np.linalg.det(J.swapaxes(-1, -2) @ J)))


def relative_condition(robot: Robot) -> Callable[[Array], Array]:
    """From poses (..., 7) to the condition number of J · J(home)⁻¹; one at home."""
    model, numbers, at_home = _model(robot), parameters_of(robot), np.linalg.pinv(_at_home(robot))

    def condition(pose: Array) -> Array:
        J = np.asarray(model.actuation_matrix(numbers, pose))
        values = np.linalg.svd(np.nan_to_num(J) @ at_home, compute_uv=False)
        freedoms = J.shape[-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                np.isfinite(J).all(axis=(-2, -1)),
                values[..., 0] / values[..., freedoms - 1],
                np.nan,
            )

    return condition


def relative_determinant(robot: Robot) -> Callable[[Array], Array]:
    """From poses (..., 7) to det J as a share of that at home."""
    model, numbers, at_home = _model(robot), parameters_of(robot), home_determinant(robot)
    return lambda pose: determinant(np.asarray(model.actuation_matrix(numbers, pose))) / at_home


def _at_home(robot: Robot) -> Array:
    found = _model(robot).actuation_matrix(parameters_of(robot), np.array(robot.home))
    return np.asarray(found)


def _model(robot: Robot) -> Kernels:
    return Kernels(robot, parametric=True)
