"""A machine as its maker describes it: where all that it names is in what the equations know.

Points and lines are those of what moves: of the ground, the platform and links of legs. Every body
of a description is one of these, a part of one, or a rod: a line between two points of the others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import NamedTuple

import casadi as ca

from gough.equations.spatial.algebra import Value
from gough.equations.tree.bodies import Body
from gough.equations.tree.joints import BASE


class LinkRef(NamedTuple):
    """A rigid unit: a link of a leg, or one of the two below, which belong to no leg."""

    leg: int
    link: int


EYE = ca.DM.eye(3)
GROUND = LinkRef(BASE, BASE)
PLATFORM = LinkRef(BASE, 0)
ROUNDING = 1e-9  # fraction by which a leg may seem to be shorter than a part of it


@dataclass(frozen=True)
class Point:
    """A point of a carrier, in its frame [m]."""

    carrier: LinkRef
    at: Value


@dataclass(frozen=True)
class Line:
    """From one point to another: a rod, a leg that extends, or a direction of a body."""

    near: Point
    far: Point


@dataclass(frozen=True)
class PointOnLine:
    """A point on a line: its share is 0 at the near end and 1 at the far one.

    NaN of what is beside the line and spins about it, nobody knows how far.
    """

    line: Line
    share: Value | float


@dataclass(frozen=True)
class FixedFrame:
    """A frame fixed in a carrier: rotation and origin [m] in the carrier's own frame."""

    axes: Value
    origin: Point


@dataclass(frozen=True)
class RodFixedFrame:
    """A frame fixed in a rod, which at home lay on a line of a given unit direction."""

    line: Line
    near: Value  # where its near end was, in the frame [m]
    direction: Value
    axes: Value = EYE  # axes of the frame at home, as columns


BodyPoint = Point | PointOnLine


def at_point(of_point: Callable[[Point], Value], spot: BodyPoint) -> Value:
    """A point's position, velocity or acceleration, from those of points of carriers."""
    if isinstance(spot, Point):
        return of_point(spot)
    x, line = spot.share, spot.line
    return (1 - x) * of_point(line.near) + x * of_point(line.far)


# Load paths: what holds each body, and what each joint can carry


@dataclass(frozen=True)
class Member:
    """A body of the description that is no rod: what it is part of, its own mass, what holds it."""

    carrier: LinkRef
    body: Body
    before: int | None
    """The member that holds it by a joint of its leg's tree or a fixed one; they come first."""


@dataclass(frozen=True)
class Branch:
    """Load path through the joint by which a member is held."""

    member: int


@dataclass(frozen=True)
class Closure:
    """Load path through a cut joint, from the leg to what holds it."""

    leg: int
    cut: int


@dataclass(frozen=True)
class RodEnd:
    """Load path through an end of a rod, from its near end to the far one."""

    rod: int
    far: bool


Passage = Branch | Closure | RodEnd


@dataclass(frozen=True)
class ClosedJoint:
    """A joint that closes a loop: its cut, and the members at its two sides."""

    closure: Closure
    near: int
    far: int


@dataclass(frozen=True)
class RodMass:
    """A rod's mass [kg], with x from 0 at its near end, that of the leg, to 1 at the far one."""

    line: Line
    closure: Closure
    members: tuple[int, int]  # at its ends
    near: Value | float = 0.0  # ∫ (1 - x)² dm
    far: Value | float = 0.0  # ∫ x² dm
    shared: Value | float = 0.0  # ∫ x (1 - x) dm


@dataclass(frozen=True)
class Bearing:
    """A joint of the description as what carries forces from its first body to its second."""

    sides: tuple[int, int]  # these two: members, 0 the base, and behind them the rods
    passed: Passage | None  # None if fixed in a body that spins, or in a loop of fixed ones
    sign: int  # -1 if that counts from the second body to the first
    center: BodyPoint  # joint centre; of a slide that fixed in the first body
    carrier: LinkRef
    axes: Value  # the joint's own axes, as columns in the axes of that carrier
    carried: tuple[int, ...]  # components of force and moment, in these axes, that it can carry
    second_axis: Point | None
    """Second axis of a universal joint, which carries a moment across both, at its carrier."""
    coupled: tuple[tuple[int, int, Value | float], ...] = ()
    """Couplings of the joint: number, component of its effort in these axes, and coefficient."""
    known: tuple[bool, ...] = (True,) * 6
    """Which components of force and moment are the same in all solutions, at nearly all poses."""


