"""Open-loop control: forces of the reference motion, without measurement or correction."""

from __future__ import annotations

import casadi as ca

from gough.equations.actuators.drive import demand
from gough.equations.control.signals import Gains, Measurement, Reference, Setting
from gough.equations.mechanism.dynamics import inverse_dynamics
from gough.equations.mechanism.joint_springs import spring_wrench
from gough.equations.mechanism.kinematics import joint_acceleration, joint_velocity
from gough.equations.spatial.algebra import Value


def open_loop_forces(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """The share `load` (n) of the forces [N, N m] that the reference needs; there is no state."""
    return gains["load"] * _forces(setting, reference), state


def open_loop_voltages(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """The voltages [V] that the reference needs of the drives; there is no state.

    Of the forces they know the share `load` (n): with zero every drive goes by the position of
    its joint alone. What inductances take is left out.
    """
    at = (setting.machine, reference.pose, reference.twist)
    speed, q_ddot = joint_velocity(*at), joint_acceleration(*at, reference.acceleration)
    force = gains["load"] * _forces(setting, reference)
    drives = setting.drives or ()
    needed = [demand(d, speed[k], q_ddot[k], force[k]).voltage for k, d in enumerate(drives)]
    return ca.vertcat(*needed), state


def _forces(setting: Setting, reference: Reference) -> Value:
    wanted = (reference.pose, reference.twist, reference.acceleration)
    springs = spring_wrench(setting.machine, reference.pose)
    return inverse_dynamics(setting.machine, *wanted, springs)
