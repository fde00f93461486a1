"""Natural frequencies of machines that yield, many poses at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.kinematics.elastic.connectors import elastic_model
from gough.kinematics.elastic.coordinates import rotors_move
from gough.kinematics.elastic.held import LOCKED, actuator_compliance
from gough.kinematics.elastic.kernels import frequency_kernel
from gough.kinematics.elastic.modes import modes
from gough.model.definition import WRENCH
from gough.model.kernels import Kernels
from gough.robot import Mechanism


def frequencies(model: Kernels, pose: Any, *, actuators: Any = LOCKED, wrench: Any = None) -> Array:
    """Natural frequencies (..., n) [Hz] at poses (..., 7), lowest first, without dampers.

    A negative one is no vibration: the machine gives way, as e^(2π |f| t). Infinite are those of
    pistons that are held. NaN where the pose is singular. Actuators, wrench: see `gough.modes`.
    Where links or bearings yield they are found pose by pose, which takes milliseconds each.
    """
    robot = model.own_robot("frequencies")
    if isinstance(robot, Mechanism) and robot.links_yield:
        return modes(robot, pose, actuators=actuators, wrench=wrench).frequencies
    own = elastic_model(robot, None)
    pushed = np.zeros(WRENCH.size) if wrench is None else wrench
    yielding = actuator_compliance(own, actuators)
    kernel = frequency_kernel(own.machines, rotors_move(own.robot, yielding))
    return np.asarray(kernel(pose, pushed, yielding))
