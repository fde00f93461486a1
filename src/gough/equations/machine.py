"""What the equations know of a machine: plain records of CasADi values, numbers or symbols.

Vectors are 3x1 and tensors 3x3. Whether a value is a constant or a parameter is not the
equations' business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

from gough.equations.legs.base_joint import BaseJoint
from gough.equations.spatial.algebra import Value

if TYPE_CHECKING:
    from gough.equations.elastic.springs import LegSprings
    from gough.equations.encoders import Encoders

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


@dataclass(frozen=True)
class Machine:
    """A Gough-Stewart platform: gravity [m/s^2] in base axes, the platform and its legs."""

    gravity: Value
    platform: Platform
    legs: tuple[Leg, ...]
    home: Value = NO_POSE
    """A reference pose: passive joints count their angles from there."""
    flexible_base: Value = None
    """Compliance (6x6) [m/N, rad/N, rad/(N m)] of the base on its foundation; None: rigid."""
    flexible_platform: Value = None
    """The same of the platform frame on its joints, in its own axes."""
    encoders: Encoders | None = None
