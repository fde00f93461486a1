"""A hexapod as a machine of hinges, slides and ball joints, of its numbers or of symbols.

A leg is two hinges (its universal joint: γ about the first axis a, then ψ about p = a x s), a slide
along s, and a ball. All its closures are solved in closed form, so nothing has to be found out. The
base joint of an SPS leg holds no moment: a universal joint stands in for it, whose first axis is
across the leg at home, and its parts are lines of mass, which no spin about the leg moves.

Frames: link 0 has x, y, z along p x a, p, a; link 1, the cylinder, along s x p, s, p, at the base
joint; link 2, the piston, along s x p, -p, s, at the platform joint.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
from casadi import cross

from gough.equations.closure.constraint_rows import CutBall
from gough.equations.forces.passive_joints import FrictionLaw
from gough.equations.legs.base_joint import BallBase, BaseJoint, UniversalBase
from gough.equations.legs.closure import leg_position
from gough.equations.legs.extensible import Encoders, ExtensibleLegs, LegFriction, RigidPart
from gough.equations.legs.extensible import Leg as ExtensibleLeg
from gough.equations.machine import EliminationPlan, FrameConvention, Leg, Machine, PlatformFreedom
from gough.equations.spatial.algebra import (
    Value,
    norm,
    position,
    quaternion,
    reciprocal,
    rotation,
    unit,
    vector,
    without_rounding,
)
from gough.equations.tree.bodies import ZERO, Body, Z
from gough.equations.tree.description import (
    GROUND,
    PLATFORM,
    Bearing,
    Branch,
    ClosedJoint,
    Closure,
    Description,
    FixedFrame,
    JointSpring,
    Line,
    LineTorsion,
    LinkRef,
    Loads,
    Member,
    Pair,
    Point,
    RodFixedFrame,
    Tilt,
)
from gough.equations.tree.joints import BASE, LinkJoint, Position, Prismatic, Revolute, Turn
from gough.model.leg_springs import flexures_of, springs_of
from gough.model.named_numbers import Numbers, constants, taken_from
from gough.model.structure import flexible_frames
from gough.model.variables import parameters_of_variables
from gough.robot import Hexapod
from gough.robot import Leg as WrittenLeg
from gough.robot.joint_kinds import JOINT_KINDS, TRANSLATIONS

JOINTS = ("hip", "slide", "wrist")
"""Joints of a leg, in the order of the description."""
NO_MASS = Body(ca.DM(0), ZERO, ca.DM.zeros(3, 3))
X, Y = ca.DM([1, 0, 0]), ca.DM([0, 1, 0])
ONWARDS = ca.DM([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
"""From a link's axes to those of the link before: z to the common normal's other side."""
CYLINDER, PISTON = 1, 2
IN_CYLINDER = ca.DM([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
IN_PISTON = ca.DM([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
"""From a leg's axes p, s x p, s, as robot files have them, to those of its links."""
PLAN = EliminationPlan(driven=(2,), driven_rows=(2,), stages=(((1,), (0,)), ((0,), (1,))))
"""The ball's velocity along the leg is the slide's, that along p the first hinge's alone."""


@lru_cache(maxsize=16)  # it is asked for many times over
def _of_constants(robot: Hexapod) -> Machine:
    numbers = constants(robot)
    return hexapod_machine(extensible_legs(robot, numbers), numbers)


def machine_of_hexapod(
    robot: Hexapod, vector: Value | None = None, names: tuple[str, ...] = ()
) -> Machine:
    """The machine with the robot's numbers as constants, or those of a vector: see `machine_of`.

    Directions in a vector need not have length one.
    """
    if vector is None:
        return _of_constants(robot)
    given = taken_from(robot, parameters_of_variables(robot, names, vector) if names else vector)

    def numbers(name: str) -> Value:
        return unit(given(name)) if name.endswith(".first_axis") else given(name)

    return hexapod_machine(extensible_legs(robot, numbers), numbers)


