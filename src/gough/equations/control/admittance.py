"""Admittance: the platform responds to an external wrench as a mass on spring and damper would."""

from __future__ import annotations

import casadi as ca

from gough.equations.control.computed_torque import wanted_acceleration
from gough.equations.control.estimate import SIZE, estimated
from gough.equations.control.signals import Gains, Measurement, Reference, Setting
from gough.equations.mechanism import kinematics
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import displace


def admittance(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """m ẍ + d ẋ + k x = measured wrench; x is added to the reference, which is then followed.

    x (n) is small, and along the moves: of a hexapod a displacement [m] and a rotation vector
    [rad], base axes. `mass`, `damping` and `stiffness` are one per freedom. The inner law is
    computed torque in task space, and knows the wrench. The state is an estimate, then x and ẋ.
    """
    now = estimated(setting, state[0:SIZE], measurement)
    n = now.T.shape[1]
    x, x_dot = state[SIZE : SIZE + n], state[SIZE + n : SIZE + 2 * n]
    felt = now.T.T @ measurement.wrench
    x_ddot = (felt - gains["damping"] * x_dot - gains["stiffness"] * x) / gains["mass"]
    T = kinematics.moves(setting.machine, reference.pose)
    compliant = Reference(
        displace(reference.pose, T @ x),
        reference.twist + T @ x_dot,
        reference.acceleration + T @ x_ddot,
    )
    acceleration = wanted_acceleration(now, compliant, gains)
    force = now.force(acceleration, measurement.wrench)
    x_dot_next = x_dot + setting.period * x_ddot
    x_next = x + setting.period * x_dot_next  # the new rate: more stable than the old one
    return force, ca.vertcat(now.state, x_next, x_dot_next)
