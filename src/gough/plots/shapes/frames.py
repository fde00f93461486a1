"""Where the moving bodies of a machine are: the frames in which their meshes are given."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.any_machine import body_frames
from gough.model.definition import POSE
from gough.model.machines import Machines
from gough.poses import pose
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.appearance import PARTS


def frames_function(machines: Machines) -> Function:
    """The symbolic function from a pose to the frames of all bodies but base and platform."""
    frames = Argument("frames", (_bodies(machines.robot), 3, 4), "1, m", "rotation and origin")
    return machines.function("body_frames", body_frames, [POSE], [frames])


def body_poses(robot: Robot, poses: Array) -> Array:
    """(T, k, 7) the poses of these bodies' frames, from poses (T, 7); NaN where there is none."""
    frames = _kernel(Machines(robot))(poses)
    known = np.isfinite(frames).all(axis=(-2, -1))
    found = np.full((*known.shape, 7), np.nan)
    found[known] = pose(frames[known][..., 3], matrix=frames[known][..., :3])
    return found


@compiled
def _kernel(machines: Machines) -> Kernel:
    return Kernel(frames_function(machines))


def _bodies(robot: Robot) -> int:
    if isinstance(robot, Hexapod):
        return len(PARTS) * len(robot.legs)
    assert isinstance(robot, Mechanism)
    return len(robot.bodies)
