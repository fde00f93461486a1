"""Legs that extend, as the short equations of hexapods take them: records of CasADi values.

Vectors are 3x1 and tensors 3x3. Whether a value is a constant or a parameter is not the
equations' business.

A compliant leg has Baiges's connector, or a special case of it [Baiges 1996, ch. 2, 4]. From the
base joint, along the leg: the actuator moves M_e at E against the friction C_t; the spring K_L
joins it to the point H, and the coupling stage, K_c and C_c side by side, joins H to the platform
joint at L. The decoupling stage is M_d at D, on a spring K_d from the base part, with a damper C_d
to the platform joint. Compression is positive.

    platform  <--[ C_d ]--  M_d  --[ K_d ]--  base part
    platform  <--[ K_c, C_c ]--  H  --[ K_L ]--  M_e  <--  F_a

H has no mass. The coupling stage's deflection δ_c = H - L + l_co stands in for it, so that no
result depends on how the free lengths l_Lo and l_co share their sum: it is the distance of M_e, the
leg's piston, from the platform joint when no force is on the springs. The leg's cylinder is M_b
together with M_d in its place l_do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import nan
from typing import Literal

import casadi as ca

from gough.equations.legs.base_joint import BaseJoint
from gough.equations.spatial.algebra import Value, norm

Mode = Literal["rigid", "simple", "low-frequency", "high-frequency", "complete"]
MODES: tuple[Mode, ...] = ("rigid", "simple", "low-frequency", "high-frequency", "complete")


@dataclass(frozen=True)
class CouplingLaw:
    """The stage between leg and platform: K_c [N/m], C_c [N s/m]; None: there is no damper."""

    stiffness: Value
    damping: Value | None
    opening: Value | float = 1.0
    """Opening of the damper's valve: 1 for C_c, 0 where it is locked, beside a spring K_L."""


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

    damping: Value  # C_t [N s/m], the friction of actuator and transmission
    stiffness: Value | None = None  # K_L [N/m]; None: rigid
    coupling: CouplingLaw | None = None
    decoupling: DecouplingLaw | None = None

    @property
    def is_rigid(self) -> bool:
        """Whether the actuator moves the platform joint directly: E = L - l_Lo - l_co."""
        return self.stiffness is None and self.coupling is None

    @property
    def keeps_coupling(self) -> bool:
        """Whether δ_c has a rate of its own: a spring before and a damper in the stage."""
        damped = self.coupling is not None and self.coupling.damping is not None
        return damped and self.stiffness is not None

    @property
    def coupling_share(self) -> Value:
        """δ_c as a share of the whole compression where it has no rate of its own."""
        if self.coupling is None or self.stiffness is None:
            return ca.DM(self.coupling is not None)
        return self.stiffness / (self.stiffness + self.coupling.stiffness)

    @property
    def compliance(self) -> Value:
        """Deflection per static force [m/N] of K_L and K_c, which are in series."""
        parts = ca.DM(0)
        if self.stiffness is not None:
            parts += 1 / self.stiffness
        if self.coupling is not None:
            parts += 1 / self.coupling.stiffness
        return parts  # erratum of 6.(31)

    def forced_coupling_rate(self, force: Value, delta_c: Value) -> Value:
        """The rate of δ_c [m/s] if the force F_kL is given; zero where the stage has no damper."""
        stage = self.coupling
        if stage is None or stage.damping is None:
            return ca.DM(0)
        return stage.opening * (force - stage.stiffness * delta_c) / stage.damping  # 4.(37)

    def in_mode(self, mode: Mode) -> ConnectorLaw:
        """Return the connector with its valves set for an operating mode [2.5].

        A closed coupling damper locks that stage (C_c → ∞; 4.6.6 has C_d there by mistake); an open
        decoupling damper lets M_d swing on its spring (C_d = 0). "complete" uses both stages;
        "rigid" locks every part, K_L and K_d included.
        """
        if mode == "rigid":
            return ConnectorLaw(self.damping)
        stage = self.decoupling
        if mode in ("simple", "low-frequency") and stage is not None:
            stage = replace(stage, damping=ca.DM(0))
        coupling = None if mode in ("simple", "high-frequency") else self.coupling
        return replace(self, coupling=coupling, decoupling=stage)


RIGID = ConnectorLaw(ca.DM(0))


@dataclass(frozen=True)
class Encoders:
    """Those of all actuators."""

    offset: Value | float = 0.0  # (n) positions [m, rad] at which they read zero
    gain: Value | float = 1.0  # (n) by how much positions change where readings change by one

    def readings(self, positions: Value) -> Value:
        """Return the encoders' readings at positions (n) of the actuators."""
        return (positions - self.offset) / self.gain

    def positions(self, readings: Value) -> Value:
        """Where the actuators are at readings (n)."""
        return self.gain * readings + self.offset


