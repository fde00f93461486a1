"""How far the driven joints are from where they should be."""

from __future__ import annotations

import casadi as ca

from gough.equations.any_machine import AnyMachine, inverse_kinematics, joint_velocity
from gough.equations.control.signals import Measurement, Reference
from gough.equations.spatial.algebra import Value


def joint_errors(
    machine: AnyMachine, measurement: Measurement, reference: Reference
) -> tuple[Value, Value]:
    """Errors of the driven joints [m, rad] and of their rates: reference less measurement."""
    q = inverse_kinematics(machine, reference.pose)
    q_dot = joint_velocity(machine, reference.pose, reference.twist)
    return q - measurement.q, q_dot - measurement.q_dot


def without_windup(wanted: Value, growth: Value, limit: Value) -> Value:
    """The growth of an integral; none where the wanted command is beyond its limit that way."""
    beyond = ca.sign(wanted) * (ca.fabs(wanted) > limit)  # +1 or -1 there, else 0
    return ca.if_else(beyond * growth > 0, 0, growth)


def limited(command: Value, limit: Value) -> Value:
    """The command, no larger than the limit; what is no number is not taken for the limit."""
    return ca.if_else(command > limit, limit, ca.if_else(command < -limit, -limit, command))
