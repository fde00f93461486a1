"""Maps over a plane of the workspace: where a machine is stiff, and how it vibrates."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.equations.actuators.connector import Mode
from gough.kinematics.elastic.held import LOCKED, actuator_compliance, check_elastic, elastic_model
from gough.kinematics.elastic.kernels import holding_kernel
from gough.kinematics.elastic.modes import frequencies
from gough.kinematics.maps import RESOLUTION, Map, mapped
from gough.kinematics.model import Model
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.kinematics.workspace.slices import workspace_slice
from gough.model.definition import WRENCH
from gough.robot import Mechanism, Robot

COARSE = 40
"""Poses along each axis where links or bearings yield."""


def stiffness_map(
    model: Model,
    axes: tuple[str, str],
    pose: Any = None,
    *,
    actuators: Any = LOCKED,
    turning: bool = False,
    limits: Limits = ALL_LIMITS,
    resolution: int = RESOLUTION,
) -> Map:
    """The stiffness in the softest direction, or about the softest axis, in a plane of poses."""
    check_elastic(model)
    given = actuator_compliance(model, actuators)
    part = slice(3, 6) if turning else slice(0, 3)

    held, load = holding_kernel(model.machines), np.zeros(WRENCH.size)

    def softest(poses: Array) -> Array:
        C = model.compliance(poses, held(poses, load), given)[:, part, part]
        return np.asarray(1 / np.linalg.eigvalsh((C + np.swapaxes(C, 1, 2)) / 2)[:, -1])

    words = "stiffness about the softest axis" if turning else "stiffness in the softest direction"
    unit = "N m/rad" if turning else "N/m"
    cut = workspace_slice(model, axes, pose, limits=limits, resolution=resolution)
    return mapped(model, cut, pose, softest, words, unit)


def frequency_map(
    robot: Robot,
    axes: tuple[str, str],
    pose: Any = None,
    *,
    actuators: Any = LOCKED,
    connectors: Mode | None = None,
    limits: Limits = ALL_LIMITS,
    resolution: int | None = None,
) -> Map:
    """The first natural frequency in a plane of poses; negative where the machine gives way.

    Actuators and connectors as in `gough.modes`. Left out, the resolution is 240 poses along each
    axis; 40 of machines whose links or bearings yield, as these take milliseconds a pose.
    """
    model = elastic_model(robot, connectors, swinging=True)
    slow = isinstance(robot, Mechanism) and robot.links_yield
    fine = resolution or (COARSE if slow else RESOLUTION)

    def lowest(poses: Array) -> Array:
        return frequencies(model, poses, actuators=actuators)[:, 0]

    cut = workspace_slice(model, axes, pose, limits=limits, resolution=fine)
    return mapped(model, cut, pose, lowest, "first natural frequency", "Hz")
