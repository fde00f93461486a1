"""Frames of the moving bodies of a machine, in which their meshes are given."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.motion.motions import body_frame_rates, body_frames
from gough.model.definition import POSE, TWIST
from gough.model.machines import Machines
from gough.poses import pose
from gough.robot import Robot


def frames_function(machines: Machines) -> Function:
    """The symbolic function from a pose to the frames of all bodies but base and platform."""
    return machines.function("body_frames", body_frames, [POSE], [_frames("1, m", machines)])


def body_poses(robot: Robot, poses: Array) -> Array:
    """Compute poses (T, k, 7) of the bodies' frames from poses (T, 7); NaN where there is none."""
    frames = _kernel(Machines(robot))(poses)
    known = np.isfinite(frames).all(axis=(-2, -1))
    found = np.full((*known.shape, 7), np.nan)
    found[known] = pose(frames[known][..., 3], matrix=frames[known][..., :3])
    return found


def body_twists(robot: Robot, poses: Array, twists: Array) -> Array:
    """Compute twists (T, k, 6) of these frames: velocity of the origin, angular velocity."""
    frames, rates = _kernel(Machines(robot))(poses), _rate_kernel(Machines(robot))(poses, twists)
    spin = rates[..., :3] @ np.swapaxes(frames[..., :3], -1, -2)
    angular = np.stack([spin[..., 2, 1], spin[..., 0, 2], spin[..., 1, 0]], axis=-1)
    return np.concatenate([rates[..., 3], angular], axis=-1)


@compiled
def _kernel(machines: Machines) -> Kernel:
    return Kernel(frames_function(machines))


@compiled
def _rate_kernel(machines: Machines) -> Kernel:
    rates = [_frames("1/s, m/s", machines)]
    return machines.kernel("body_frame_rates", body_frame_rates, [POSE, TWIST], rates)


def _frames(unit: str, machines: Machines) -> Argument:
    bodies = len(machines.structure.bodies) - 1
    return Argument("frames", (bodies, 3, 4), unit, "rotation and origin")
