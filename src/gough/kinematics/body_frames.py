"""Frames of the moving bodies of a machine, in which their meshes are given."""

import numpy as np

from gough.arrays import Array
from gough.model.kernels import Kernels
from gough.poses import pose
from gough.robot import Robot


def body_poses(robot: Robot, poses: Array) -> Array:
    """Compute poses (T, k, 7) of the bodies' frames from poses (T, 7); NaN where there is none."""
    model = Kernels(robot)
    if len(model.structure.bodies) == 1:  # the platform alone: no kernel
        return np.zeros((*np.shape(poses)[:-1], 0, 7))
    frames = model.body_frames(poses)
    known = np.isfinite(frames).all(axis=(-2, -1))
    found = np.full((*known.shape, 7), np.nan)
    found[known] = pose(frames[known][..., 3], matrix=frames[known][..., :3])
    return found


def body_twists(robot: Robot, poses: Array, twists: Array) -> Array:
    """Compute twists (T, k, 6) of these frames: velocity of the origin, angular velocity."""
    J = Kernels(robot).body_jacobians(poses)
    return np.asarray((J @ np.asarray(twists)[..., None, :, None])[..., 0])
