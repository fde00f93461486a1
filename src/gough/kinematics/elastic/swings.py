"""How far the shapes of modes move what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.kinematics.elastic.coordinates import leg_of
from gough.plots.shapes import shape_of

if TYPE_CHECKING:
    from gough.kinematics.elastic.modes import Modes


def largest_ways(found: Modes) -> Array:
    """(n) [m] of what moves most in each shape: a joint of the platform, a piston or a stage."""
    shape = shape_of(found.robot, found.pose)
    arms = shape.points(found.pose)[list(shape.platform)] - found.pose[:3]
    way, turn = found.displacements[:, None, :3], found.displacements[:, None, 3:]
    joints = np.linalg.norm(way + np.cross(turn, arms), axis=-1)
    inner = [leg_of(name) is not None for name in found.coordinates]
    return np.asarray(np.concatenate([joints, np.abs(found.shapes[:, inner])], axis=1).max(axis=1))
