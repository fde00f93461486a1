"""Size of a robot, which makes tolerances and steps independent of the unit of length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.compiler import remembered
from gough.model import Machines, machine_of
from gough.model.mechanism.kept import findings
from gough.robot import BASE, PLATFORM, Mechanism, Robot

if TYPE_CHECKING:
    from gough.equations.machine import Machine
    from gough.equations.spatial.algebra import Value

_ROUNDING = 1e-9
"""Part of the size below which lengths are zero."""


@remembered
def machine_size(robot: Robot) -> float:
    """Return the maximum of the base's and the platform's radius [m].

    The radius of a body is the maximum distance of its joint centres from their mean. 1 m for a
    spherical machine with all joints in one point.
    """
    radius = max(_radius(joints_of(robot, body)) for body in (BASE, PLATFORM))
    every = np.array([joint.at for joint in robot.bodies_and_joints.joints])
    return radius or _radius(every) or 1.0


def size_in(machines: Machines, machine: Machine) -> Value | float:
    """Return the size [m] of a machine of the equations: symbolic for a parametric geometry."""
    if machine.extensible is not None and machines.parametric:
        from gough.equations.legs import extensible  # noqa: PLC0415  (slow)

        return extensible.machine_size(machine.extensible)
    return machine_size(machines.robot)


def default_length(robot: Robot) -> float:
    """Return the maximum distance of a platform joint or hinge axis from the platform's origin [m].

    If all platform joints are there, it is the maximum distance between two joints, or 1 m.
    """
    arms = [np.linalg.norm(leg.platform) for leg in robot.extensible_legs]
    if max(arms, default=0.0) > _ROUNDING * machine_size(robot):
        return float(max(arms))
    if isinstance(robot, Mechanism):
        return findings(robot).arm
    from gough.equations.motion import singularity_measures  # noqa: PLC0415  (slow)

    return float(singularity_measures.arm(machine_of(robot)))


def joints_of(robot: Robot, body: str) -> Array:
    """Return the centres (k, 3) of a body's joints at home [m], base frame."""
    return np.array([joint.at for joint in robot.bodies_and_joints.joints if joint.joins(body)])


def _radius(points: Array) -> float:
    return float(np.linalg.norm(points - points.mean(0), axis=-1).max())