def hexapod_machine(legs: ExtensibleLegs, limit: Numbers) -> Machine:
    """The machine of these legs; `limit` gives a limit or radius by its place in the robot file."""
    at_home = [_Home.of(leg, legs.home) for leg in legs.legs]
    lines = [Line(Point(GROUND, leg.base), Point(PLATFORM, leg.platform)) for leg in legs.legs]
    lined = list(zip(range(len(lines)), lines, at_home, strict=True))
    platform = _body(legs.platform.mass, legs.platform.center_of_mass, legs.platform.inertia)
    parts = [_parts(home.leg) for home in at_home]
    masses = {PLATFORM: platform}
    for k, (cylinder, piston) in enumerate(parts):
        masses |= {LinkRef(k, CYLINDER): cylinder, LinkRef(k, PISTON): piston}
    description = Description(
        tuple(center for k, _, home in lined for center in _centers(k, home)),
        tuple(tilt for _, line, home in lined for tilt in _tilts(line, home)),
        tuple(pair for leg in lined for pair in _pairs(*leg)),
        _loads(at_home, masses),
        (_seen_by_platform(legs.home), *(seen for leg in lined for seen in _seen(*leg))),
        (
            Point(PLATFORM, legs.platform.center_of_mass),
            *(center for k, _, home in lined for center in _mass_centers(k, home.leg)),
        ),
        tuple(frame for leg in lined for frame in _frames(*leg)),
        masses,
    )
    return Machine(
        legs.gravity,
        platform,
        tuple(_leg(home, *pair) for home, pair in zip(at_home, parts, strict=True)),
        PlatformFreedom(ca.DM.eye(6), ca.DM.eye(6), ca.DM(0, 6), ca.DM.eye(6)),
        FrameConvention(ca.DM.eye(3), position(legs.home), quaternion(legs.home)),
        tuple((k, PISTON) for k, _, _ in lined),
        ZERO,
        description,
        tuple(law for k, _, home in lined for law in _frictions(k, home.leg)),
        tuple(spring for leg in lined for spring in _flexures(*leg)),
        encoders=legs.encoders,
        limit=limit,
        extensible=legs,
    )


@dataclass(frozen=True)
class _Home:
    """A leg as it stands at home."""

    leg: ExtensibleLeg
    platform: Value
    """From the platform's to base axes."""
    first_axis: Value
    l: Value
    s: Value

    @classmethod
    def of(cls, leg: ExtensibleLeg, home: Value) -> _Home:
        at = leg_position(leg, home)
        across = leg.base_joint.axes(at.s)[0]
        first_axis = leg.base_joint.first_axis
        return cls(leg, rotation(home), across if first_axis is None else first_axis, at.l, at.s)

    @property
    def spins(self) -> bool:
        """Whether nothing holds the leg against turning about itself."""
        return isinstance(self.leg.base_joint, BallBase)

    @property
    def p(self) -> Value:
        """Second axis of the universal joint."""
        return unit(cross(self.first_axis, self.s))

    @property
    def cylinder(self) -> Value:
        """From the cylinder's to base axes."""
        return ca.horzcat(cross(self.s, self.p), self.s, self.p)

    @property
    def piston(self) -> Value:
        """From the piston's to base axes."""
        return ca.horzcat(cross(self.s, self.p), -self.p, self.s)

    @property
    def top(self) -> Value:
        """Where the platform joint is [m]."""
        return self.leg.base + self.l * self.s


def _leg(home: _Home, cylinder: Body, piston: Body) -> Leg:
    leg, a = home.leg, home.first_axis
    F = _mounting(a)
    s = F.T @ home.s
    gamma, psi = ca.atan2(s[1], s[0]), ca.atan2(-s[2], norm(s[0:2]))
    zero = ca.DM(0)
    joints: tuple[LinkJoint, ...] = (
        Revolute(BASE, F, leg.base, gamma, zero, NO_MASS),
        Revolute(0, ONWARDS, ZERO, psi - ca.pi / 2, psi, cylinder),
        Prismatic(1, ONWARDS, ZERO, home.l, home.l, piston),
    )
    tip = CutBall(PISTON, ZERO, leg.platform, None, ca.DM.eye(3))

    def positions(place: Value, attitude: Value) -> list[Position]:
        """γ and ψ - π/2 as turns, and the length."""
        span = place + attitude @ leg.platform - leg.base
        d, l = F.T @ span, norm(span)
        r = norm(d[0:2])
        by_r, by_l = reciprocal(r), reciprocal(l)
        return [Turn(d[0] * by_r, d[1] * by_r), Turn(-d[2] * by_l, -r * by_l), l]

    return Leg(joints, (tip,), PLAN, positions, branches=(positions,))


def _mounting(a: Value) -> Value:
    """Axes p x a, p, a as columns, for a leg in the plane of a and a coordinate axis across it."""
    upright = ca.fabs(a[2]) < 0.9
    along = vector(ca.if_else(upright, 0, 1), 0, ca.if_else(upright, 1, 0))
    p = unit(cross(a, along))
    return without_rounding(ca.horzcat(cross(p, a), p, a))


def _parts(leg: ExtensibleLeg) -> tuple[Body, Body]:
    """Cylinder and piston in the frames of their links."""
    spins = isinstance(leg.base_joint, BallBase)
    c_1, c_2 = leg.cylinder.center_of_mass, leg.piston.center_of_mass
    return (
        _part(leg.cylinder, c_1 * Y, IN_CYLINDER, Y if spins else None),
        _part(leg.piston, -c_2 * Z, IN_PISTON, Z if spins else None),
    )


