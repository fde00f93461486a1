"""A compliant leg in motion: where its masses are, what they weigh, and how it pushes.

Of a leg whose masses slide along it, the platform feels the leg as it is at this moment, a rigid
body that turns about its base joint, and 2 m r ṙ ṡ / l across the leg for each mass m that slides
at a distance r, the Coriolis force of Baiges 1996, 6.(24.e).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from gough.equations.actuators import connector
from gough.equations.actuators.connector import ConnectorLaw, LegStretch
from gough.equations.legs.extensible import ExtensibleLegs, Leg, LegPart
from gough.equations.legs.leg import LegPosition, LegVelocity, leg_position, leg_velocity
from gough.equations.spatial.algebra import Value, cross, dot, vector

MASSLESS = LegPart(ca.DM(0), ca.DM(0), ca.DM.zeros(3, 3))


@dataclass(frozen=True)
class Inner:
    """The inner coordinates of all legs and their rates, each (n) [m, m/s].

    E and D are the distances of M_e and M_d from the base joint, δ_c is the compression of the
    coupling stage. Where a coordinate is locked or follows another, its number is not used.
    """

    E: Value
    delta_c: Value
    D: Value
    E_dot: Value
    D_dot: Value

    @classmethod
    def of(cls, numbers: Value) -> Inner:
        """From one column of 5n numbers, in the order of the fields."""
        return cls(*ca.vertsplit(numbers, numbers.shape[0] // 5))

    @classmethod
    def none(cls, legs: int) -> Inner:
        """Return the inner state of rigid legs, whose values are not used."""
        return cls.of(ca.DM.zeros(5 * legs))

    def column(self) -> Value:
        """One column of 5n numbers."""
        return ca.vertcat(self.E, self.delta_c, self.D, self.E_dot, self.D_dot)


@dataclass(frozen=True)
class CompliantLeg:
    """A leg with its connector, at one state of the machine."""

    leg: Leg
    connector: ConnectorLaw
    at: LegPosition
    v: LegVelocity
    inner: LegStretch
    turning: Value
    """|ṡ|² [1/s^2]"""
    weight: Value
    """Gravity along the leg [m/s^2]."""


def legs_of(
    machine: ExtensibleLegs,
    connectors: Sequence[ConnectorLaw],
    pose: Value,
    twist: Value,
    inner: Inner,
) -> list[CompliantLeg]:
    """All legs at a state."""
    states = []
    for k, (leg, of_leg) in enumerate(zip(machine.legs, connectors, strict=True)):
        at = leg_position(leg, pose)
        v = leg_velocity(leg, at, twist)
        given = LegStretch(inner.E[k], inner.delta_c[k], inner.D[k], inner.E_dot[k], inner.D_dot[k])
        along = connector.stretch(leg, of_leg, at.l, v.l_dot, given)
        turning, weight = dot(v.s_dot, v.s_dot), dot(machine.gravity, at.s)
        states.append(CompliantLeg(leg, of_leg, at, v, along, turning, weight))
    return states


def as_one_body(machine: ExtensibleLegs, legs: Sequence[CompliantLeg]) -> ExtensibleLegs:
    """The machine whose cylinders hold, where they are now, all masses that slide freely.

    Only moments about the base joint count: Σ m r, as of a mass at the distance l, and Σ m r²; the
    inertia across the leg takes the difference. A rigid leg's piston stays one.
    """
    bodies = []
    for leg in legs:
        rigid = leg.connector.is_rigid
        parts = [leg.leg.cylinder] if rigid else [leg.leg.cylinder, leg.leg.piston]
        first, second = fixed_and_sliding_moments(leg)
        across = (second - first * leg.at.l) * ca.diag(ca.DM([1, 1, 0]))
        inertia = sum((part.inertia for part in parts), across)
        cylinder = LegPart(first * leg.at.inverse_l, leg.at.l, inertia)
        piston = leg.leg.piston if rigid else MASSLESS
        bodies.append(replace(leg.leg, cylinder=cylinder, piston=piston))
    return replace(machine, legs=tuple(bodies))


def fixed_and_sliding_moments(leg: CompliantLeg) -> tuple[Value, Value]:
    """Σ m r [kg m] and Σ m r² [kg m^2] about the base joint; without the piston of a rigid leg."""
    m1, c1 = leg.leg.cylinder.mass, leg.leg.cylinder.center_of_mass
    first, second = m1 * c1, m1 * c1**2
    if not leg.connector.is_rigid:
        m, E = leg.leg.piston.mass, leg.inner.E
        first, second = first + m * E, second + m * E**2
    stage = leg.connector.decoupling
    if stage is not None:  # in its place M_d is part of the cylinder
        m, D, l_do = stage.mass, leg.inner.D, stage.position
        first, second = first + m * (D - l_do), second + m * (D**2 - l_do**2)
    return first, second


def coriolis(legs: Sequence[CompliantLeg]) -> Value:
    """The wrench [N, N m] that masses take to slide along turning legs: 6.(24.e)."""
    wrench = ca.DM.zeros(6)
    for leg in legs:
        m_r_rdot = ca.DM(0)
        if not leg.connector.is_rigid:
            m_r_rdot += leg.leg.piston.mass * leg.inner.E * leg.inner.E_dot
        if leg.connector.decoupling is not None:
            m_r_rdot += leg.connector.decoupling.mass * leg.inner.D * leg.inner.D_dot
        wrench += acting_at(leg.at, 2 * m_r_rdot * leg.at.inverse_l * leg.v.s_dot)
    return wrench


def acting_at(at: LegPosition, force: Value) -> Value:
    """The wrench of a force at the platform joint."""
    return vector(force, cross(at.b, force))


def spring_force(leg: CompliantLeg) -> Value:
    """F_kL [N]; zero for a rigid leg, where the actuator itself does this."""
    return connector.spring_force(leg.leg, leg.connector, leg.at.l, leg.v.l_dot, leg.inner)


def stage_force(leg: CompliantLeg) -> Value:
    """F_cd [N] of the decoupling stage on the platform."""
    return connector.decoupling_force(leg.connector, leg.v.l_dot, leg.inner)


def friction_force(leg: CompliantLeg) -> Value:
    """C_t Ė [N]."""
    return leg.connector.damping * leg.inner.E_dot


def moving_force(leg: CompliantLeg, E_ddot: Value | float) -> Value:
    """The force [N] along the leg that moves M_e, against its weight: the bracket of 6.(26)."""
    return leg.leg.piston.mass * (E_ddot - leg.inner.E * leg.turning - leg.weight)


def unloaded_position(leg: CompliantLeg) -> Value:
    """E [m] without a force on the springs."""
    return leg.at.l - connector.free_length(leg.leg)


def coupling_rate(leg: CompliantLeg) -> Value:
    """The rate of δ_c [m/s]."""
    return connector.coupling_rate(leg.connector, spring_force(leg), leg.v.l_dot, leg.inner)


def stage_acceleration(leg: CompliantLeg) -> Value:
    """D̈ [m/s^2]; zero where M_d is locked."""
    return connector.decoupling_acceleration(
        leg.connector, leg.v.l_dot, leg.inner, leg.turning, leg.weight
    )


def resting_stage(leg: CompliantLeg) -> Value:
    """D [m] at rest."""
    stage = leg.connector.decoupling
    if stage is None:
        return ca.DM(0)
    return stage.position + stage.mass * leg.weight / stage.stiffness  # 6.(32)


def resting_coupling(leg: CompliantLeg, force: Value) -> Value:
    """δ_c [m] at rest under a force F_kL."""
    coupling = leg.connector.coupling
    return ca.DM(0) if coupling is None else force / coupling.stiffness
