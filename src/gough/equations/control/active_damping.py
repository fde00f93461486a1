"""Active damping: position-controlled legs with feedback of their measured forces.

Integral force feedback of a sensor in each leg is a damper in series with the spring by which its
actuator is held, velocity feedback one beside it [Preumont 2011, chapters 5 and 8].
"""

from __future__ import annotations

from gough.equations.actuators.compliant_leg import Inner, legs_of, moving_force
from gough.equations.actuators.connector import RIGID
from gough.equations.control.signals import (
    Gains,
    Measurement,
    Reference,
    Setting,
    joint_errors,
    limited,
    through_drives,
    without_windup,
)
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.mechanism import dynamics, joint_springs, kinematics
from gough.equations.spatial.algebra import Value, vector


def active_damping(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """force = what the reference needs + kp e + kd ė - kf ∫ (push - that of the reference).

    The state (n) [N] is the last term; it fades by `leak` [1/s], and does not grow where the
    command is at its limit.
    """
    machine = setting.machine
    assert machine.extensible is not None  # others have no connectors
    e, e_dot = joint_errors(machine, measurement, reference)
    at = (machine, reference.pose, reference.twist)
    springs = joint_springs.spring_wrench(*at[:2])
    on_joints = dynamics.inverse_dynamics(*at, reference.acceleration, springs)
    l_ddot = kinematics.joint_acceleration(*at, reference.acceleration)
    l_dot = kinematics.joint_velocity(*at)
    held = gains["kp"] @ e + gains["kd"] @ e_dot
    held += through_drives(setting.drives, on_joints, l_dot, l_ddot)
    felt = measurement.push - (on_joints - _of_pistons(machine.extensible, reference, l_ddot))
    growth = -setting.period * (gains["kf"] * felt + gains["leak"] * state)
    integral = state + without_windup(held + state + growth, growth, setting.limit)
    return limited(held + integral, setting.limit), integral


def _of_pistons(machine: ExtensibleLegs, reference: Reference, l_ddot: Value) -> Value:
    """Return the inertial forces and weights of the pistons (n) [N], which precede the sensors."""
    n = len(machine.legs)
    legs = legs_of(machine, (RIGID,) * n, reference.pose, reference.twist, Inner.none(n))
    return vector(*(moving_force(leg, l_ddot[k]) for k, leg in enumerate(legs)))
