"""How large a robot is: what makes tolerances and steps independent of the unit of length."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.compiler.remembered import remembered
from gough.equations import any_machine
from gough.equations.machine import Machine as HexapodMachine
from gough.equations.spatial import size
from gough.model.machines import Machines
from gough.model.parameters import machine_of
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.mechanism import BASE, PLATFORM


@remembered
def machine_size(robot: Robot) -> float:
    """The larger one of the base's and the platform's radius [m].

    The radius of a body is the largest distance of its joint centres from their mean. 1 m of a
    spherical machine all of whose joints are in one point.
    """
    if isinstance(robot, Mechanism):
        radius = max(_radius(joints_of(robot, body)) for body in (BASE, PLATFORM))
        return radius or _radius(np.array([joint.at for joint in robot.joints])) or 1.0
    machine = machine_of(robot)
    assert isinstance(machine, HexapodMachine)
    return float(size.machine_size(machine))


def size_in(machines: Machines, machine: Any) -> Any:
    """The size [m] of a machine of the equations: symbolic where its numbers are parameters."""
    if isinstance(machines.robot, Hexapod):
        return size.machine_size(machine)
    return machine_size(machines.robot)


def default_length(robot: Robot) -> float:
    """How far a platform joint, or a hinge's axis, is at most from the platform's origin [m].

    Of a machine all of whose platform joints are there, the longest way between two joints, or 1 m.
    """
    if isinstance(robot, Hexapod):
        return max(float(np.linalg.norm(leg.platform)) for leg in robot.legs)
    return float(any_machine.characteristic_length(machine_of(robot)))


def joints_of(robot: Mechanism, body: str) -> Array:
    """Centres (k, 3) of a body's joints at home [m], base frame."""
    return np.array([joint.at for joint in robot.joints if body in joint.between])


def _radius(points: Array) -> float:
    return float(np.linalg.norm(points - points.mean(0), axis=-1).max())
