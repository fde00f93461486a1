"""What the equations know of a machine: plain records of CasADi values, numbers or symbols.

Vectors are 3x1 and tensors 3x3. Whether a value is a constant or a parameter is not the
equations' business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

from gough.equations.encoders import TRUE, Encoders
from gough.equations.legs.base_joint import BaseJoint
from gough.equations.spatial.algebra import Value

if TYPE_CHECKING:
    from gough.equations.actuators.friction import JointFriction
    from gough.equations.elastic.springs import JointSprings, LegSprings

NO_POSE = ca.DM([0, 0, 0, 1, 0, 0, 0])
ANY_LENGTH = (-ca.inf, ca.inf)


@dataclass(frozen=True)
class Platform:
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
class Leg:
    """A leg: what it stands on, joint centres in the base and the platform frame [m], its parts."""

    base_joint: BaseJoint
    base: Value
    platform: Value
    cylinder: LegPart
    piston: LegPart
    stroke: Value = ANY_LENGTH
    """Shortest and longest [m]."""
    springs: LegSprings | None = None
    """What yields in it; None: nothing does."""
    base_joint_limit: Value = None
    """Largest angle from its direction at home, in the base [rad]."""
    platform_joint_limit: Value = None
    """The same in the platform."""
    radius: Value = None
    """[m]"""
    damping: Value = None
    """Viscous friction of actuator and transmission [N s/m]; None: none is stated."""
    friction: JointFriction | None = None
    """Friction in its passive joints; None: none is stated."""
    flexures: JointSprings | None = None
    """What resists the turning of its passive joints, counted from home; None: they turn freely."""


@dataclass(frozen=True)
class Machine:
    """A Gough-Stewart platform: gravity [m/s^2] in base axes, the platform and its legs."""

    gravity: Value
    platform: Platform
    legs: tuple[Leg, ...]
    home: Value = NO_POSE
    """A reference pose: passive joints count their angles from there."""
    flexible_base: Value = None
    """Compliance of the base on its foundation [m/N, rad/N, rad/(N m)]; None: rigid.

    At its origin (6x6), or at the joints of its n legs (3n x 3n)."""
    flexible_platform: Value = None
    """The same of the platform frame on its joints, or of these with the frame held; its axes."""
    encoders: Encoders = TRUE