@dataclass(frozen=True)
class Loads:
    """All bodies and joints through which forces go."""

    members: tuple[Member, ...]  # the base first
    rods: tuple[RodMass, ...]
    closed: tuple[ClosedJoint, ...]
    bearings: tuple[Bearing, ...]  # all joints, in the order of the description
    size: float  # a length that is typical of the machine [m]
    couplings: tuple[Closure, ...] = ()
    """Leg of each coupling, in the order of the description, and its number behind the cuts."""


@dataclass(frozen=True)
class Tilt:
    """Tilt of a link in a ball or universal joint, relative to the body at the other side."""

    link: Line
    beyond: LinkRef
    at_home: Value  # the line's direction at home, in the axes of the carrier beyond


@dataclass(frozen=True)
class Pair:
    """The two bodies of a joint, and the motion of the second relative to the first."""

    first: LinkRef | Line
    second: LinkRef | Line
    axes: tuple[Value, ...]
    """About which it turns: of a universal joint one in the axes of either, else of the first."""
    turns: bool  # whether it turns at all: without axes all ways
    slide: LinkRef | None
    """Leg and number of the slide or screw whose coordinate is its own, if it has one."""


@dataclass(frozen=True)
class Description:
    """Where all that is described is, in the order of the description."""

    centers: tuple[BodyPoint, ...]
    """Centre of every joint; two of a slide or cylindrical joint: on its first and second body."""
    tilts: tuple[Tilt, ...]  # tilt of every ball and universal joint
    pairs: tuple[Pair, ...]  # bodies of every joint
    loads: Loads
    carried: tuple[FixedFrame | RodFixedFrame, ...]
    """The machine's frame as each body, the platform first, carries it along from home."""
    bodies: tuple[BodyPoint, ...] = ()  # mass centres of the platform and of all bodies
    frames: tuple[FixedFrame | RodFixedFrame, ...] = ()
    """Frames of all bodies but the platform, if they are others than those that are carried."""
    masses: Mapping[LinkRef, Body] = field(default_factory=dict)
    """True ones, before any was lent: of each carrier that moves, with the ends of its rods."""


# Elastic parts: springs of joints, links and bearings


@dataclass(frozen=True)
class Flexure:
    """A joint that resists its motion: about each axis, all ways, or along its slide."""

    stiffness: Value  # [N m/rad, N/m]
    joint: int  # its place in the description
    pair: Pair
    line: int | None = None
    """Number of the line between ball joints that it ends, whose bodies spin freely."""


@dataclass(frozen=True)
class LineTorsion:
    """Torsion spring between two carriers about the line between them."""

    stiffness: Value  # stiffness of the joints at both ends, in series [N m/rad]
    line: Line
    first: LinkRef | Line
    second: LinkRef | Line
    joints: tuple[int | None, int]
    """Joints of the description that join these to what is between them; None if the first is that
    itself."""


def springs_at_ends(springs: Sequence[Flexure]) -> LineTorsion:
    """Return the torsion spring of two ball joints at the ends of a line."""
    near, far = springs
    line, first, _ = line_of(near.pair)
    _, second, _ = line_of(far.pair)
    k = near.stiffness * far.stiffness / (near.stiffness + far.stiffness)
    return LineTorsion(k, line, first, second, (near.joint, far.joint))


def line_of(pair: Pair) -> tuple[Line, LinkRef | Line, int]:
    """The line that a ball ends, what is at its other side, and whether the line is the second."""
    if isinstance(pair.second, Line):
        return pair.second, pair.first, 1
    assert isinstance(pair.first, Line)
    return pair.first, pair.second, -1


