"""The forces that the reference needs, and PD control of the legs for what is left."""

from __future__ import annotations

from gough.equations import dynamics
from gough.equations.control.drive_forces import through_drives
from gough.equations.control.joint_errors import joint_errors
from gough.equations.control.signals import Gains, Measurement, Reference, Setting
from gough.equations.legs.closure import joint_acceleration, joint_velocity
from gough.equations.spatial.algebra import Value


def feed_forward(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """force = inverse dynamics of the reference + kp e + kd ė; there is no state.

    Where drives are known, what they need to follow the reference is added.
    """
    e, e_dot = joint_errors(setting.machine, measurement, reference)
    at = (setting.machine, reference.pose, reference.twist)
    on_legs = dynamics.default.inverse_dynamics(*at, reference.acceleration, dynamics.NO_WRENCH)
    q_dot, q_ddot = joint_velocity(*at), joint_acceleration(*at, reference.acceleration)
    needed = through_drives(setting.drives, on_legs, q_dot, q_ddot)
    return needed + gains["kp"] @ e + gains["kd"] @ e_dot, state
