"""PD control of the driven joints, with the forces that hold all weights added."""

from __future__ import annotations

from gough.equations.control.estimate import estimated
from gough.equations.control.signals import Gains, Measurement, Reference, Setting, joint_errors
from gough.equations.dynamics import AT_REST
from gough.equations.mechanism.dynamics import inverse_dynamics
from gough.equations.mechanism.joint_springs import spring_wrench
from gough.equations.spatial.algebra import Value


def pd_gravity(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """force = kp e + kd ė + what holds the machine where it is; the state is an estimate."""
    now = estimated(setting, state, measurement)
    e, e_dot = joint_errors(setting.machine, measurement, reference)
    springs = spring_wrench(setting.machine, now.pose)
    holding = inverse_dynamics(setting.machine, now.pose, AT_REST, AT_REST, springs)
    return gains["kp"] @ e + gains["kd"] @ e_dot + holding, now.state
