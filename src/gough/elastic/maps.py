"""Maps of stiffness and of natural frequency over a plane of the workspace."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.elastic.kernels import holding_kernel
from gough.elastic.model import LOCKED, actuator_compliance, check_elastic, elastic_model
from gough.elastic.natural_modes import natural_frequencies
from gough.equations.actuators.connector import Mode
from gough.kinematics.model import Model, model_of
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.kinematics.workspace.slices import RESOLUTION, Map, mapped, workspace_slice
from gough.model.definition import WRENCH
from gough.robot import Robot

COARSE = 40
"""Number of poses along each axis for machines with compliant links or bearings."""


def stiffness_map(
    robot: Robot | Model,
    axes: tuple[str, str],
    pose: ArrayLike | None = None,
    *,
    actuators: ArrayLike = LOCKED,
    rotational: bool = False,
    limits: Limits = ALL_LIMITS,
    resolution: int = RESOLUTION,
) -> Map:
    """Map the stiffness in the most compliant direction, or about the most compliant axis."""
    model = model_of(robot)
    check_elastic(model)
    given = actuator_compliance(model, actuators)
    part = slice(3, 6) if rotational else slice(0, 3)

    held, load = holding_kernel(model.machines), np.zeros(WRENCH.size)

    def minimum(poses: Array) -> Array:
        C = model.compliance(poses, held(poses, load), given)[:, part, part]
        return np.asarray(1 / np.linalg.eigvalsh((C + np.swapaxes(C, 1, 2)) / 2)[:, -1])

    words = "about the most compliant axis" if rotational else "in the most compliant direction"
    unit = "N m/rad" if rotational else "N/m"
    cut = workspace_slice(model, axes, pose, limits=limits, resolution=resolution)
    return mapped(model, cut, pose, minimum, f"stiffness {words}", unit)


def frequency_map(
    robot: Robot,
    axes: tuple[str, str],
    pose: ArrayLike | None = None,
    *,
    actuators: ArrayLike = LOCKED,
    connectors: Mode | None = None,
    limits: Limits = ALL_LIMITS,
    resolution: int | None = None,
) -> Map:
    """Map the first natural frequency over a plane of poses; negative where it is unstable.

    Actuators and connectors as in `gough.natural_modes`. Left out, the resolution is 240 poses
    along each axis; 40 for compliant links or bearings, which take milliseconds a pose.
    """
    model = elastic_model(robot, connectors)
    fine = resolution or (COARSE if robot.has_compliant_links else RESOLUTION)

    def lowest(poses: Array) -> Array:
        return natural_frequencies(model, poses, actuators=actuators)[:, 0]

    cut = workspace_slice(model, axes, pose, limits=limits, resolution=fine)
    return mapped(model, cut, pose, lowest, "first natural frequency", "Hz")
