"""The forces that the reference needs, and PD control of the legs for what is left."""

from __future__ import annotations

import casadi as ca

from gough.equations.algebra import Value
from gough.equations.control.joint_errors import joint_errors
from gough.equations.control.signals import Gains, Measurement, Reference, Setting
from gough.equations.dynamics.newton_euler import inverse_dynamics


def feed_forward(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """force = inverse dynamics of the reference + kp e + kd ė; there is no state."""
    e, e_dot = joint_errors(setting.machine, measurement, reference)
    needed = inverse_dynamics(
        setting.machine, reference.pose, reference.twist, reference.acceleration, ca.DM.zeros(6)
    )
    return needed + gains["kp"] @ e + gains["kd"] @ e_dot, state
