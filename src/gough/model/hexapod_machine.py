"""A hexapod as a machine of hinges, slides and ball joints, of its numbers or of symbols.

A leg is two hinges (its universal joint: γ about the first axis a, then ψ about p = a x s), a slide
along s, and a ball. All its closures are solved in closed form, so nothing has to be found out. The
base joint of an SPS leg holds no moment: a universal joint stands in for it, whose first axis is
across the leg at home, and its parts are lines of mass, which no spin about the leg moves.

Frames: link 0 has x, y, z along p x a, p, a; link 1, the cylinder, along s x p, s, p, at the base
joint; link 2, the piston, along s x p, -p, s, at the platform joint.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Self, TypeVar

import casadi as ca
from casadi import cross

from gough.equations.closure.constraint_rows import CutBall
from gough.equations.forces.passive_joints import FrictionLaw
from gough.equations.legs.base_joint import BallBase, UniversalBase
from gough.equations.legs.closure import leg_position
from gough.equations.legs.extensible import Encoders, ExtensibleLegs, RigidPart
from gough.equations.legs.extensible import Leg as ExtensibleLeg
from gough.equations.machine import EliminationPlan, FrameConvention, Leg, Machine, PlatformFreedom
from gough.equations.spatial import algebra
from gough.equations.spatial.algebra import Value, norm, rotation, unit, vector
from gough.equations.tree import description as tree
from gough.equations.tree.bodies import NO_MASS, ZERO, Body, Z
from gough.equations.tree.description import GROUND, PLATFORM, Bearing, FixedFrame, Pair, Point
from gough.equations.tree.joints import BASE, LinkJoint, Position, Prismatic, Revolute, Turn
from gough.model.named_numbers import Numbers, constants, taken_from
from gough.model.springs import flexures_of, loaded_springs, springs_of
from gough.model.structure import flexible_frames
from gough.robot import BASE as BASE_BODY
from gough.robot import Hexapod
from gough.robot import Leg as WrittenLeg
from gough.robot.joint_kinds import JOINT_KINDS, TRANSLATIONS

T = TypeVar("T")

JOINTS = ("hip", "slide", "wrist")  # joints of a leg, in the order of the description
X, Y = ca.DM([1, 0, 0]), ca.DM([0, 1, 0])
ONWARDS = ca.DM([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
"""From a link's axes to those of the link before: z to the common normal's other side."""
CYLINDER, PISTON = 1, 2
GROUND_AT_HOME = FixedFrame(ca.DM.eye(3), Point(GROUND, ZERO))
IN_CYLINDER = ca.DM([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
IN_PISTON = ca.DM([[0, 1, 0], [-1, 0, 0], [0, 0, 1]])
"""From a leg's axes p, s x p, s, as robot files have them, to those of its links."""
PLAN = EliminationPlan(driven=(2,), driven_rows=(2,), stages=(((1,), (0,)), ((0,), (1,))))
"""The ball's velocity along the leg is the slide's, that along p the first hinge's alone."""


@lru_cache(maxsize=16)  # it is asked for many times over
def _of_constants(robot: Hexapod) -> Machine:
    return _with_numbers(robot, constants(robot))


def machine_of_hexapod(robot: Hexapod, vector: Value | None, names: tuple[str, ...]) -> Machine:
    """The machine with the robot's numbers as constants, or those of a vector: see `machine_of`."""
    if vector is None:
        return _of_constants(robot)
    if names:
        from gough.model.variables import with_chosen  # noqa: PLC0415  (of families)
        from gough.robot.variables import expanded  # noqa: PLC0415

        stated = with_chosen(robot, names, ca.vertsplit(vector))
        vector = ca.vertcat(*expanded(robot, stated, ca))
    given = taken_from(robot, vector)

    def numbers(name: str) -> Value:
        """Those of the vector, where directions have any length."""
        return unit(given(name)) if name.endswith(".first_axis") else given(name)

    return _with_numbers(robot, numbers)