TRUE = Encoders()  # they read the positions themselves

NO_POSE = ca.DM([0, 0, 0, 1, 0, 0, 0])


@dataclass(frozen=True)
class RigidPart:
    """A platform, cylinder or piston: mass [kg], mass centre [m], inertia about it [kg m^2].

    Of the platform in its own frame. Of parts of a leg on the leg's axes, `center_of_mass` being
    the distance along the leg from the part's own joint: from the base joint for the cylinder, back
    from the platform joint for the piston.
    """

    mass: Value
    center_of_mass: Value
    inertia: Value


@dataclass(frozen=True)
class FreeScrew:
    """A screw whose free length grows with the leg's."""

    rigidity: Value  # E A [N]
    dead_length: Value  # length of the leg [m] at which its free length is zero


@dataclass(frozen=True)
class JointSprings:
    """The joints at a leg's ends."""

    radial: Value  # compliance of both across the leg, one after the other [m/N]
    base_bending: Value  # against turning across the leg [N m/rad]
    platform_bending: Value
    torsion: Value  # against turning about the leg, of both one after the other [N m/rad]


@dataclass(frozen=True)
class LegSprings:
    """Springs of a leg. With a compliant connector, its piston is held by springs only."""

    driving: Value  # compliance from base to piston that does not change with the length [m/N]
    screw: FreeScrew | None
    bearing: Value  # compliance of the platform joint along the leg [m/N]
    connector: ConnectorLaw  # the connector without its dampers
    dampers: ConnectorLaw = RIGID  # the connector with them

    @property
    def rigid_behind(self) -> bool:
        """Whether nothing yields from the base to the piston, its motor held."""
        return self.screw is None and bool(self.driving.is_zero())

    def behind(self, l: Value) -> Value:
        """Compliance [m/N] from the base to the piston at a length of the leg, its motor held."""
        if self.screw is None:
            return self.driving
        free = l - self.screw.dead_length
        return self.driving + ca.if_else(free >= 0, free, nan) / self.screw.rigidity

    def ahead(self) -> Value:
        """Compliance [m/N] from the piston to the platform."""
        return self.bearing + self.connector.compliance

    @property
    def as_one(self) -> ConnectorLaw:
        """The connector whose stiffness is that of all springs between piston and platform."""
        if self.connector.is_rigid:
            return self.connector
        return replace(self.connector, stiffness=1 / self.ahead(), coupling=None)


@dataclass(frozen=True)
class Leg:
    """A leg: what it stands on, joint centres in the base and the platform frame [m], its parts."""

    base_joint: BaseJoint
    base: Value
    platform: Value
    cylinder: RigidPart
    piston: RigidPart
    springs: LegSprings | None = None  # springs of the leg; None: it is rigid
    flexures: JointSprings | None = None
    """Rotational springs of its passive joints, counted from home; None: they turn freely."""


@dataclass(frozen=True)
class ExtensibleLegs:
    """A Gough-Stewart platform: gravity [m/s^2] in base axes, the platform and its legs.

    Its general `Machine` is made of it by `model.hexapod_machine`.
    """

    gravity: Value
    platform: RigidPart
    legs: tuple[Leg, ...]
    home: Value = NO_POSE  # a reference pose: passive joints count their angles from there
    flexible_base: Value | None = None
    """Compliance of the base on its foundation [m/N, rad/N, rad/(N m)]; None: rigid.

    At its origin (6x6), or at the joints of its n legs (3n x 3n)."""
    flexible_platform: Value | None = None
    """Compliance of the platform frame on its joints, or of these on the fixed frame; its axes."""


def machine_size(machine: ExtensibleLegs) -> Value:
    """Return the maximum distance [m] of base or platform joints from their mean."""
    bodies = [leg.base for leg in machine.legs], [leg.platform for leg in machine.legs]
    return ca.fmax(*(_radius(joints) for joints in bodies))


def platform_arm(machine: ExtensibleLegs) -> Value:
    """Return the maximum distance of a platform joint from the first one [m]."""
    first, *others = (leg.platform for leg in machine.legs)
    return reduce(ca.fmax, (norm(joint - first) for joint in others))


def platform_reach(machine: ExtensibleLegs) -> Value:
    """Return the maximum distance of a platform joint from the platform's origin [m]."""
    return reduce(ca.fmax, (norm(leg.platform) for leg in machine.legs))


def _radius(joints: Sequence[Value]) -> Value:
    middle = sum(joints[1:], joints[0]) / len(joints)
    return reduce(ca.fmax, (norm(joint - middle) for joint in joints))


def springs_of(machine: ExtensibleLegs, k: int) -> LegSprings:
    """The springs of a leg, which every leg of an elastic machine has."""
    springs = machine.legs[k].springs
    assert springs is not None
    return springs
