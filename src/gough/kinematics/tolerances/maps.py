"""Maps of tolerances over a plane of the workspace: where errors of a machine's numbers count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.kinematics.maps import RESOLUTION, Map, mapped
from gough.kinematics.model import Model
from gough.kinematics.tolerances.linear import deviations, pose_changes
from gough.kinematics.tolerances.spread import Spread, spread_of
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.kinematics.workspace.slices import workspace_slice
from gough.robot.numbers import parameters_of


def tolerance_map(
    model: Model,
    axes: tuple[str, str],
    spread: Mapping[str, Any] | Spread,
    pose: Any = None,
    *,
    turning: bool = False,
    limits: Limits = ALL_LIMITS,
    resolution: int = RESOLUTION,
) -> Map:
    """How far machines with errors are from the poses of a plane, rms.

    By a way [mm], or a turn [mrad]. The spread as in `gough.tolerances`.
    """
    robot = model.own_robot("a map of tolerances")
    chosen = spread if isinstance(spread, Spread) else spread_of(robot, spread)
    part = slice(3, 6) if turning else slice(0, 3)

    def apart(poses: Array) -> Array:
        found = deviations(pose_changes(chosen, parameters_of(robot), poses))
        return np.asarray(1e3 * np.linalg.norm(found[:, part], axis=-1))

    words, unit = ("turn", "mrad") if turning else ("way", "mm")
    cut = workspace_slice(model, axes, pose, limits=limits, resolution=resolution)
    return mapped(model, cut, pose, apart, f"{words} from the pose, rms", unit)
