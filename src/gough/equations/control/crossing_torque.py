"""Computed torque through a parallel singularity: near it, by the well-conditioned part alone.

There the actuators neither feel nor drive the escaping motion. A motion that can cross needs no
force along it, so that what is left of the equations is enough [Six, Briot, Chriette, Martinet
2017, ASME J. Mechanisms and Robotics 9(5)]. Pose and twist along the escaping motion are carried on
by the machine's own dynamics, and the actuators keep what they do to each other. Away from
singularities the law is computed torque on the platform.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.control.computed_torque import wanted_acceleration
from gough.equations.control.estimate import SIZE, Estimate
from gough.equations.control.signals import Gains, Measurement, Reference, Setting, limited
from gough.equations.crossing import move_units
from gough.equations.dynamics import NO_WRENCH
from gough.equations.mechanism import closing, dynamics, kinematics
from gough.equations.solvers.least_squares import DampedFit
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import nudge

ACCELERATION = 6
"""Numbers of the state behind the estimate: the platform's acceleration; then the forces."""


def crossing_torque(
    setting: Setting, state: Value, measurement: Measurement, reference: Reference, gains: Gains
) -> tuple[Value, Value]:
    """Return the command for errors of the platform; kp [1/s^2], kd [1/s] per degree of freedom.

    `near` is the share of the maximum pivot of J below which its weakest direction is left out. The
    state is an estimate of pose and twist, the acceleration (6) that the last forces cause, and
    these forces (n).
    """
    machine = setting.machine
    acceleration, last = state[SIZE : SIZE + ACCELERATION], state[SIZE + ACCELERATION :]
    now = _estimated(setting, state[0:SIZE], acceleration, measurement, gains["near"], last)
    wanted = now.force(wanted_acceleration(now, reference, gains), NO_WRENCH)
    force = limited(wanted, setting.limit)
    made = dynamics.forward_dynamics(machine, now.pose, now.twist, force, NO_WRENCH)
    return force, ca.vertcat(now.state, made, force)


def _estimated(
    setting: Setting,
    state: Value,
    acceleration: Value,
    measurement: Measurement,
    near: Value,
    last: Value,
) -> Estimate:
    """Pose and twist at this sample: carried on, and corrected as far as the joints tell."""
    machine, h = setting.machine, setting.period
    carried = nudge(state[0:7], h * state[7:13] + h * h / 2 * acceleration)
    pose = nudge(carried, _step(setting, carried, measurement.q, near, last))
    T, J = kinematics.moves(machine, pose), _fit(setting, pose, near, last)
    u = kinematics.along_moves(machine, state[7:13] + h * acceleration)
    u += J.solve(measurement.q_dot - kinematics.joint_velocity(machine, pose, T @ u))
    return Estimate(machine, pose, T @ u, T, J)


def _step(setting: Setting, pose: Value, q: Value, near: Value, last: Value) -> Value:
    """Newton's step (6) towards positions of the driven joints, with all loops closed."""
    machine, closed = setting.machine, closing.closing_step(setting.machine, pose)
    missing = q - kinematics.inverse_kinematics(machine, pose)
    missing -= kinematics.jacobian(machine, pose) @ closed
    return kinematics.moves(machine, pose) @ _fit(setting, pose, near, last).solve(missing) + closed


def _fit(setting: Setting, pose: Value, near: Value, last: Value) -> DampedFit:
    A = kinematics.actuation_matrix(setting.machine, pose)
    return DampedFit.of(A, move_units(setting.machine), near, last)
