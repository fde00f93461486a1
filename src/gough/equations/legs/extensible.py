"""Legs that extend, as the short equations of hexapods take them: records of CasADi values.

Vectors are 3x1 and tensors 3x3. Whether a value is a constant or a parameter is not the
equations' business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from math import nan

import casadi as ca

from gough.equations.actuators.connector import ConnectorLaw
from gough.equations.legs.base_joint import BaseJoint
from gough.equations.spatial.algebra import Value, norm


@dataclass(frozen=True)
class Encoders:
    """Those of all actuators."""

    offset: Value | float = 0.0
    """(n) positions [m, rad] at which they read zero."""
    gain: Value | float = 1.0
    """(n) by how much positions change where readings change by one."""

    def readings(self, positions: Value) -> Value:
        """Return the encoders' readings at positions (n) of the actuators."""
        return (positions - self.offset) / self.gain

    def positions(self, readings: Value) -> Value:
        """Where the actuators are at readings (n)."""
        return self.gain * readings + self.offset


TRUE = Encoders()
"""They read the positions themselves."""


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

    rigidity: Value
    """E A [N]."""
    dead_length: Value
    """Length of the leg [m] at which its free length is zero."""


@dataclass(frozen=True)
class JointSprings:
    """The joints at a leg's ends."""

    radial: Value
    """Compliance of both across the leg, one after the other [m/N]."""
    base_bending: Value
    """Against turning across the leg [N m/rad]."""
    platform_bending: Value
    torsion: Value
    """Against turning about the leg, of both one after the other [N m/rad]."""


@dataclass(frozen=True)
class LegSprings:
    """Springs of a leg. With a compliant connector, its piston is held by springs only."""

    driving: Value
    """Compliance from the base to the piston that does not change with the length [m/N]."""
    screw: FreeScrew | None
    bearing: Value
    """Compliance of the platform joint along the leg [m/N]."""
    connector: ConnectorLaw
    joints: JointSprings | None

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
class LegFriction:
    """Friction at a leg's two ends: viscous [N m s/rad] and dry [N m].

    In a universal joint it holds for each of the two axes, in a spherical joint for the turning as
    a whole.
    """

    base_damping: Value
    base_friction: Value
    platform_damping: Value
    platform_friction: Value


@dataclass(frozen=True)
class Leg:
    """A leg: what it stands on, joint centres in the base and the platform frame [m], its parts."""

    base_joint: BaseJoint
    base: Value
    platform: Value
    cylinder: RigidPart
    piston: RigidPart
    springs: LegSprings | None = None
    """Springs of the leg; None: it is rigid."""
    damping: Value | None = None
    """Viscous friction of actuator and transmission [N s/m]; None: none is stated."""
    friction: LegFriction | None = None
    """Friction in its passive joints; None: none is stated."""
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
    home: Value = NO_POSE
    """A reference pose: passive joints count their angles from there."""
    flexible_base: Value | None = None
    """Compliance of the base on its foundation [m/N, rad/N, rad/(N m)]; None: rigid.

    At its origin (6x6), or at the joints of its n legs (3n x 3n)."""
    flexible_platform: Value | None = None
    """Compliance of the platform frame on its joints, or of these on the fixed frame; its axes."""
    encoders: Encoders = TRUE


def machine_size(machine: ExtensibleLegs) -> Value:
    """Return the larger one of the base's and the platform's radius [m].

    The radius of a body is the maximum distance of its joint centres from their mean.
    """
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
