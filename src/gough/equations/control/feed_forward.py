"""The forces that the reference needs, and PD control of the driven joints for what is left."""

from __future__ import annotations

from gough.equations.control.signals import (
    Gains,
    Measurement,
    Reference,
    Setting,
    joint_errors,
    through_drives,
)
from gough.equations.mechanism import dynamics, joint_springs, kinematics
from gough.equations.spatial.algebra import Value


def feed_forward(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """force = inverse dynamics of the reference + kp e + kd ė; there is no state.

    Where drives are known, what they need to follow the reference is added.
    """
    e, e_dot = joint_errors(setting.machine, measurement, reference)
    at = (setting.machine, reference.pose, reference.twist)
    springs = joint_springs.spring_wrench(*at[:2])
    on_joints = dynamics.inverse_dynamics(*at, reference.acceleration, springs)
    q_dot = kinematics.joint_velocity(*at)
    q_ddot = kinematics.joint_acceleration(*at, reference.acceleration)
    needed = through_drives(setting.drives, on_joints, q_dot, q_ddot)
    return needed + gains["kp"] @ e + gains["kd"] @ e_dot, state
