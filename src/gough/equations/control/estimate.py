"""Where the platform is, from the leg lengths: forward kinematics that is tracked.

The last sample's pose, carried on by its twist, is so near the present one that a single step of
Newton's method is enough: its error is that of the carried pose, squared.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.algebra import Value
from gough.equations.closure import jacobian, jacobian_rate
from gough.equations.control.signals import Measurement, Setting
from gough.equations.dynamics.newton_euler import required_forces
from gough.equations.elimination import Factors, factorise, solve
from gough.equations.machine import Machine
from gough.equations.newton import moved, newton_step

SIZE = 13
"""Numbers that an estimate carries from sample to sample: pose and twist."""


@dataclass(frozen=True)
class Estimate:
    """The platform's pose and twist, and the factors of J there."""

    machine: Machine
    pose: Value
    twist: Value
    J: Factors

    @property
    def state(self) -> Value:
        """What the next sample's estimate starts from."""
        return ca.vertcat(self.pose, self.twist)

    def acceleration(self, q_ddot: Value) -> Value:
        """The platform's acceleration at which the legs have these second rates [m/s^2]."""
        J_dot = jacobian_rate(self.machine, self.pose, self.twist)
        return solve(self.J, q_ddot - J_dot @ self.twist)

    def force(self, acceleration: Value, wrench: Value) -> Value:
        """The leg forces [N] of an acceleration under an external wrench: inverse dynamics."""
        across, along = required_forces(self.machine, self.pose, self.twist, acceleration)
        return along + solve_transposed(self.J, across - wrench)


def estimated(setting: Setting, state: Value, measurement: Measurement) -> Estimate:
    """Pose and twist at this sample, from those at the last one and the legs."""
    machine = setting.machine
    carried = moved(state[0:7], setting.period * state[7:13])
    step, _ = newton_step(machine, carried, measurement.q)
    pose = moved(carried, step)
    J = factorise(jacobian(machine, pose))
    return Estimate(machine, pose, solve(J, measurement.q_dot), J)


def solve_transposed(factors: Factors, b: Value) -> Value:
    """x of Aᵀ x = b from the factors of A: the steps of `solve` transposed, the last one first."""
    n = len(factors.upper)
    x = [b[i] for i in range(n)]
    for i in range(n):
        for j in range(i):
            x[i] -= factors.upper[j][i - j] * x[j]
        x[i] *= factors.inverse_pivots[i]
    for column in reversed(factors.exchanges):
        for e in column:
            x[e.column] -= e.factor * x[e.row]
        for e in reversed(column):
            a, c = x[e.column], x[e.row]
            x[e.column] = ca.if_else(e.exchanged, c, a)
            x[e.row] = ca.if_else(e.exchanged, a, c)
    return ca.vertcat(*x)
