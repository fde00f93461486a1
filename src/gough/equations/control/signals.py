"""Signals of a controller: its setting, its measurements and its reference.

A law is a function `law(setting, state, measurement, reference, gains)` that returns a command and
its next state. It is called once per sample; `gains` holds matrices by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.actuators.drive import DriveLaw, reflected_damping, reflected_mass
from gough.equations.machine import Machine
from gough.equations.mechanism.kinematics import inverse_kinematics, joint_velocity
from gough.equations.spatial.algebra import Value, vector


@dataclass(frozen=True)
class Setting:
    """The machine as the controller knows it, the sample time [s], the maximum command.

    `limit` (n) is infinite where there is none; `drives` are None where the machine has none.
    """

    machine: Machine
    period: float
    limit: Value
    drives: Sequence[DriveLaw] | None = None


@dataclass(frozen=True)
class Measurement:
    """Measurements of the sensors: quantities of the actuators (n), and a wrench (6)."""

    q: Value
    """Positions of the driven joints [m, rad], those of the actuators where legs are compliant."""
    q_dot: Value
    """Their rates [m/s, rad/s]."""
    wrench: Value
    """The external wrench [N, N m] of a force sensor."""
    deflection: Value
    """Compression of the coupling stages [m]; zero where legs have none."""
    push: Value
    """Forces in the connectors [N], of sensors between pistons and platform; zero without them."""

    @classmethod
    def of(cls, numbers: Value) -> Measurement:
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
    def of(cls, numbers: Value) -> Reference:
        """From one column of 19 numbers."""
        return cls(numbers[0:7], numbers[7:13], numbers[13:19])


Gains = Mapping[str, Value]
Law = Callable[[Setting, Value, Measurement, Reference, Gains], tuple[Value, Value]]


def joint_errors(
    machine: Machine, measurement: Measurement, reference: Reference
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


def through_drives(
    drives: Sequence[DriveLaw] | None, force: Value, q_dot: Value, q_ddot: Value
) -> Value:
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
