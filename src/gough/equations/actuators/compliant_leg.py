"""A compliant leg in motion: where its masses are, what they weigh, and how it pushes.

Of a leg whose masses slide along it, the platform feels the leg as it is at this moment, a rigid
body that turns about its base joint, and 2 m r ṙ ṡ / l across the leg for each mass m that slides
at a distance r, the Coriolis force of Baiges 1996, 6.(24.e).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import casadi as ca
from casadi import dot

from gough.equations.legs.closure import LegPosition, LegVelocity, leg_position, leg_velocity
from gough.equations.legs.extensible import ConnectorLaw, ExtensibleLegs, Leg, RigidPart
from gough.equations.spatial.algebra import Value, vector, wrench_at

Connectors = Sequence[ConnectorLaw]
MASSLESS = RigidPart(ca.DM(0), ca.DM(0), ca.DM.zeros(3, 3))


@dataclass(frozen=True)
class Inner:
    """The inner coordinates of all legs, each (n), or of one, and their rates [m, m/s].

    E and D are the distances of M_e and M_d from the base joint, δ_c is the compression of the
    coupling stage. Where a coordinate is locked or follows another, its number is not used.
    """

    E: Value
    delta_c: Value
    D: Value
    E_dot: Value
    D_dot: Value

    @classmethod
    def of(cls, numbers: Value) -> Self:
        """From one column of 5n numbers, in the order of the fields."""
        return cls(*ca.vertsplit(numbers, numbers.shape[0] // 5))

    @classmethod
    def of_legs(cls, legs: Sequence[Self]) -> Self:
        """From those of each leg."""
        return cls(*(vector(*(vars(leg)[name] for leg in legs)) for name in cls.__annotations__))

    @classmethod
    def none(cls, legs: int) -> Self:
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
    inner: Inner  # coordinates of this leg, also those that are locked or follow another
    turning: Value  # |ṡ|² [1/s^2]
    weight: Value  # gravity along the leg [m/s^2]

    @property
    def unloaded_position(self) -> Value:
        """E [m] without a force on the springs, l_Lo + l_co from the platform joint."""
        return self.at.l - self.leg.piston.center_of_mass

    @property
    def compression(self) -> Value:
        """δ_L + δ_c [m]; errata: 4.(23), (36) have wrong signs."""
        return self.inner.E - self.at.l + self.leg.piston.center_of_mass

    @property
    def spring_force(self) -> Value:
        """F_kL [N], without the decoupling stage; zero for a rigid leg, whose actuator pushes."""
        if self.connector.stiffness is not None:
            delta_L = self.compression - self.inner.delta_c
            return self.connector.stiffness * delta_L  # 4.(22), (37)
        stage = self.connector.coupling
        if stage is None:
            return ca.DM(0)
        damper = 0 if stage.damping is None else stage.damping * (self.inner.E_dot - self.v.l_dot)
        return stage.stiffness * self.compression + damper  # 4.(35)

    @property
    def stage_force(self) -> Value:
        """F_cd [N] of the decoupling stage on the platform; 4.(25)."""
        stage = self.connector.decoupling
        return ca.DM(0) if stage is None else stage.damping * (self.inner.D_dot - self.v.l_dot)

    @property
    def friction_force(self) -> Value:
        """C_t Ė [N]."""
        return self.connector.damping * self.inner.E_dot

    def moving_force(self, E_ddot: Value | float) -> Value:
        """The force [N] along the leg that moves M_e, against its weight: the bracket of 6.(26)."""
        return self.leg.piston.mass * (E_ddot - self.inner.E * self.turning - self.weight)

    @property
    def coupling_rate(self) -> Value:
        """The rate of δ_c [m/s]."""
        if not self.connector.keeps_coupling:
            return self.connector.coupling_share * (self.inner.E_dot - self.v.l_dot)
        return self.connector.forced_coupling_rate(self.spring_force, self.inner.delta_c)

    @property
    def stage_acceleration(self) -> Value:
        """D̈ [m/s^2]; zero where M_d is locked."""
        stage = self.connector.decoupling
        if stage is None:
            return ca.DM(0)
        spring = stage.stiffness * (self.inner.D - stage.position)  # 4.(25), (26)
        pushed = (self.stage_force + spring) / stage.mass
        return self.inner.D * self.turning + self.weight - pushed  # 6.(25)

    @property
    def resting_stage(self) -> Value:
        """D [m] at rest."""
        stage = self.connector.decoupling
        if stage is None:
            return ca.DM(0)
        return stage.position + stage.mass * self.weight / stage.stiffness  # 6.(32)

    def resting_coupling(self, force: Value) -> Value:
        """δ_c [m] at rest under a force F_kL."""
        coupling = self.connector.coupling
        return ca.DM(0) if coupling is None else force / coupling.stiffness

    @property
    def moments(self) -> tuple[Value, Value]:
        """Σ m r [kg m], Σ m r² [kg m^2] about the base joint; without the piston of a rigid leg."""
        m1, c1 = self.leg.cylinder.mass, self.leg.cylinder.center_of_mass
        first, second = m1 * c1, m1 * c1**2
        if not self.connector.is_rigid:
            m, E = self.leg.piston.mass, self.inner.E
            first, second = first + m * E, second + m * E**2
        stage = self.connector.decoupling
        if stage is not None:  # in its place M_d is part of the cylinder
            m, D, l_do = stage.mass, self.inner.D, stage.position
            first, second = first + m * (D - l_do), second + m * (D**2 - l_do**2)
        return first, second

    @property
    def as_one_body(self) -> Leg:
        """The leg whose cylinder holds, where they are now, all masses that slide freely.

        Only moments about the base joint count: Σ m r, as of a mass at the distance l, and Σ m r²;
        the inertia across the leg takes the difference. A rigid leg's piston stays one.
        """
        rigid, (first, second) = self.connector.is_rigid, self.moments
        parts = [self.leg.cylinder] if rigid else [self.leg.cylinder, self.leg.piston]
        across = (second - first * self.at.l) * ca.diag(ca.DM([1, 1, 0]))
        inertia = sum((part.inertia for part in parts), across)
        cylinder = RigidPart(first * self.at.inverse_l, self.at.l, inertia)
        return replace(self.leg, cylinder=cylinder, piston=self.leg.piston if rigid else MASSLESS)


def legs_of(
    machine: ExtensibleLegs, connectors: Connectors, pose: Value, twist: Value, inner: Inner
) -> list[CompliantLeg]:
    """All legs at a state: inner coordinates are those given, where they are free."""
    states = []
    for k, (leg, connector) in enumerate(zip(machine.legs, connectors, strict=True)):
        at = leg_position(leg, pose)
        v = leg_velocity(leg, at, twist)
        given = Inner(*(numbers[k] for numbers in vars(inner).values()))
        if connector.is_rigid:
            given = replace(given, E=at.l - leg.piston.center_of_mass, E_dot=v.l_dot)
        if connector.decoupling is None:
            given = replace(given, D=ca.DM(0), D_dot=ca.DM(0))
        turning, weight = dot(v.s_dot, v.s_dot), dot(machine.gravity, at.s)
        state = CompliantLeg(leg, connector, at, v, given, turning, weight)
        if not connector.keeps_coupling:
            delta_c = connector.coupling_share * state.compression
            state = replace(state, inner=replace(given, delta_c=delta_c))
        states.append(state)
    return states


def as_one_body(machine: ExtensibleLegs, legs: Sequence[CompliantLeg]) -> ExtensibleLegs:
    """The machine whose legs hold all that slides in them as it is now."""
    return replace(machine, legs=tuple(leg.as_one_body for leg in legs))


def coriolis(legs: Sequence[CompliantLeg]) -> Value:
    """The wrench [N, N m] that masses take to slide along turning legs: 6.(24.e)."""
    wrench = ca.DM.zeros(6)
    for leg in legs:
        m_r_rdot = ca.DM(0)
        if not leg.connector.is_rigid:
            m_r_rdot += leg.leg.piston.mass * leg.inner.E * leg.inner.E_dot
        if leg.connector.decoupling is not None:
            m_r_rdot += leg.connector.decoupling.mass * leg.inner.D * leg.inner.D_dot
        wrench += wrench_at(leg.at.b, 2 * m_r_rdot * leg.at.inverse_l * leg.v.s_dot)
    return wrench