@dataclass(frozen=True)
class Telescope:
    """A cylinder from a point to its piston's end; of each its length [m] and E I [N m^2]."""

    start: Point
    cylinder: tuple[Value, Value]
    piston: tuple[Value, Value]


@dataclass(frozen=True)
class ElasticPart:
    """An elastic part of a leg: a small displacement of all that lies beyond it."""

    leg: int
    place: Point  # point at which translation and rotation of the displacement are given
    axes: Value  # axes of these, as columns in the axes of the point's carrier
    components: tuple[int, ...]  # components of translation and rotation that are elastic
    compliance: Value | Telescope  # of these [m/N, rad/N, rad/(N m)]; or what it depends on
    links: frozenset[int]  # links of the leg that are displaced
    cuts: tuple[tuple[int, int], ...]
    """Cuts of the leg that it opens: 1 if their links are displaced, -1 if what holds them is."""
    joints: tuple[tuple[int, int], ...] = ()
    """Joints of the description right beyond it: 1 if it displaces their second body, else -1."""


@dataclass(frozen=True)
class ElasticRod:
    """An elastic rod between ball joints."""

    leg: int
    cut: int
    compliance: Value  # axial compliance, with that of its joints [m/N]


@dataclass(frozen=True)
class Springs:
    """All springs of a machine."""

    motors: tuple[Value, ...]  # stiffness of each driven joint with its motor held [N m/rad, N/m]
    flexures: tuple[Flexure, ...] = ()
    elastic_parts: tuple[ElasticPart | ElasticRod, ...] = ()
    closing: tuple[tuple[int, ...], ...] = ()
    """Rows of each leg that determine no joint: they constrain the platform, or strain the leg."""


def beam_compliance(
    length: Value | float, stretching: Value, bending: Value, twisting: Value
) -> Value:
    """Compliance (6x6) at the free end of a cantilever along x, of E A [N], E I, G I_p [N m^2]."""
    C: Value = ca.SX(6, 6)
    C[0, 0], C[3, 3] = length / stretching, length / twisting
    for way, turn, sign in ((1, 5, 1), (2, 4, -1)):
        C[way, way] = length**3 / (3 * bending)
        C[turn, turn] = length / bending
        C[way, turn] = C[turn, way] = sign * length**2 / (2 * bending)
    return C


def telescope_compliance(
    length: Value | float, cylinder: tuple[Value, Value], piston: tuple[Value, Value]
) -> Value:
    """Compliance (4x4) of y, z, ry, rz at the end of a piston, its cylinder clamped at its start.

    Of each part its own length [m] and E I [N m^2]. The moment of a force and a moment at the end
    is the piston's up to the cylinder's open end; from there to the piston's inner end the cylinder
    takes it over, in proportion to the distance. NaN where the parts do not overlap.
    """
    inner, outer = length - piston[0], cylinder[0]
    moments = [ca.vertcat(length - x, 1) for x in (0, inner, outer, length)]
    none, c = ca.DM.zeros(2), ca.SX(2, 2)
    for (start, a), (end, b), EI in (
        ((0, moments[0]), (inner, moments[1]), cylinder[1]),
        ((inner, moments[1]), (outer, none), cylinder[1]),
        ((inner, none), (outer, moments[2]), piston[1]),
        ((outer, moments[2]), (length, moments[3]), piston[1]),
    ):
        c += (end - start) / (6 * EI) * (a @ a.T + (a + b) @ (a + b).T + b @ b.T)
    C: Value = ca.SX(4, 4)
    for way, turn, sign in ((0, 3, 1), (1, 2, -1)):
        C[way, way], C[turn, turn] = c[0, 0], c[1, 1]
        C[way, turn] = C[turn, way] = sign * c[0, 1]
    longer = ca.fmax(cylinder[0], piston[0]) * (1 - ROUNDING)
    overlap = ca.logic_and(length >= longer, inner < outer)
    return ca.if_else(overlap, C, nan)
