"""Poses that a machine with fewer than six freedoms can take, and what is said of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.cli.output import vector
from gough.errors import GoughError

if TYPE_CHECKING:
    from gough.kinematics.model import Model

_SAME = 1e-9
"""What is nearer than this [m, rad] is the same pose."""


def taken_pose(model: Model, given: Array) -> tuple[Array, list[str]]:
    """The pose that the machine takes, and a remark where that is not the given one."""
    found = model.possible_pose(given)
    freedoms = " ".join(model.structure.freedoms)
    if not np.isfinite(found.pose).all():
        raise GoughError(
            f"{model.robot.name} cannot take this pose, nor one with the same {freedoms}"
        )
    if np.abs(found.step).max() <= _SAME:
        return given, []
    way, turn = found.step[:3].round(12), np.degrees(found.step[3:]).round(9)
    return found.pose, [
        f"{model.robot.name} moves in {freedoms} only: shown is the pose that has these as asked, "
        f"from which the given one is off by {vector(way)} m and {vector(turn)} deg"
    ]
