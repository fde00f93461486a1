"""PID of the driven joints, with anti-windup and velocity feed-forward; gains may couple them."""

from __future__ import annotations

from gough.equations.control.signals import (
    Gains,
    Measurement,
    Reference,
    Setting,
    joint_errors,
    limited,
    without_windup,
)
from gough.equations.spatial.algebra import Value


def joint_pid(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """force = kp e + kd ė + kv q̇ᵣ + integral of ki e; the integral [N, N m] is the state (n).

    Anti-windup: a joint whose force is at its limit does not integrate further that way.
    """
    e, e_dot = joint_errors(setting.machine, measurement, reference)
    q_dot_wanted = measurement.q_dot + e_dot
    growth = gains["ki"] @ e * setting.period
    forces = gains["kp"] @ e + gains["kd"] @ e_dot + gains["kv"] @ q_dot_wanted + state
    integral = state + without_windup(forces + growth, growth, setting.limit)
    return limited(forces + integral - state, setting.limit), integral
