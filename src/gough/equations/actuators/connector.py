"""One compliant leg: Baiges's connector, and the special cases that it has [Baiges 1996, ch. 2, 4].

From the base joint, along the leg: the actuator moves M_e at E against the friction C_t; the spring
K_L joins it to the point H, and the coupling stage, K_c and C_c side by side, joins H to the
platform joint at L. The decoupling stage is M_d at D, on a spring K_d from the base part, with a
damper C_d to the platform joint. Compression is positive.

    platform  <--[ C_d ]--  M_d  --[ K_d ]--  base part
    platform  <--[ K_c, C_c ]--  H  --[ K_L ]--  M_e  <--  F_a

H has no mass. The coupling stage's deflection δ_c = H - L + l_co stands in for it, so that no
result depends on how the free lengths l_Lo and l_co share their sum: it is the distance of M_e, the
leg's piston, from the platform joint when no force is on the springs. The leg's cylinder is M_b
together with M_d in its place l_do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import casadi as ca

from gough.equations.legs.extensible import Leg
from gough.equations.spatial.algebra import Value

Mode = Literal["rigid", "simple", "low-frequency", "high-frequency", "complete"]
MODES: tuple[Mode, ...] = ("rigid", "simple", "low-frequency", "high-frequency", "complete")


@dataclass(frozen=True)
class CouplingLaw:
    """The stage between leg and platform: K_c [N/m], C_c [N s/m]; None: there is no damper."""

    stiffness: Value
    damping: Value | None


@dataclass(frozen=True)
class DecouplingLaw:
    """The stage beside the leg: M_d [kg], l_do [m] from the base joint, K_d [N/m], C_d [N s/m]."""

    mass: Value
    position: Value
    stiffness: Value
    damping: Value


@dataclass(frozen=True)
class ConnectorLaw:
    """Compliant parts of a leg. A part that is None is locked; if all are, the leg is rigid."""

    damping: Value
    """C_t [N s/m], the friction of actuator and transmission."""
    stiffness: Value | None = None
    """K_L [N/m]; None: rigid."""
    coupling: CouplingLaw | None = None
    decoupling: DecouplingLaw | None = None

    @property
    def is_rigid(self) -> bool:
        """Whether the actuator moves the platform joint directly: E = L - l_Lo - l_co."""
        return self.stiffness is None and self.coupling is None

    @property
    def keeps_coupling(self) -> bool:
        """Whether δ_c has a rate of its own: a spring before and a damper in the stage."""
        return (
            self.stiffness is not None
            and self.coupling is not None
            and self.coupling.damping is not None
        )


RIGID = ConnectorLaw(ca.DM(0))


@dataclass(frozen=True)
class LegStretch:
    """A leg's inner coordinates [m, m/s], also those that are locked or follow another."""

    E: Value
    """M_e's distance from the base joint."""
    delta_c: Value
    """Compression of the coupling stage."""
    D: Value | float
    """M_d's distance from the base joint; zero where there is none."""
    E_dot: Value
    D_dot: Value | float


def in_mode(connector: ConnectorLaw, mode: Mode) -> ConnectorLaw:
    """The connector with its valves set for an operating mode [2.5].

    A closed coupling damper locks that stage (C_c → ∞; 4.6.6 has C_d there by mistake); an open
    decoupling damper lets M_d swing on its spring (C_d = 0). "complete" uses both stages; "rigid"
    locks every part, K_L and K_d included.
    """
    if mode == "rigid":
        return ConnectorLaw(connector.damping)
    stage = connector.decoupling
    if mode in ("simple", "low-frequency") and stage is not None:
        stage = replace(stage, damping=ca.DM(0))
    coupling = None if mode in ("simple", "high-frequency") else connector.coupling
    return replace(connector, coupling=coupling, decoupling=stage)


def free_length(leg: Leg) -> Value:
    """l_Lo + l_co [m]: from M_e to the platform joint, without force."""
    return leg.piston.center_of_mass


def stretch(
    leg: Leg, connector: ConnectorLaw, l: Value, l_dot: Value, given: LegStretch
) -> LegStretch:
    """The inner coordinates at a leg's length and its rate: those given, where they are free."""
    E = l - free_length(leg) if connector.is_rigid else given.E
    E_dot = l_dot if connector.is_rigid else given.E_dot
    delta_c = given.delta_c
    if not connector.keeps_coupling:
        delta_c = coupling_share(connector) * (E - l + free_length(leg))
    stage = connector.decoupling
    D = 0 if stage is None else given.D
    D_dot = 0 if stage is None else given.D_dot
    return LegStretch(E, delta_c, D, E_dot, D_dot)


def coupling_share(connector: ConnectorLaw) -> Value:
    """δ_c as a share of the whole compression where it has no rate of its own."""
    if connector.coupling is None:
        return ca.DM(0)
    if connector.stiffness is None:
        return ca.DM(1)
    return connector.stiffness / (connector.stiffness + connector.coupling.stiffness)


def compliance(connector: ConnectorLaw) -> Value:
    """Deflection per static force [m/N] of K_L and K_c, which are in series."""
    parts = ca.DM(0)
    if connector.stiffness is not None:
        parts += 1 / connector.stiffness
    if connector.coupling is not None:
        parts += 1 / connector.coupling.stiffness
    return parts  # erratum of 6.(31)


def spring_force(
    leg: Leg, connector: ConnectorLaw, l: Value, l_dot: Value, at: LegStretch
) -> Value:
    """F_kL [N], what a leg with springs pushes with, the decoupling stage left out."""
    whole = at.E - l + free_length(leg)  # δ_L + δ_c; errata: 4.(23), (36) have wrong signs
    if connector.stiffness is not None:
        return connector.stiffness * (whole - at.delta_c)  # 4.(22), (37)
    stage = connector.coupling
    if stage is None:
        return ca.DM(0)
    damper = 0 if stage.damping is None else stage.damping * (at.E_dot - l_dot)
    return stage.stiffness * whole + damper  # 4.(35)


def coupling_rate(connector: ConnectorLaw, force: Value, l_dot: Value, at: LegStretch) -> Value:
    """The rate of δ_c [m/s] under the force F_kL on the coupling stage."""
    if not connector.keeps_coupling:
        return coupling_share(connector) * (at.E_dot - l_dot)
    return forced_coupling_rate(connector, force, at.delta_c)


def forced_coupling_rate(connector: ConnectorLaw, force: Value, delta_c: Value) -> Value:
    """The rate of δ_c [m/s] if the force is given; zero where the stage has no damper."""
    stage = connector.coupling
    if stage is None or stage.damping is None:
        return ca.DM(0)
    return (force - stage.stiffness * delta_c) / stage.damping  # 4.(37)


def decoupling_force(connector: ConnectorLaw, l_dot: Value, at: LegStretch) -> Value:
    """F_cd [N], what the decoupling stage pushes the platform with."""
    stage = connector.decoupling
    return ca.DM(0) if stage is None else stage.damping * (at.D_dot - l_dot)  # 4.(25)


def decoupling_acceleration(
    connector: ConnectorLaw, l_dot: Value, at: LegStretch, turning: Value, weight: Value
) -> Value:
    """D̈ [m/s^2]; `turning` is |ṡ|² [1/s^2], `weight` is gravity along the leg [m/s^2]."""
    stage = connector.decoupling
    if stage is None:
        return ca.DM(0)
    damper = decoupling_force(connector, l_dot, at)
    spring = stage.stiffness * (at.D - stage.position)  # 4.(25), (26)
    return at.D * turning + weight - (damper + spring) / stage.mass  # 6.(25)
