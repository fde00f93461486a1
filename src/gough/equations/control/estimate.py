"""Where the platform is, from the leg lengths: forward kinematics that is tracked.

The last sample's pose, carried on by its twist, is so near the present one that a single step of
Newton's method is enough: its error is that of the carried pose, squared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations import dynamics
from gough.equations.actuators.drive import Drive
from gough.equations.control.drive_forces import through_drives
from gough.equations.control.signals import Measurement, Setting
from gough.equations.legs.closure import jacobian, jacobian_rate, joint_acceleration, joint_velocity
from gough.equations.machine import Machine
from gough.equations.platform.newton import newton_step
from gough.equations.solvers.elimination import Factors, factorise, solve, solve_transposed
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import normalised, nudge

SIZE = 13
"""Numbers that an estimate carries from sample to sample: pose and twist."""


@dataclass(frozen=True)
class Estimate:
    """The platform's pose, its quaternion of any length, its twist, and the factors of J there."""

    machine: Machine
    pose: Value
    twist: Value
    J: Factors
    drives: Sequence[Drive] | None = None

    @property
    def state(self) -> Value:
        """What the next sample's estimate starts from."""
        return ca.vertcat(normalised(self.pose), self.twist)

    def acceleration(self, q_ddot: Value) -> Value:
        """The platform's acceleration at which the legs have these second rates [m/s^2]."""
        J_dot = jacobian_rate(self.machine, self.pose, self.twist)
        return solve(self.J, q_ddot - J_dot @ self.twist)

    def force(self, acceleration: Value, wrench: Value) -> Value:
        """The forces [N] of an acceleration under an external wrench: inverse dynamics.

        They are those on the legs, with what known drives need for themselves.
        """
        at = (self.machine, self.pose, self.twist)
        across, along = dynamics.default.required_forces(*at, acceleration)
        on_legs = along + solve_transposed(self.J, across - wrench)
        q_dot, q_ddot = joint_velocity(*at), joint_acceleration(*at, acceleration)
        return through_drives(self.drives, on_legs, q_dot, q_ddot)


def estimated(setting: Setting, state: Value, measurement: Measurement) -> Estimate:
    """Pose and twist at this sample, from those at the last one and the legs."""
    machine = setting.machine
    carried = nudge(state[0:7], setting.period * state[7:13])
    step, _ = newton_step(machine, carried, measurement.q)
    pose = nudge(carried, step)
    J = factorise(jacobian(machine, pose))
    return Estimate(machine, pose, solve(J, measurement.q_dot), J, setting.drives)
