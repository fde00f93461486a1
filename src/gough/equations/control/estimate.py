"""Where the platform is, from the driven joints: forward kinematics that is tracked.

The last sample's pose, carried on by its twist, is so near the present one that a single step of
Newton's method is enough: its error is that of the carried pose, squared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.actuators.drive import DriveLaw
from gough.equations.control.signals import Measurement, Setting, through_drives
from gough.equations.machine import Machine
from gough.equations.mechanism import closing, dynamics, joint_springs, kinematics
from gough.equations.solvers.least_squares import DampedFit, Fit
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import normalised, nudge

SIZE = 13
"""Numbers that an estimate carries from sample to sample: pose and twist."""


@dataclass(frozen=True)
class Estimate:
    """The platform's pose, its quaternion of any length, its twist, and moves and rates there."""

    machine: Machine
    pose: Value
    twist: Value
    T: Value
    """twist = T u, of the moves u."""
    J: Fit | DampedFit
    """q̇ = J u."""
    drives: Sequence[DriveLaw] | None = None

    @property
    def state(self) -> Value:
        """Initial state of the next sample's estimate."""
        return ca.vertcat(normalised(self.pose), self.twist)

    def acceleration(self, u_dot: Value) -> Value:
        """The platform's acceleration (6) [m/s^2, rad/s^2] at second rates of its moves."""
        return self.T @ u_dot + kinematics.bias_acceleration(self.machine, self.pose, self.twist)

    def acceleration_of_joints(self, q_ddot: Value) -> Value:
        """Return the platform's acceleration for those of the driven joints [m/s^2, rad/s^2]."""
        drift = kinematics.drift(self.machine, self.pose, self.twist)
        return self.acceleration(self.J.solve(q_ddot - drift))

    def force(self, acceleration: Value, wrench: Value) -> Value:
        """The forces [N, N m] of an acceleration under an external wrench: inverse dynamics.

        They are those on the driven joints, with what known drives need for themselves.
        """
        at = (self.machine, self.pose, self.twist)
        across, along = dynamics.required_forces(*at, acceleration)
        loaded = wrench + joint_springs.spring_wrench(self.machine, self.pose)
        on_joints = self.J.solve_transposed(across - self.T.T @ loaded, along)
        q_dot = kinematics.joint_velocity(*at)
        q_ddot = kinematics.joint_acceleration(*at, acceleration)
        return through_drives(self.drives, on_joints, q_dot, q_ddot)


def estimated(setting: Setting, state: Value, measurement: Measurement) -> Estimate:
    """Pose and twist at this sample, from those at the last one and the driven joints."""
    machine = setting.machine
    carried = nudge(state[0:7], setting.period * state[7:13])
    pose = nudge(carried, closing.newton_step(machine, carried, measurement.q))
    T = kinematics.moves(machine, pose)
    J = Fit.of(kinematics.actuation_matrix(machine, pose))
    return Estimate(machine, pose, T @ J.solve(measurement.q_dot), T, J, setting.drives)