def _part(part: RigidPart, center: Value, axes: Value, line: Value | None) -> Body:
    """A part in its link's frame; all on its line, if it is one of mass."""
    if line is None:
        return _body(part.mass, center, axes @ part.inertia @ axes.T)
    second_moment = part.inertia[0, 0] + part.mass * part.center_of_mass**2
    return Body(part.mass, part.mass * center, second_moment * (line @ line.T))


def _body(mass: Value, center: Value, inertia: Value) -> Body:
    """A body by its inertia about its mass centre."""
    own = ca.trace(inertia) / 2 * ca.DM.eye(3) - inertia
    return Body(mass, mass * center, own + mass * (center @ center.T))


# What the description has of a leg, in the order of its joints: hip, slide, wrist


def _centers(k: int, home: _Home) -> Iterator[Point]:
    """Joint centres; of the slide one carried by the cylinder and one by the piston."""
    yield Point(GROUND, home.leg.base)
    yield Point(LinkRef(k, CYLINDER), home.l * Y)
    yield Point(LinkRef(k, PISTON), ZERO)
    yield Point(PLATFORM, home.leg.platform)


def _tilts(line: Line, home: _Home) -> Iterator[Tilt]:
    yield Tilt(line, GROUND, home.s)
    yield Tilt(line, PLATFORM, home.platform.T @ home.s)


def _pairs(k: int, line: Line, home: _Home) -> Iterator[Pair]:
    cylinder, piston = LinkRef(k, CYLINDER), LinkRef(k, PISTON)
    if home.spins:
        yield Pair(GROUND, line, (), True, None)
    else:
        yield Pair(GROUND, cylinder, (home.first_axis, Z), True, None)
    yield Pair(cylinder, piston, (), False, piston)
    yield Pair(line if home.spins else piston, PLATFORM, (), True, None)


def _flexures(k: int, line: Line, home: _Home) -> Iterator[JointSpring | LineTorsion]:
    """Springs against bending and twisting at the ends of a leg that states some."""
    springs = home.leg.flexures
    if springs is not None:
        hip, _, wrist = _joints(k)
        yield JointSpring(springs.base_bending, hip, Pair(GROUND, line, (), True, None))
        yield JointSpring(springs.platform_bending, wrist, Pair(line, PLATFORM, (), True, None))
        if home.spins:
            yield LineTorsion(springs.torsion, line, GROUND, PLATFORM, (hip, wrist))
        else:
            cylinder = LinkRef(k, CYLINDER)
            yield LineTorsion(springs.torsion, line, cylinder, PLATFORM, (None, wrist))


def _seen_by_platform(home: Value) -> FixedFrame:
    back = rotation(home).T
    return FixedFrame(back, Point(PLATFORM, -back @ position(home)))


def _seen(k: int, line: Line, home: _Home) -> Iterator[FixedFrame | RodFixedFrame]:
    """The base's frame, as cylinder and piston carry it from home."""
    if home.spins:
        yield RodFixedFrame(line, home.leg.base, home.s)
        yield RodFixedFrame(Line(line.far, line.near), home.top, -home.s)
        return
    for link, axes, origin in (
        (CYLINDER, home.cylinder, home.leg.base),
        (PISTON, home.piston, home.top),
    ):
        yield FixedFrame(axes.T, Point(LinkRef(k, link), -axes.T @ origin))


def _frames(k: int, line: Line, home: _Home) -> Iterator[FixedFrame | RodFixedFrame]:
    """The parts' own frames, on the leg's axes at either joint."""
    if home.spins:
        axes = ca.horzcat(*home.leg.base_joint.axes(home.s))
        yield RodFixedFrame(line, ZERO, home.s, axes)
        yield RodFixedFrame(Line(line.far, line.near), ZERO, -home.s, axes)
        return
    yield FixedFrame(IN_CYLINDER, Point(LinkRef(k, CYLINDER), ZERO))
    yield FixedFrame(IN_PISTON, Point(LinkRef(k, PISTON), ZERO))


def _mass_centers(k: int, leg: ExtensibleLeg) -> Iterator[Point]:
    yield Point(LinkRef(k, CYLINDER), leg.cylinder.center_of_mass * Y)
    yield Point(LinkRef(k, PISTON), -leg.piston.center_of_mass * Z)


def _loads(legs: list[_Home], masses: dict[LinkRef, Body]) -> Loads:
    members = [Member(GROUND, NO_MASS, None), Member(PLATFORM, masses[PLATFORM], None)]
    closed: list[ClosedJoint] = []
    bearings: list[Bearing] = []
    for k, home in enumerate(legs):
        cylinder, piston = len(members), len(members) + 1
        for link, before in ((CYLINDER, 0), (PISTON, cylinder)):
            carrier = LinkRef(k, link)
            members.append(Member(carrier, masses[carrier], before))
        closed.append(ClosedJoint(Closure(k, 0), piston, 1))
        bearings += _bearings(k, home, cylinder, piston)
    return Loads(tuple(members), (), tuple(closed), tuple(bearings), 1.0)


