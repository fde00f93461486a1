"""What the equations know of a machine of any kind: plain records of CasADi values.

A leg is a tree of joints with one freedom each, which grows out of the base; a universal joint is
two hinges with a massless link between them. At its tips the leg is held to the platform, or to
another of its own links. Every link has a frame whose z axis is its joint's axis. How the equations
are to be solved (which rows fix which joints) was found when the machine was read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import casadi as ca

from gough.equations.spatial.algebra import Value

BASE = -1
"""The link before the first joint of a leg."""


@dataclass(frozen=True)
class Body:
    """A body's mass, ∫ r dm and ∫ r rᵀ dm in its own frame [kg, kg m, kg m^2].

    Masses may be negative: a body can have lent some to its neighbour, which moves likewise.
    """

    mass: Value
    ms: Value
    sigma: Value


MASSLESS = Body(ca.DM.zeros(1), ca.DM.zeros(3), ca.DM.zeros(3, 3))


@dataclass(frozen=True)
class Joint:
    """A hinge or a slide along its link's z axis, and the link."""

    kind: Literal["hinge", "slide"]
    before: int
    """The link that carries it, or BASE."""
    rotation: Value
    """From this link's axes to those of the link before, at position zero."""
    origin: Value
    """Of this link's frame in that of the link before, at position zero [m]."""
    drawn: float
    """Its position on the drawing, counted from where the frames stand [rad, m]."""
    at_home: float
    """What the machine's maker calls that position [rad, m]."""
    body: Body


@dataclass(frozen=True)
class Tip:
    """Where a link is held: directions in which its point, and in which it itself, must follow.

    Without `other` it follows the platform, in whose frame `held_point` and `held_axis` are; else
    that link of the same leg.
    """

    link: int
    point: Value
    """In the link's frame [m]."""
    held_point: Value
    """The same point as a point of what holds it [m]."""
    other: int | None = None
    axes: Value = None
    """Ball, hinge, universal, weld: directions of the point's rows, columns in the link's axes."""
    turns: Value = None
    """Hinge, weld: directions about which it may not turn, columns in the link's axes."""
    axis: Value = None
    """Hinge, universal: the axis, in the link's axes."""
    held_axis: Value = None
    """Hinge: the same axis, universal: the other axis, in the axes of what holds it."""
    cosine: Value = None
    """Universal: of the angle between its axes; zero in nearly all."""
    held_attitude: Value = None
    """Weld: the link's attitude in what holds it."""
    length: Value = None
    """Rod with ball joints at both ends, from this point to the held point [m]."""
    shared_mass: Value = None
    """Rod: ∫ x (1 - x) dm over its length, x from 0 to 1 [kg]."""

    @property
    def is_rod(self) -> bool:
        """Whether a rod with balls at both ends is between the two points."""
        return self.length is not None


@dataclass(frozen=True)
class Plan:
    """How a leg's rates follow from its rows: which rows fix which joints."""

    driven: tuple[int, ...]
    """Joints with a motor."""
    driven_rows: tuple[int, ...]
    """Rows that fix these."""
    free: bool
    """Whether no passive joint is in those rows."""
    stages: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    """Then rows and the passive joints that they fix, one group after the other."""
    left: tuple[int, ...] = ()
    """Rows that are left over, and say what the platform cannot do."""


@dataclass(frozen=True)
class Leg:
    """Joints, each after the one that carries it, and tips."""

    joints: tuple[Joint, ...]
    tips: tuple[Tip, ...]
    plan: Plan
    positions: Callable[[Value, Value], list[Value]] | None = None
    """From the platform's position and rotation to the joints' positions."""


@dataclass(frozen=True)
class Freedom:
    """What the platform can do: u = S V, V = T u, in the machine's axes.

    Where T is not constant it follows from K V = 0, the rows that the legs have left.
    """

    S: Value
    outside: Value
    """S⊥: an orthonormal complement of the rows of S."""
    T: Value = None
    possible: Value = None
    """T S, where it is constant: the part of V that the platform can do."""


@dataclass(frozen=True)
class Stance:
    """How pose and twist are seen by the equations: in which axes, and what never changes."""

    axes: Value
    """From base axes to the machine's, in which a planar machine moves in the plane x, y."""
    home_position: Value
    home_quaternion: Value
    fixed: tuple[int, ...] = ()
    """Coordinates of the position that are always those at home, in the machine's axes."""
    turning: Literal["any", "z", "none"] = "any"
    """About which axes the platform turns."""


@dataclass(frozen=True)
class Machine:
    """A machine of any kind; all in the machine's axes."""

    gravity: Value
    platform: Body
    legs: tuple[Leg, ...]
    freedom: Freedom
    stance: Stance
    motors: tuple[tuple[int, int], ...]
    """Leg and joint of each motor, in the order of positions and efforts."""
    ground: Value
    """∫ r dm of what was lent to the base, for the potential energy [kg m]."""
