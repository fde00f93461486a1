"""Signals of a controller: its measurements and its reference.

A law is a function of a `Sample` that returns a command and the law's next state.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import casadi as ca

from gough.equations.actuators.drive import Drives, reflected_damping, reflected_mass
from gough.equations.closure.closing import newton_step
from gough.equations.forces.contact import ContactSurface
from gough.equations.forces.dynamics import inverse_dynamics, required_forces
from gough.equations.forces.passive_joints import spring_wrench
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.solvers.linear import DampedFit, Fit
from gough.equations.spatial.algebra import Value, vector
from gough.equations.spatial.pose import normalised, nudge

SIZE = 13  # numbers that an estimate carries from sample to sample: pose and twist


@dataclass(frozen=True)
class Measurement:
    """Measurements of the sensors: quantities of the actuators (n), and a wrench (6)."""

    q: Value  # positions of the driven joints [m, rad], of compliant legs the actuators'
    q_dot: Value  # their rates [m/s, rad/s]
    wrench: Value  # the external wrench [N, N m] of a force sensor
    deflection: Value  # compression of the coupling stages [m]; zero where legs have none
    push: Value  # forces in the connectors [N] that sensors measure; zero without sensors

    @classmethod
    def of(cls, numbers: Value) -> Self:
        """From one column of 4n + 6 numbers."""
        n = (numbers.shape[0] - 6) // 4
        return cls(*ca.vertsplit(numbers, [0, n, 2 * n, 2 * n + 6, 3 * n + 6, 4 * n + 6]))

    def column(self) -> Value:
        """All in one column."""
        return ca.vertcat(self.q, self.q_dot, self.wrench, self.deflection, self.push)


@dataclass(frozen=True)
class Reference:
    """The motion to follow, at this sample: pose, twist and acceleration."""

    pose: Value
    twist: Value
    acceleration: Value

    @classmethod
    def of(cls, numbers: Value) -> Self:
        """From one column of 19 numbers."""
        return cls(numbers[0:7], numbers[7:13], numbers[13:19])


@dataclass(frozen=True)
class Sample:
    """Inputs of a law at one sample."""

    machine: Machine  # the machine that the controller knows
    period: float  # sample time [s]
    limit: Value  # maximum command (n); infinite where there is none
    drives: Drives | None  # None where the machine has none
    travel: tuple[Value, Value] | None
    """Minimum and maximum positions (n) at which the reference is clipped; None: it is not."""
    state: Value  # the law's own state, from the last sample
    measurement: Measurement
    reference: Reference
    gains: Mapping[str, Value]  # matrices by name
    surface: ContactSurface | None = None  # the one that is known, in whose axes it works

    @cached_property
    def joint_errors(self) -> tuple[Value, Value]:
        """Errors of the driven joints [m, rad] and of their rates: reference less measurement."""
        q, (q_dot, _) = self.reference_positions, self.reference_rates
        if self.travel is not None:
            low, high = self.travel
            q = ca.if_else(q > high, high, ca.if_else(q < low, low, q))
        return q - self.measurement.q, q_dot - self.measurement.q_dot

    @cached_property
    def reference_positions(self) -> Value:
        """Positions [m, rad] of the driven joints at the reference, not clipped."""
        return kinematics.inverse_kinematics(self.machine, self.reference.pose)

    @cached_property
    def reference_rates(self) -> tuple[Value, Value]:
        """Rates [m/s, rad/s] and second rates of the reference's joints; zero where clipped."""
        at = (self.machine, self.reference.pose, self.reference.twist)
        q_dot = kinematics.joint_velocity(*at)
        q_ddot = kinematics.joint_acceleration(*at, self.reference.acceleration)
        if self.travel is None:
            return q_dot, q_ddot
        low, high = self.travel
        clipped = ca.logic_or(self.reference_positions < low, self.reference_positions > high)
        return ca.if_else(clipped, 0, q_dot), ca.if_else(clipped, 0, q_ddot)

    @cached_property
    def reference_forces(self) -> Value:
        """Forces on the driven joints [N, N m] that the reference needs, with joint springs."""
        machine, wanted = self.machine, self.reference
        at = (wanted.pose, wanted.twist, wanted.acceleration)
        return inverse_dynamics(machine, *at, spring_wrench(machine, wanted.pose))

    def correction(self) -> Value:
        """kp e + kd ė [N, N m] of the driven joints."""
        e, e_dot = self.joint_errors
        return self.gains["kp"] @ e + self.gains["kd"] @ e_dot