def _bearings(k: int, home: _Home, cylinder: int, piston: int) -> Iterator[Bearing]:
    hip, slide, wrist = (JOINT_KINDS[letter] for letter in home.leg.base_joint.letter + "PS")
    a, b = home.first_axis, home.leg.platform
    axes, second_axis, carried = ca.DM.eye(3), None, hip.carried
    if not home.spins:
        axes = ca.horzcat(a, home.p, cross(a, home.p))
        second_axis, carried = Point(LinkRef(k, CYLINDER), Z), carried[:TRANSLATIONS]
    yield Bearing(
        (0, cylinder), Branch(cylinder), 1, Point(GROUND, home.leg.base), GROUND, axes, carried,
        second_axis,
    )  # fmt: skip
    yield Bearing(
        (cylinder, piston), Branch(piston), 1, Point(LinkRef(k, CYLINDER), home.l * Y),
        LinkRef(k, CYLINDER), ca.horzcat(Y, Z, X), slide.carried, None,
    )  # fmt: skip
    yield Bearing(
        (piston, 1), Closure(k, 0), 1, Point(PLATFORM, b), PLATFORM, home.platform.T,
        wrist.carried, None,
    )  # fmt: skip


def _joints(k: int) -> tuple[int, int, int]:
    """Places of a leg's joints in the description: hip, slide and wrist."""
    hip = len(JOINTS) * k
    return hip, hip + 1, hip + 2


def _frictions(k: int, leg: ExtensibleLeg) -> Iterator[FrictionLaw]:
    """Friction of the joints that state some."""
    hip, slide, wrist = _joints(k)
    own = leg.friction
    if own is not None:
        at = f"legs[{k}].joint_friction."
        yield FrictionLaw(hip, own.base_damping, own.base_friction, f"{at}base_")
        yield FrictionLaw(wrist, own.platform_damping, own.platform_friction, f"{at}platform_")
    if leg.damping is not None:
        place = f"legs[{k}].connector."
        yield FrictionLaw(slide, leg.damping, ca.DM(0), place, of_transmission=True)


# The robot as the short equations of hexapods take it


def extensible_legs(robot: Hexapod, numbers: Numbers) -> ExtensibleLegs:
    """The robot as the short equations of hexapods take it."""
    platform = RigidPart(
        numbers("platform.mass"), numbers("platform.center_of_mass"), numbers("platform.inertia")
    )
    places = [f"legs[{k}]" for k in range(len(robot.legs))]
    pairs = zip(robot.legs, places, strict=True)
    legs = tuple(_extensible_leg(robot, leg, at, numbers) for leg, at in pairs)
    offsets, gains = (
        ca.vertcat(*(numbers(f"{at}.{key}") for at in places)) for key in ("length_offset", "gain")
    )
    frames = {f"flexible_{end}": numbers(f"flexibility.{end}") for end in flexible_frames(robot)}
    return ExtensibleLegs(
        numbers("gravity"),
        platform,
        legs,
        numbers("home"),
        **frames,
        encoders=Encoders(offsets, gains),
    )


def _extensible_leg(robot: Hexapod, leg: WrittenLeg, at: str, numbers: Numbers) -> ExtensibleLeg:
    return ExtensibleLeg(
        _base_joint(leg, at, numbers),
        numbers(f"{at}.base"),
        numbers(f"{at}.platform"),
        _leg_part(f"{at}.cylinder", numbers),
        _leg_part(f"{at}.piston", numbers),
        springs_of(leg, at, numbers) if robot.elastic else None,
        damping=None if leg.connector is None else numbers(f"{at}.connector.damping"),
        friction=_friction(leg, at, numbers),
        flexures=flexures_of(leg, at, numbers),
    )


def _friction(leg: WrittenLeg, at: str, numbers: Numbers) -> LegFriction | None:
    if leg.joint_friction is None:
        return None
    keys = type(leg.joint_friction).model_fields
    return LegFriction(**{key: numbers(f"{at}.joint_friction.{key}") for key in keys})


def _leg_part(at: str, numbers: Numbers) -> RigidPart:
    return RigidPart(*(numbers(f"{at}.{key}") for key in ("mass", "center_of_mass", "inertia")))


def _base_joint(leg: WrittenLeg, at: str, numbers: Numbers) -> BaseJoint:
    """The joint of the first letter of a leg's kind."""
    return BallBase() if leg.kind[0] == "S" else UniversalBase(numbers(f"{at}.first_axis"))
