"""Active damping: legs that are held, and give way to the forces that they feel.

Integral force feedback of a sensor in each leg is a damper in series with the spring by which its
actuator is held, velocity feedback one beside it [Preumont 2011, chapters 5 and 8].
"""

from __future__ import annotations

from gough.equations import any_machine
from gough.equations.actuators.compliant_leg import Inner, legs_of, moving_force
from gough.equations.actuators.connector import RIGID
from gough.equations.control.drive_forces import through_drives
from gough.equations.control.joint_errors import joint_errors, limited, without_windup
from gough.equations.control.signals import Gains, Measurement, Reference, Setting
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, vector


def active_damping(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """force = what the reference needs + kp e + kd ė - kf ∫ (push - that of the reference).

    The state (n) [N] is the last term; it fades by `leak` [1/s], and does not grow where the
    command is at its limit.
    """
    machine = setting.machine
    assert isinstance(machine, Machine)  # others have no connectors
    e, e_dot = joint_errors(machine, measurement, reference)
    at = (machine, reference.pose, reference.twist)
    springs = any_machine.spring_wrench(*at[:2])
    on_joints = any_machine.inverse_dynamics(*at, reference.acceleration, springs)
    l_ddot = any_machine.joint_acceleration(*at, reference.acceleration)
    l_dot = any_machine.joint_velocity(*at)
    held = gains["kp"] @ e + gains["kd"] @ e_dot
    held += through_drives(setting.drives, on_joints, l_dot, l_ddot)
    felt = measurement.push - (on_joints - _of_pistons(machine, reference, l_ddot))
    growth = -setting.period * (gains["kf"] * felt + gains["leak"] * state)
    integral = state + without_windup(held + state + growth, growth, setting.limit)
    return limited(held + integral, setting.limit), integral


def _of_pistons(machine: Machine, reference: Reference, l_ddot: Value) -> Value:
    """What moves and bears the pistons (n) [N], which lie before the sensors."""
    n = len(machine.legs)
    legs = legs_of(machine, (RIGID,) * n, reference.pose, reference.twist, Inner.none(n))
    return vector(*(moving_force(leg, l_ddot[k]) for k, leg in enumerate(legs)))
