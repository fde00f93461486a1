"""Poses that a platform can have."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.kernel import Kernel
from gough.compiler.remembered import remembered
from gough.equations import any_machine
from gough.errors import GoughError
from gough.model.catalogue import POSE, TWIST
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.mechanism.reading import analysed
from gough.model.structure import structure_of
from gough.poses import difference, displace
from gough.robot import Robot

NEAR = 1e-6
"""A pose that is not so far off [m, rad] is one that is meant, less what was rounded away."""
STEPS = 8
"""Of Newton's method: three are enough for what is near."""


def possible_pose(robot: Robot, pose: Array) -> Array:
    """The pose that a platform can have next to one that is a rounded form of it.

    A pose that the platform cannot have is refused.
    """
    if len(structure_of(robot).freedoms) == TWIST.size:
        return pose
    found = _closed(robot, pose)
    off = np.abs(difference(pose, found)).max()
    if not off <= NEAR:
        nearest = ", ".join(f"{x:.12g}" for x in found)
        raise GoughError(
            f"{robot.name}: the platform cannot be at {pose.tolist()}; expected a pose that its "
            f"joints allow, such as {nearest}"
        )
    return found


def _closed(robot: Robot, pose: Array) -> Array:
    """The pose of the same u at which all loops are closed."""
    home, machines = np.array(robot.home), Machines(robot)
    if analysed(robot).constant_moves:
        return displace(home, Kernels(robot).admissible(home, difference(pose, home)))
    for _ in range(STEPS):
        pose = displace(pose, _closing(machines)(pose))
    return pose


@remembered
def _closing(machines: Machines) -> Kernel:
    step = Argument("step", TWIST.shape, "m, rad", "to where the loops close")
    return machines.kernel("closing", any_machine.closing_step, [POSE], [step])
