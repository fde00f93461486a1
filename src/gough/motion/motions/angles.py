"""Roll, pitch and yaw where a motion gives some of them: the others stay as at its start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np

from gough.arrays import Array
from gough.motion.problems import MotionError
from gough.poses import euler, rotation

ANGLES = ("roll", "pitch", "yaw")
LOCKED = 1e-6
"""Nearer than this [rad] to a pitch of 90 degrees, roll and yaw cannot be told apart."""

Given = TypeVar("Given")


def all_angles(given: Mapping[str, Given], start: Array) -> list[Given | float]:
    """Roll, pitch and yaw: as given, or [rad] as they are at the start.

    The start's pitch is between -90 and 90 degrees; where it is one of these the start has no
    roll and yaw of its own, and leaving out one of the three is an error.
    """
    missing = [name for name in ANGLES if name not in given]
    if not missing:
        return [given[name] for name in ANGLES]
    x_axis = rotation(start).as_matrix()[:, 0]
    if np.hypot(x_axis[0], x_axis[1]) < LOCKED:
        raise MotionError(
            f"{' and '.join(missing)} left out, and the start is pitched by 90 deg",
            expected="roll, pitch and yaw, as the start's own roll and yaw are not clear",
        )
    at_start = dict(zip(ANGLES, euler(start, "xyz").tolist(), strict=True))
    return [given.get(name, at_start[name]) for name in ANGLES]
