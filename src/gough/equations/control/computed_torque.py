"""Computed torque: the acceleration that corrects the error, through the inverse dynamics.

For an exactly known machine the error obeys one oscillator for each driven joint or
for each of the platform's degrees of freedom: ë + kd ė + kp e = 0.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.control.estimate import Estimate, estimated
from gough.equations.control.signals import Gains, Measurement, Reference, Setting, joint_errors
from gough.equations.dynamics import NO_WRENCH
from gough.equations.mechanism import kinematics
from gough.equations.spatial.algebra import Value, position, unit
from gough.equations.spatial.pose import turn_between


def computed_torque_joint(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """Errors are those of the driven joints; kp [1/s^2] and kd [1/s] one per joint.

    The state is an estimate of pose and twist.
    """
    now = estimated(setting, state, measurement)
    e, e_dot = joint_errors(setting.machine, measurement, reference)
    q_ddot = kinematics.joint_acceleration(
        setting.machine, reference.pose, reference.twist, reference.acceleration
    )
    wanted = q_ddot + gains["kd"] * e_dot + gains["kp"] * e
    return now.force(now.acceleration_of_joints(wanted), NO_WRENCH), now.state


def computed_torque_task(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """Errors are those of the platform's moves; kp [1/s^2] and kd [1/s] one per freedom.

    Of a hexapod they are position and attitude, base axes. The state is an estimate of pose and
    twist.
    """
    now = estimated(setting, state, measurement)
    return now.force(wanted_acceleration(now, reference, gains), NO_WRENCH), now.state


def wanted_acceleration(now: Estimate, reference: Reference, gains: Gains) -> Value:
    """The reference's acceleration, with what corrects the errors of pose and twist."""
    u_ddot, e, e_dot = (
        kinematics.along_moves(now.machine, x)
        for x in (
            reference.acceleration,
            pose_error(reference.pose, now.pose),
            reference.twist - now.twist,
        )
    )
    return now.acceleration(u_ddot + gains["kd"] * e_dot + gains["kp"] * e)


def pose_error(wanted: Value, pose: Value) -> Value:
    """From a pose to a wanted one: the way [m], and twice the sine of half the turn [rad]."""
    turn = unit(turn_between(wanted, pose))
    shorter = ca.if_else(turn[0] < 0, -1, 1)  # q and -q are the same attitude
    return ca.vertcat(position(wanted) - position(pose), 2 * shorter * turn[1:4])
