"""Legs that extend, as the short equations of hexapods take them: records of CasADi values.

Vectors are 3x1 and tensors 3x3. Whether a value is a constant or a parameter is not the
equations' business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import casadi as ca

from gough.equations.legs.base_joint import BaseJoint
from gough.equations.spatial.algebra import Value, norm

if TYPE_CHECKING:
    from gough.equations.elastic.springs import JointSprings, LegSprings


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
ANY_LENGTH = (-ca.inf, ca.inf)


@dataclass(frozen=True)
class RigidPlatform:
    """The moving body: mass [kg], mass centre [m] and inertia about it [kg m^2], its own axes."""

    mass: Value
    center_of_mass: Value
    inertia: Value


@dataclass(frozen=True)
class LegPart:
    """A cylinder or piston: mass [kg], inertia about its mass centre on the leg's axes [kg m^2].

    `center_of_mass` [m] is the distance along the leg from the part's own joint: from the base
    joint for the cylinder, back from the platform joint for the piston.
    """

    mass: Value
    center_of_mass: Value
    inertia: Value


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
    cylinder: LegPart
    piston: LegPart
    stroke: Value | tuple[float, float] = ANY_LENGTH
    """Shortest and longest [m]."""
    springs: LegSprings | None = None
    """Springs of the leg; None: it is rigid."""
    base_joint_limit: Value | None = None
    """Maximum angle from its direction at home, in the base [rad]."""
    platform_joint_limit: Value | None = None
    """Maximum angle from its direction at home, in the platform [rad]."""
    radius: Value | None = None
    """[m]"""
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
    platform: RigidPlatform
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
