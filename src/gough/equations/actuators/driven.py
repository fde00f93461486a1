"""The machine with its drives: from currents and voltages to motion, and back.

Currents are the drives' states; a drive without inductance has none, and its entry is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import casadi as ca

from gough.equations.actuators import actuation, compliant
from gough.equations.actuators.actuation import Actuation
from gough.equations.actuators.compliant import Response
from gough.equations.actuators.compliant_leg import Inner
from gough.equations.actuators.connector import Connector
from gough.equations.actuators.drive import (
    Demand,
    Drive,
    current_rate,
    driving_force,
    load_factor,
    reflected_mass,
    steady_current,
)
from gough.equations.actuators.drive import demand as demand_of_drive
from gough.equations.dynamics import newton_euler
from gough.equations.legs import closure
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, vector

Motion = TypeVar("Motion", "DrivenMotion", Response)

NOTHING = ca.DM.zeros(6)

SIGN_ROUNDS = 2
"""How often the sense of the forces, on which the screws' friction depends, is found anew."""


@dataclass(frozen=True)
class DrivenMotion:
    """What the machine does."""

    acceleration: Value
    """Of the platform (6) [m/s^2, rad/s^2]."""
    force: Value
    """Of the drives on the legs (6) [N]."""


def currents(drives: Sequence[Drive], current: Value, voltage: Value, speed: Value) -> Value:
    """Currents (6) [A]: the states, or where there is no inductance those of the voltages."""
    return vector(
        *(
            steady_current(d, voltage[k], speed[k]) if d.inductance is None else current[k]
            for k, d in enumerate(drives)
        )
    )


def current_rates(drives: Sequence[Drive], current: Value, voltage: Value, speed: Value) -> Value:
    """Rates of the currents (6) [A/s] under commanded voltages."""
    return vector(
        *(current_rate(d, current[k], voltage[k], speed[k]) for k, d in enumerate(drives))
    )


def reflected_masses(drives: Sequence[Drive]) -> Value:
    """m_r of each drive (6) [kg]."""
    return vector(*(reflected_mass(d) for d in drives))


def forward_dynamics(
    machine: Machine,
    drives: Sequence[Drive],
    pose: Value,
    twist: Value,
    current: Value,
    wrench: Value,
    beside: Value = NOTHING,
) -> DrivenMotion:
    """The motion of a machine on rigid legs under currents (6) [A] [Bingul 2012 (59)].

    `beside` (6) [N] are forces along the legs that do not pass through the screws: end stops.
    """
    speed = closure.joint_velocity(machine, pose, twist)

    def under(laws: Actuation) -> DrivenMotion:
        return DrivenMotion(*actuation.forward_dynamics(machine, pose, twist, laws, wrench))

    return _settled(drives, current, speed, beside, under)


def compliant_forward_dynamics(
    machine: Machine,
    connectors: Sequence[Connector],
    drives: Sequence[Drive],
    pose: Value,
    twist: Value,
    inner: Inner,
    current: Value,
    wrench: Value,
    beside: Value = NOTHING,
) -> Response:
    """The motion of a machine on compliant legs under currents (6) [A].

    `beside` (6) [N] are forces on M_e that do not pass through the screws: end stops.
    """
    speed = compliant.inner_motion(machine, connectors, pose, twist, inner).E_dot

    def under(laws: Actuation) -> Response:
        return compliant.forward_dynamics(machine, connectors, pose, twist, inner, laws, wrench)

    return _settled(drives, current, speed, beside, under)


def demand(
    machine: Machine,
    drives: Sequence[Drive],
    pose: Value,
    twist: Value,
    acceleration: Value,
    wrench: Value,
    current_rates: Value,
) -> Demand:
    """What a motion asks of the motors, rigid legs: each 6x1. No limits are applied.

    The rates of the currents [A/s] only matter for the voltage across inductances.
    """
    force = newton_euler.inverse_dynamics(machine, pose, twist, acceleration, wrench)
    speed = closure.joint_velocity(machine, pose, twist)
    q_ddot = closure.joint_acceleration(machine, pose, twist, acceleration)
    of_legs = [
        demand_of_drive(d, speed[k], q_ddot[k], force[k], current_rates[k])
        for k, d in enumerate(drives)
    ]
    return Demand(
        vector(*(d.motor_speed for d in of_legs)),
        vector(*(d.motor_torque for d in of_legs)),
        vector(*(d.current for d in of_legs)),
        vector(*(d.voltage for d in of_legs)),
    )


def mass_matrix(machine: Machine, drives: Sequence[Drive], pose: Value) -> Value:
    """M + Jᵀ diag(m_r) J (6x6): the machine's and the drives' inertia, in twist coordinates."""
    return actuation.mass_matrix(machine, pose, reflected_masses(drives))


def _settled(
    drives: Sequence[Drive],
    current: Value,
    speed: Value,
    beside: Value,
    under: Callable[[Actuation], Motion],
) -> Motion:
    """The motion under drives whose friction depends on the sense of the forces it causes.

    The sense is first that without this friction. With the right sense the motion is exact; only
    forces near zero, whose friction is nothing, can still have the wrong one.
    """
    f = vector(*(driving_force(d, current[k], speed[k]) for k, d in enumerate(drives)))
    m = reflected_masses(drives)
    motion = _without(beside, under(Actuation(f + beside, m)))
    if all(d.efficiency is None for d in drives):
        return motion
    for _ in range(SIGN_ROUNDS):
        sense = ca.sign(motion.force)
        alpha = vector(*(load_factor(d, speed[k], sense[k]) for k, d in enumerate(drives)))
        motion = _without(beside, under(Actuation(f + alpha * beside, m, alpha)))
    return motion


def _without(beside: Value, motion: Motion) -> Motion:
    """The motion with the drives' share of the forces only."""
    return replace(motion, force=motion.force - beside)