Law = Callable[[Sample], tuple[Value, Value]]


def without_windup(wanted: Value, growth: Value, limit: Value) -> Value:
    """The growth of an integral; none where the wanted command is beyond its limit that way."""
    beyond = ca.sign(wanted) * (ca.fabs(wanted) > limit)  # +1 or -1 there, else 0
    return ca.if_else(beyond * growth > 0, 0, growth)


def limited(command: Value, limit: Value) -> Value:
    """The command, no larger than the limit; what is no number is not taken for the limit."""
    return ca.if_else(command > limit, limit, ca.if_else(command < -limit, -limit, command))


def with_drives(drives: Drives | None, force: Value, q_dot: Value, q_ddot: Value) -> Value:
    """force + b q̇ + m_r q̈ (n) [N, N m]: forces on joints that move so, and what turns the drives.

    Dry friction and a screw's efficiency are left out: they jump where a joint turns round. Without
    drives the forces are the joints' own.
    """
    if drives is None:
        return force
    b = vector(*(reflected_damping(d) for d in drives))
    m_r = vector(*(reflected_mass(d) for d in drives))
    return force + b * q_dot + m_r * q_ddot


def encoder_reading(q: Value, noise: Value, resolution: float) -> Value:
    """Positions [m, rad] as read: noise added, rounded to the resolution if it is not zero."""
    noisy = q + noise
    return ca.floor(noisy / resolution + 0.5) * resolution if resolution else noisy


def differenced_speed(
    reading: Value, last_reading: Value, last_speed: Value, period: float, filter_time: float
) -> Value:
    """Rates [1/s] from two readings, through a first-order low-pass with a time constant [s]."""
    raw = (reading - last_reading) / period
    share = period / (period + filter_time)
    return last_speed + share * (raw - last_speed)


# Where the platform is, from the driven joints: forward kinematics that is tracked. The last
# sample's pose, carried on by its twist, is so near the present one that a single step of Newton's
# method is enough: its error is that of the carried pose, squared.


@dataclass(frozen=True)
class Estimate:
    """The platform's pose, its quaternion of any length, its twist, and the twist basis there."""

    machine: Machine
    pose: Value
    twist: Value
    T: Value  # twist basis: twist = T u
    J: Fit | DampedFit  # q̇ = J u
    drives: Drives | None = None

    @property
    def state(self) -> Value:
        """Initial state of the next sample's estimate."""
        return ca.vertcat(normalised(self.pose), self.twist)

    def acceleration(self, u_dot: Value) -> Value:
        """The platform's acceleration (6) [m/s^2, rad/s^2] at rates u̇."""
        return self.T @ u_dot + kinematics.bias_acceleration(self.machine, self.pose, self.twist)

    def acceleration_of_joints(self, q_ddot: Value) -> Value:
        """Return the platform's acceleration for those of the driven joints [m/s^2, rad/s^2]."""
        bias = kinematics.drift(self.machine, self.pose, self.twist)
        return self.acceleration(self.J.solve(q_ddot - bias))

    def force(self, acceleration: Value, wrench: Value) -> Value:
        """The forces [N, N m] of an acceleration under a wrench, with what known drives need."""
        at = (self.machine, self.pose, self.twist)
        across, along = required_forces(*at, acceleration)
        loaded = wrench + spring_wrench(self.machine, self.pose)
        on_joints = self.J.solve_transposed(across - self.T.T @ loaded, along)
        q_dot = kinematics.joint_velocity(*at)
        q_ddot = kinematics.joint_acceleration(*at, acceleration)
        return with_drives(self.drives, on_joints, q_dot, q_ddot)


def estimated(at: Sample) -> Estimate:
    """Pose and twist at this sample, from those at the last one and the driven joints."""
    machine, twist = at.machine, at.state[7:SIZE]
    carried = nudge(at.state[0:7], at.period * twist)
    pose = nudge(carried, newton_step(machine, carried, at.measurement.q))
    T = kinematics.twist_basis(machine, pose)
    J = Fit.of(kinematics.actuation_matrix(machine, pose))
    return Estimate(machine, pose, T @ J.solve(at.measurement.q_dot), T, J, at.drives)