def _with_numbers(robot: Hexapod, numbers: Numbers) -> Machine:
    """The machine with friction, encoders, and springs between bodies."""
    legs, places = extensible_legs(robot, numbers), [f"legs[{k}]" for k in range(len(robot.legs))]
    machine = hexapod_machine(legs, numbers)
    keys = ("length_offset", "gain")
    encoders = (ca.vertcat(*(numbers(f"{at}.{key}") for at in places)) for key in keys)
    frames = [GROUND_AT_HOME, _platform_frame(legs.home)]
    frames += [x for k, leg in enumerate(legs.legs) for x in _fixed(_Home.of(k, leg, legs.home))]
    by_body = dict(zip((BASE_BODY, *robot.bodies_and_joints.bodies), frames, strict=True))

    def placed(body: str, at: Value) -> Point:
        frame = by_body[body]
        return Point(frame.origin.carrier, frame.origin.at + frame.axes @ at)

    loaded, frictions = loaded_springs(robot, machine, numbers, placed), _frictions(robot, numbers)
    return replace(machine, frictions=tuple(frictions), encoders=Encoders(*encoders), loaded=loaded)


def _frictions(robot: Hexapod, numbers: Numbers) -> Iterator[FrictionLaw]:
    """Friction of the joints that state some."""
    for k, leg in enumerate(robot.legs):
        hip, slide, wrist = range(len(JOINTS) * k, len(JOINTS) * (k + 1))
        if leg.joint_friction is not None:
            for joint, end in ((hip, "base"), (wrist, "platform")):
                at = f"legs[{k}].joint_friction.{end}_"
                yield FrictionLaw(joint, numbers(f"{at}damping"), numbers(f"{at}friction"), at)
        if leg.connector is not None:
            at = f"legs[{k}].connector."
            yield FrictionLaw(slide, numbers(f"{at}damping"), ca.DM(0), at, of_transmission=True)


def hexapod_machine(legs: ExtensibleLegs, limit: Numbers) -> Machine:
    """The machine of these legs; `limit` gives a limit or radius by its place in the robot file."""
    at_home = [_Home.of(k, leg, legs.home) for k, leg in enumerate(legs.legs)]

    def each(part: Callable[[_Home], Iterable[T]]) -> tuple[T, ...]:
        return tuple(found for home in at_home for found in part(home))

    platform = _body(legs.platform.mass, legs.platform.center_of_mass, legs.platform.inertia)
    description = tree.Description(
        each(_centers),
        each(_tilts),
        each(_pairs),
        _loads(at_home, platform),
        (_platform_frame(legs.home), *each(_seen)),
        (Point(PLATFORM, legs.platform.center_of_mass), *each(_mass_centers)),
        each(_frames),
        {PLATFORM: platform, **dict(each(lambda home: home.parts.items()))},
    )
    return Machine(
        legs.gravity,
        platform,
        tuple(map(_leg, at_home)),
        PlatformFreedom(ca.DM.eye(6), ca.DM.eye(6), ca.DM(0, 6), ca.DM.eye(6)),
        FrameConvention(ca.DM.eye(3), algebra.position(legs.home), algebra.quaternion(legs.home)),
        tuple((home.number, PISTON) for home in at_home),
        ZERO,
        description,
        flexures=each(_flexures),
        limit=limit,
        extensible=legs,
    )


def _platform_frame(home: Value) -> FixedFrame:
    """The base's frame, as the platform carries it from home."""
    back = rotation(home).T
    return FixedFrame(back, Point(PLATFORM, -back @ algebra.position(home)))


@dataclass(frozen=True)
class _Home:
    """A leg as it stands at home."""

    number: int
    leg: ExtensibleLeg
    platform: Value  # from the platform's to base axes
    first_axis: Value
    l: Value
    s: Value

    @classmethod
    def of(cls, number: int, leg: ExtensibleLeg, home: Value) -> Self:
        at, first_axis = leg_position(leg, home), leg.base_joint.first_axis
        across = leg.base_joint.axes(at.s)[0] if first_axis is None else first_axis
        return cls(number, leg, rotation(home), across, at.l, at.s)

    @property
    def spins(self) -> bool:
        """Whether nothing holds the leg against turning about itself."""
        return isinstance(self.leg.base_joint, BallBase)

    @cached_property
    def line(self) -> tree.Line:
        """From the base joint to the platform joint."""
        return tree.Line(Point(GROUND, self.leg.base), Point(PLATFORM, self.leg.platform))

    @property
    def cylinder(self) -> tree.LinkRef:
        return tree.LinkRef(self.number, CYLINDER)

    @property
    def piston(self) -> tree.LinkRef:
        return tree.LinkRef(self.number, PISTON)

    @cached_property
    def parts(self) -> dict[tree.LinkRef, Body]:
        """Cylinder and piston in the frames of their links."""
        cylinder, piston = self.leg.cylinder, self.leg.piston
        y, z = (Y, Z) if self.spins else (None, None)
        return {
            self.cylinder: _part(cylinder, cylinder.center_of_mass * Y, IN_CYLINDER, y),
            self.piston: _part(piston, -piston.center_of_mass * Z, IN_PISTON, z),
        }

    @property
    def joints(self) -> range:
        """Places of the leg's joints in the description: hip, slide and wrist."""
        return range(len(JOINTS) * self.number, len(JOINTS) * (self.number + 1))

    @property
    def p(self) -> Value:
        """Second axis of the universal joint."""
        return unit(cross(self.first_axis, self.s))


