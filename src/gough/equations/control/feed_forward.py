"""The forces that the reference needs, and PD control of the driven joints for what is left."""

from __future__ import annotations

from gough.equations import any_machine
from gough.equations.control.drive_forces import through_drives
from gough.equations.control.joint_errors import joint_errors
from gough.equations.control.signals import Gains, Measurement, Reference, Setting
from gough.equations.spatial.algebra import Value


def feed_forward(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """force = inverse dynamics of the reference + kp e + kd ė; there is no state.

    Where drives are known, what they need to follow the reference is added.
    """
    e, e_dot = joint_errors(setting.machine, measurement, reference)
    at = (setting.machine, reference.pose, reference.twist)
    springs = any_machine.spring_wrench(*at[:2])
    on_joints = any_machine.inverse_dynamics(*at, reference.acceleration, springs)
    q_dot = any_machine.joint_velocity(*at)
    q_ddot = any_machine.joint_acceleration(*at, reference.acceleration)
    needed = through_drives(setting.drives, on_joints, q_dot, q_ddot)
    return needed + gains["kp"] @ e + gains["kd"] @ e_dot, state
