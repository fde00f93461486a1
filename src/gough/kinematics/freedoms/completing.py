"""What a machine must do besides, while its platform follows a motion in those moves it has."""

from __future__ import annotations

from typing import Any

import casadi as ca

from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.compiler.remembered import remembered
from gough.equations import any_machine
from gough.equations.spatial.algebra import angular, cross, linear, rotation
from gough.equations.spatial.pose import turn_between
from gough.kinematics.freedoms.closing import closing
from gough.model.definition import ACCELERATION, POSE, TWIST
from gough.model.parameters import machine_of
from gough.robot import Robot

STATE = (POSE, TWIST, ACCELERATION)


@remembered
def completing(robot: Robot) -> Kernel:
    """From pose, twist and acceleration to those of the machine; NaN where there are none."""
    return Kernel(completing_function(robot))


def completing_function(robot: Robot) -> Function:
    """The symbolic function of it.

    The pose is Q R for the attitude R of the given one, and ω = Q ω_given + ω_Q, where all of ω_Q
    is beside the moves: u = S · [v, Q ω_given].
    """
    close, machine = closing(robot), machine_of(robot)

    def equation(given: Any, twist: Any, acceleration: Any) -> tuple[Any, Any, Any]:
        pose, _ = close(given)
        Q = rotation(ca.vertcat(0, 0, 0, turn_between(pose, given)))
        omega = Q @ angular(twist)
        twist = any_machine.admissible(machine, pose, ca.vertcat(linear(twist), omega))
        omega_1 = Q @ angular(acceleration) + cross(angular(twist) - omega, omega)
        asked = ca.vertcat(linear(acceleration), omega_1)
        possible = any_machine.admissible(machine, pose, asked)
        return pose, twist, possible + any_machine.coasting(machine, pose, twist)

    meaning = "The motion that a machine makes of one, with the same u and its rates."
    return Function.from_equation("completed", equation, list(STATE), list(STATE), meaning)
