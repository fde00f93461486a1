"""What the machine on compliant legs stores as energy."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.actuators import connector
from gough.equations.actuators.compliant_leg import (
    CompliantLeg,
    Inner,
    fixed_and_sliding_moments,
    legs_of,
)
from gough.equations.actuators.connector import Connector
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import (
    Value,
    angular,
    cross,
    dot,
    linear,
    position,
    rotation,
    vector,
)


def energy(
    machine: Machine, connectors: Sequence[Connector], pose: Value, twist: Value, inner: Inner
) -> Value:
    """Kinetic energy, potential of gravity and energy of the springs [J], 3x1.

    A mass at the base frame's origin has no potential.
    """
    platform, R, omega = machine.platform, rotation(pose), angular(twist)
    c = R @ platform.center_of_mass
    v, w = linear(twist) + cross(omega, c), R.T @ omega
    kinetic = platform.mass * dot(v, v) / 2 + dot(w, platform.inertia @ w) / 2
    potential = -platform.mass * dot(machine.gravity, position(pose) + c)
    springs = ca.DM(0)
    for leg in legs_of(machine, connectors, pose, twist, inner):
        first, second = _moments(leg)
        mass = leg.leg.cylinder.mass + leg.leg.piston.mass
        kinetic += _kinetic(leg, second)
        potential -= mass * dot(machine.gravity, leg.leg.base) + first * leg.weight
        springs += _spring_energy(leg)
    return vector(kinetic, potential, springs)


def _moments(leg: CompliantLeg) -> tuple[Value, Value]:
    """Σ m r and Σ m r² of the whole leg about its base joint."""
    first, second = fixed_and_sliding_moments(leg)
    if leg.connector.is_rigid:
        m, E = leg.leg.piston.mass, leg.inner.E
        first, second = first + m * E, second + m * E**2
    return first, second


def _kinetic(leg: CompliantLeg, second: Value) -> Value:
    w = ca.horzcat(*leg.leg.base_joint.axes(leg.at.s)).T @ leg.v.omega
    turning = second * leg.turning + dot(w, (leg.leg.cylinder.inertia + leg.leg.piston.inertia) @ w)
    sliding = leg.leg.piston.mass * leg.inner.E_dot**2
    if leg.connector.decoupling is not None:
        sliding += leg.connector.decoupling.mass * leg.inner.D_dot**2
    return (turning + sliding) / 2


def _spring_energy(leg: CompliantLeg) -> Value:
    of_leg, stored = leg.connector, ca.DM(0)
    whole = leg.inner.E - leg.at.l + connector.free_length(leg.leg)
    if of_leg.stiffness is not None:
        stored += of_leg.stiffness * (whole - leg.inner.delta_c) ** 2 / 2
    if of_leg.coupling is not None:
        stored += of_leg.coupling.stiffness * leg.inner.delta_c**2 / 2
    if of_leg.decoupling is not None:
        stage = of_leg.decoupling
        stored += stage.stiffness * (leg.inner.D - stage.position) ** 2 / 2
    return stored
