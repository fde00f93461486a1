"""From the motion of one point of a rigid body to that of another."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array


def carried(arm: Any) -> Array:
    """The twist (..., 6, 6) of a point at the end of an arm (..., 3) [m], by that of the other end.

    v + ω × arm, and ω. Its transpose takes a wrench the other way.
    """
    arm = np.asarray(arm, dtype=float)
    found = np.broadcast_to(np.eye(6), (*arm.shape[:-1], 6, 6)).copy()
    found[..., :3, 3:] = -np.cross(np.eye(3), arm[..., None, :])
    return found