def _leg(home: _Home) -> Leg:
    leg, a = home.leg, home.first_axis
    cylinder, piston = home.parts.values()
    upright = ca.fabs(a[2]) < 0.9
    along = vector(ca.if_else(upright, 0, 1), 0, ca.if_else(upright, 1, 0))
    p = unit(cross(a, along))
    F = algebra.without_rounding(ca.horzcat(cross(p, a), p, a))  # p across the leg and an axis
    s = F.T @ home.s
    gamma, psi = ca.atan2(s[1], s[0]), ca.atan2(-s[2], norm(s[0:2]))
    zero = ca.DM(0)
    joints: tuple[LinkJoint, ...] = (
        Revolute(BASE, F, leg.base, gamma, zero, NO_MASS),
        Revolute(0, ONWARDS, ZERO, psi - ca.pi / 2, psi, cylinder),
        Prismatic(1, ONWARDS, ZERO, home.l, home.l, piston),
    )
    cut = CutBall(PISTON, ZERO, leg.platform, None, ca.DM.eye(3))

    def positions(place: Value, attitude: Value) -> list[Position]:
        """γ and ψ - π/2 as turns, and the length."""
        span = place + attitude @ leg.platform - leg.base
        d, l = F.T @ span, norm(span)
        r = norm(d[0:2])
        by_r, by_l = algebra.reciprocal(r), algebra.reciprocal(l)
        return [Turn(d[0] * by_r, d[1] * by_r), Turn(-d[2] * by_l, -r * by_l), l]

    return Leg(joints, (cut,), PLAN, positions)


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


def _centers(home: _Home) -> Iterator[Point]:
    """Joint centres; of the slide one carried by the cylinder and one by the piston."""
    yield Point(GROUND, home.leg.base)
    yield Point(home.cylinder, home.l * Y)
    yield Point(home.piston, ZERO)
    yield Point(PLATFORM, home.leg.platform)


def _tilts(home: _Home) -> Iterator[tree.Tilt]:
    yield tree.Tilt(home.line, GROUND, home.s)
    yield tree.Tilt(home.line, PLATFORM, home.platform.T @ home.s)


def _pairs(home: _Home) -> Iterator[Pair]:
    if home.spins:
        yield Pair(GROUND, home.line, (), True, None)
    else:
        yield Pair(GROUND, home.cylinder, (home.first_axis, Z), True, None)
    yield Pair(home.cylinder, home.piston, (), False, home.piston)
    yield Pair(home.line if home.spins else home.piston, PLATFORM, (), True, None)


def _flexures(home: _Home) -> Iterator[tree.Flexure | tree.LineTorsion]:
    """Springs against bending and twisting at the ends of a leg that states some."""
    springs, line = home.leg.flexures, home.line
    if springs is not None:
        hip, _, wrist = home.joints
        yield tree.Flexure(springs.base_bending, hip, Pair(GROUND, line, (), True, None))
        yield tree.Flexure(springs.platform_bending, wrist, Pair(line, PLATFORM, (), True, None))
        below, joint = (GROUND, hip) if home.spins else (home.cylinder, None)
        yield tree.LineTorsion(springs.torsion, line, below, PLATFORM, (joint, wrist))


def _seen(home: _Home) -> Iterator[FixedFrame | tree.RodFixedFrame]:
    """The base's frame, as cylinder and piston carry it from home."""
    if not home.spins:
        yield from _fixed(home)
        return
    base, top, s = home.leg.base, home.leg.base + home.l * home.s, home.s
    yield tree.RodFixedFrame(home.line, base, s)
    yield tree.RodFixedFrame(tree.Line(home.line.far, home.line.near), top, -s)


