"""Frames of the moving bodies of a machine, in which their meshes are given."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.motion.motions import body_frames
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.poses import pose
from gough.robot import Robot


def frames_function(machines: Machines) -> Function:
    """The symbolic function from a pose to the frames of all bodies but base and platform."""
    shape = (len(machines.structure.bodies) - 1, 3, 4)
    frames = [Argument("frames", shape, "1, m", "rotation and origin")]
    return machines.function("body_frames", body_frames, [POSE], frames)


def body_poses(robot: Robot, poses: Array) -> Array:
    """Compute poses (T, k, 7) of the bodies' frames from poses (T, 7); NaN where there is none."""
    frames = _kernel(Machines(robot))(poses)
    known = np.isfinite(frames).all(axis=(-2, -1))
    found = np.full((*known.shape, 7), np.nan)
    found[known] = pose(frames[known][..., 3], matrix=frames[known][..., :3])
    return found


def body_twists(robot: Robot, poses: Array, twists: Array) -> Array:
    """Compute twists (T, k, 6) of these frames: velocity of the origin, angular velocity."""
    J = Kernels(robot).body_jacobians(poses)
    return np.asarray((J @ np.asarray(twists)[..., None, :, None])[..., 0])


@compiled
def _kernel(machines: Machines) -> Kernel:
    return Kernel(frames_function(machines))
