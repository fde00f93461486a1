"""Maps of the first natural frequency over the workspace."""

from __future__ import annotations

from typing import Any

from gough.equations.actuators.connector import Mode
from gough.kinematics.elastic.frequencies import frequencies
from gough.kinematics.elastic.given import Actuators, elastic_model
from gough.kinematics.workspace.maps import Map, maps
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.robot import Robot


def frequency_maps(
    robot: Robot,
    pose: Any = None,
    *,
    actuators: Actuators = "locked",
    connectors: Mode | None = None,
    limits: Limits = ALL_LIMITS,
    resolution: int = 240,
) -> list[Map]:
    """The lowest natural frequency [Hz] over three planes through a pose, by default home.

    NaN where the machine cannot go; negative where it gives way. Options as those of `gough.modes`.
    """
    model = elastic_model(robot, connectors)
    return maps(
        model,
        lambda poses: frequencies(model, poses, actuators=actuators)[..., 0],
        "first natural frequency",
        "Hz",
        pose,
        limits=limits,
        resolution=resolution,
    )