def _fixed(home: _Home) -> Iterator[FixedFrame]:
    """The base's frame, as the links of cylinder and piston carry it from home."""
    base, top, s, p = home.leg.base, home.leg.base + home.l * home.s, home.s, home.p
    for carrier, axes, origin in (
        (home.cylinder, ca.horzcat(cross(s, p), s, p), base),
        (home.piston, ca.horzcat(cross(s, p), -p, s), top),
    ):
        yield FixedFrame(axes.T, Point(carrier, -axes.T @ origin))


def _frames(home: _Home) -> Iterator[FixedFrame | tree.RodFixedFrame]:
    """The parts' own frames, on the leg's axes at either joint."""
    if home.spins:
        axes = ca.horzcat(*home.leg.base_joint.axes(home.s))
        yield tree.RodFixedFrame(home.line, ZERO, home.s, axes)
        yield tree.RodFixedFrame(tree.Line(home.line.far, home.line.near), ZERO, -home.s, axes)
        return
    yield FixedFrame(IN_CYLINDER, Point(home.cylinder, ZERO))
    yield FixedFrame(IN_PISTON, Point(home.piston, ZERO))


def _mass_centers(home: _Home) -> Iterator[Point]:
    yield Point(home.cylinder, home.leg.cylinder.center_of_mass * Y)
    yield Point(home.piston, -home.leg.piston.center_of_mass * Z)


def _loads(legs: list[_Home], platform: Body) -> tree.Loads:
    members = [tree.Member(GROUND, NO_MASS, None), tree.Member(PLATFORM, platform, None)]
    closed: list[tree.ClosedJoint] = []
    bearings: list[Bearing] = []
    for home in legs:
        cylinder, piston = len(members), len(members) + 1
        for (carrier, body), before in zip(home.parts.items(), (0, cylinder), strict=True):
            members.append(tree.Member(carrier, body, before))
        closed.append(tree.ClosedJoint(tree.Closure(home.number, 0), piston, 1))
        bearings += _bearings(home, cylinder, piston)
    return tree.Loads(tuple(members), (), tuple(closed), tuple(bearings), 1.0)


def _bearings(home: _Home, cylinder: int, piston: int) -> Iterator[Bearing]:
    hip, slide, wrist = (JOINT_KINDS[letter] for letter in home.leg.base_joint.letter + "PS")
    a, b = home.first_axis, home.leg.platform
    axes, second_axis, carried = ca.DM.eye(3), None, hip.carried
    if not home.spins:
        axes = ca.horzcat(a, home.p, cross(a, home.p))
        second_axis, carried = Point(home.cylinder, Z), carried[:TRANSLATIONS]
    yield Bearing(
        (0, cylinder), tree.Branch(cylinder), 1, Point(GROUND, home.leg.base), GROUND, axes,
        carried, second_axis,
    )  # fmt: skip
    yield Bearing(
        (cylinder, piston), tree.Branch(piston), 1, Point(home.cylinder, home.l * Y),
        home.cylinder, ca.horzcat(Y, Z, X), slide.carried, None,
    )  # fmt: skip
    yield Bearing(
        (piston, 1), tree.Closure(home.number, 0), 1, Point(PLATFORM, b), PLATFORM, home.platform.T,
        wrist.carried, None,
    )  # fmt: skip


def extensible_legs(robot: Hexapod, numbers: Numbers) -> ExtensibleLegs:
    """The robot as the short equations of hexapods take it."""
    legs = ((leg, f"legs[{k}]") for k, leg in enumerate(robot.legs))
    frames = {f"flexible_{end}": numbers(f"flexibility.{end}") for end in flexible_frames(robot)}
    return ExtensibleLegs(
        numbers("gravity"),
        _rigid_part("platform", numbers),
        tuple(_extensible_leg(robot, *leg, numbers) for leg in legs),
        numbers("home"),
        **frames,
    )


def _extensible_leg(robot: Hexapod, leg: WrittenLeg, at: str, numbers: Numbers) -> ExtensibleLeg:
    return ExtensibleLeg(
        BallBase() if leg.kind[0] == "S" else UniversalBase(numbers(f"{at}.first_axis")),
        numbers(f"{at}.base"),
        numbers(f"{at}.platform"),
        _rigid_part(f"{at}.cylinder", numbers),
        _rigid_part(f"{at}.piston", numbers),
        springs_of(leg, at, numbers) if robot.elastic else None,
        flexures=flexures_of(leg, at, numbers),
    )


def _rigid_part(at: str, numbers: Numbers) -> RigidPart:
    return RigidPart(*(numbers(f"{at}.{key}") for key in ("mass", "center_of_mass", "inertia")))
