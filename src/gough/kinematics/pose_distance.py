"""How far two poses are from each other, as one number."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.kinematics.size import machine_size
from gough.robot import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]


def pose_distance(robot: Robot, a: Any, b: Any) -> Array:
    """The larger one of the distance, in machine sizes, and the angle [rad] between unit poses.

    NaN where a pose is. Accurate for small angles as well.
    """
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    away = np.linalg.norm(a[..., :3] - b[..., :3], axis=-1) / machine_size(robot)
    (a_0, a_v), (b_0, b_v) = ((x[..., 3:4], x[..., 4:7]) for x in (a, b))
    turn = b_0 * a_v - a_0 * b_v + np.cross(a_v, b_v)  # vector part of the quaternion between them
    cosine = np.abs(np.vecdot(a[..., 3:], b[..., 3:]))
    angle = 2 * np.arctan2(np.linalg.norm(turn, axis=-1), cosine)
    return np.asarray(np.maximum(away, angle))
