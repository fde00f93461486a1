"""From a machine's drawing to a tree of links that holds all of its bodies, and what closes it.

Bodies that are fixed to each other stay bodies of their own, as one of them may bend. Motors are in
the tree; joints of many freedoms are the cheapest to cut. Where a bearing yields, a joint of the
tree has a coordinate more, and a cut one a spring in place of a row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.remembered import remembered
from gough.equations.flexible.dynamics import closing_rows, gaps
from gough.equations.flexible.joints import KINDS, Fixed, Hinge, Joint, Slide
from gough.equations.flexible.machine import BASE as GROUND
from gough.equations.flexible.machine import Bearing, Cut, Flexure, Link, Machine, Spot
from gough.equations.mechanism.bodies import Body
from gough.errors import GoughError, RobotError
from gough.model.flexible.beam import ALIGNED, BeamStiffness, FlexibleLink
from gough.model.flexible.craig_bampton import Reduced, reduced, shapes_of
from gough.model.mechanism.drawing import Drawing, DrawnJoint, drawn
from gough.model.mechanism.independence import independent_rows
from gough.model.mechanism.mass import NOTHING, Mass, ten_numbers
from gough.model.mechanism.parts import across
from gough.model.mechanism.samples import CLOSED, SAMPLES, STRAY, null_space
from gough.model.mechanism.trees import joint_steps, kept_first
from gough.model.mechanism.weights import rigid_bodies
from gough.model.mechanism.yielding import bearing_stiffness
from gough.model.named_numbers import constants
from gough.robot import Mechanism, Robot
from gough.robot.mechanism import BASE, MOVES, PLATFORM

Beams = tuple[tuple[str, FlexibleLink], ...]
"""By the names of bodies."""
WAYS = (0, 1, 2)
"""Those of the components x, y, z, rx, ry, rz that are no turns."""
TOGETHER = 1e-9
"""Points that are nearer, in machine sizes, are one."""


@dataclass(frozen=True, eq=False)
class Spanned:
    """A machine as the equations take it, and the names of its coordinates."""

    machine: Machine
    coordinates: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Span:
    """A beam by few coordinates, and where it is at home [m]: from one joint to its others."""

    near: Array
    far: Array
    axes: Array
    """Its own, as columns, x from near to far."""
    small: Reduced


def spans_of(mechanism: Mechanism) -> dict[str, Span]:
    """The bodies that are beams in the machine's file."""
    return _tree(mechanism, tuple(beams_of(mechanism).items())).spans


def spanned(mechanism: Mechanism, beams: Beams) -> Spanned:
    """The machine with these beams among its bodies."""
    tree = _tree(mechanism, beams)
    machine = Machine(
        tuple(tree.links),
        tuple(tree.cut(joint) for joint in tree.rest),
        tree.spot(PLATFORM, tree.drawing.position),
        ca.DM(tree.drawing.rotation),
        ca.DM(mechanism.gravity),
        tuple(tree.names.index(joint.name) for joint in mechanism.driven),
        (*tree.bearings(), *tree.flexures(mechanism)),
    )
    return Spanned(machine, tuple(_coordinates(machine, tree)))


def _tree(mechanism: Mechanism, beams: Beams) -> _Tree:
    bearings = {joint.name: bearing_stiffness(joint) for joint in mechanism.joints}
    return _Tree(drawn(mechanism), masses_at_home(mechanism), dict(beams), bearings)


def _coordinates(machine: Machine, tree: _Tree) -> list[str]:
    bent = [f"{body}.{name}" for body, span in tree.spans.items() for name in span.small.names]
    return [tree.names[k] for k in machine.joints] + bent


class _Tree:
    """Links from the base outwards, as they are found."""

    def __init__(
        self,
        drawing: Drawing,
        masses: Mapping[str, Mass],
        beams: Mapping[str, FlexibleLink],
        yielding: Mapping[str, Mapping[int, float]],
    ) -> None:
        self.drawing, self.masses, self.beams, self.yielding = drawing, masses, beams, yielding
        self.links: list[Link] = []
        self.names: list[str] = []
        self.spans: dict[str, Span] = {}
        self._link_of = {BASE: GROUND}
        self._origins = {GROUND: np.zeros(3)}
        kept = _kept(drawing.described.joints)
        self.rest = [joint for joint in drawing.described.joints if joint not in kept]
        while joint := next((j for j in kept if self._grows(j)), None):
            self._grow(joint)
        lost = set(masses) - set(self._link_of)
        if lost:
            raise RobotError("a body without joints", key=min(lost), expected="joints to the base")

    def spot(self, body: str, at: Array) -> Spot:
        """A point of a body, given at home."""
        link = self._link_of[body]
        at_end = body in self.spans and not self._same(at, self._origins[link])
        return Spot(
            link, ca.DM(at - (self.spans[body].far if at_end else self._origins[link])), at_end
        )

    def cut(self, joint: DrawnJoint) -> Cut:
        """A joint that closes a loop, by the rows that do not yield."""
        if joint.driven:
            expected = "motors of which one can move without the others"
            raise RobotError("motors alone close a loop", key=joint.name, expected=expected)
        return self._rows(joint, {*range(len(MOVES))} - {*self.yielding[joint.name]})

    def bearings(self) -> list[Bearing]:
        """All bearings that yield."""
        return [
            Bearing(self._rows(joint, given), ca.DM([given[c] for c in sorted(given)]))
            for joint in self.drawing.described.joints
            if (given := self.yielding[joint.name])
        ]

    def flexures(self, mechanism: Mechanism) -> list[Flexure]:
        """All joints without a motor that resist their motion."""
        return [
            Flexure(
                self.spot(joint.first, joint.at),
                self.spot(joint.second, joint.at),
                tuple(map(ca.DM, joint.axes)),
                ca.DM(record.springs["stiffness"]),
                joint.kind.slides,
            )
            for joint, record in zip(self.drawing.described.joints, mechanism.joints, strict=True)
            if not joint.driven and "stiffness" in record.springs
        ]

    def _rows(self, joint: DrawnJoint, components: Collection[int]) -> Cut:
        """Some of the ways and turns that a joint closes: its centre as the other body sees it."""
        ends = (joint.first, joint.second)
        order = 1 if _centre_of(joint) == joint.second else -1
        first, second = (self.spot(body, joint.at) for body in ends[::order])
        ways = [way for k, way in _ways(joint).items() if k in components]
        pairs = [pair[::order] for k, pair in _pairs(joint).items() if k in components]
        axes = tuple((ca.DM(a), ca.DM(b)) for a, b in pairs)
        return Cut(first, second, ca.DM(np.reshape(ways, (-1, 3))), axes)

    def _grows(self, joint: DrawnJoint) -> bool:
        return (joint.first in self._link_of) != (joint.second in self._link_of)

    def _grow(self, joint: DrawnJoint) -> None:
        forward = joint.first in self._link_of
        carrier, body = (joint.first, joint.second) if forward else (joint.second, joint.first)
        spot = self.spot(carrier, joint.at)
        parts, yielding = _parts(joint, forward), _yielding_parts(joint, self.yielding[joint.name])
        parts = yielding + parts if _centre_of(joint) == carrier else parts + yielding
        for k, (name, part) in enumerate(parts):
            mass = self.masses[body] if k == len(parts) - 1 else NOTHING
            own = _body(mass.seen_in(np.eye(3), joint.at))
            self.names.append(name)
            self.links.append(Link(spot, part, own))
            link = len(self.links) - 1
            self._origins[link] = joint.at
            spot = Spot(link, ca.DM.zeros(3))
        self._link_of[body] = link
        if body in self.beams:
            self._bend(body, joint)

    def _bend(self, body: str, joint: DrawnJoint) -> None:
        beam, link, at = self.beams[body], self.links[-1], joint.at
        end = self._end(body, at)
        line = end - at
        _refuse_guided(body, joint, line)
        R, length = beam.stiffness.axes(line), float(np.linalg.norm(line))
        small = reduced(body, beam, self.masses[body].seen_in(R, at), length)
        self.spans[body] = Span(at, end, R, small)
        self.links[-1] = replace(link, shapes=shapes_of(small, R, line))

    def _end(self, body: str, at: Array) -> Array:
        """The middle of the other joints of a body, which are rigid to each other."""
        joints = [joint for joint in self.drawing.described.joints if joint.joins(body)]
        others = [joint.at for joint in joints if not self._same(joint.at, at)]
        if not others or self._same(np.mean(others, axis=0), at):
            raise RobotError(
                "a flexible link is a beam from the joint that carries it to the others",
                key=body,
                value=f"joints {', '.join(joint.name for joint in joints)}",
                expected="others at some distance",
            )
        return np.asarray(np.mean(others, axis=0))

    def _same(self, a: Array, b: Array) -> bool:
        return bool(np.linalg.norm(a - b) < TOGETHER * self.drawing.size)


def beams_of(mechanism: Mechanism) -> dict[str, FlexibleLink]:
    """The bodies that are beams in the machine's file."""
    beams = {body.name: body.beam for body in mechanism.bodies}
    return {name: FlexibleLink.of(beam) for name, beam in beams.items() if beam is not None}


def bending_mechanism(robot: Robot) -> Mechanism:
    """A robot whose file says that some of its links or bearings yield; another is refused."""
    if isinstance(robot, Mechanism) and robot.links_yield:
        return robot
    raise GoughError(
        f"{robot.name}: no body of it is a beam, so that no link is flexible, and no bearing "
        "yields; expected a machine of the schema gough/2 with the key beam in some of its links "
        "or bodies, or bearing in some of its joints"
    )


def check_beams(mechanism: Mechanism, beams: Mapping[str, BeamStiffness]) -> None:
    """Refuse beams of bodies that the machine has not."""
    known = [body.name for body in mechanism.bodies]
    for body, beam in beams.items():
        if body not in known or not isinstance(beam, BeamStiffness):
            raise GoughError(
                f"beams has {body!r}: {beam!r:.80}; expected a gough.BeamStiffness for some of "
                f"{', '.join(known)}"
            )


def _parts(joint: DrawnJoint, forward: bool) -> list[tuple[str, Joint]]:
    """Joints of one freedom, or a fixed one, that are the joint; from its first body or to it."""
    if joint.kind.is_fixed:
        return [(joint.name, Fixed())]
    steps = joint_steps(joint, forward, np.array([0.0, 0.0, 1.0]))
    names = (
        [joint.name] if len(steps) == 1 else [f"{joint.name}.{k + 1}" for k in range(len(steps))]
    )
    return [
        (name, KINDS[kind](ca.DM(axis), joint.at_home))
        for name, (kind, axis) in zip(names, steps, strict=True)
    ]


def _yielding_parts(joint: DrawnJoint, components: Iterable[int]) -> list[tuple[str, Joint]]:
    """Slides and hinges in which a bearing yields."""
    return [
        (
            f"{joint.name}.bearing {MOVES[k]}",
            (Slide if k < len(WAYS) else Hinge)(ca.DM(_axes(joint)[:, k % len(WAYS)])),
        )
        for k in sorted(components)
    ]


def _centre_of(joint: DrawnJoint) -> str:
    """The body that the centre of a joint moves with."""
    return joint.second if joint.first == BASE else joint.first


def _refuse_guided(body: str, joint: DrawnJoint, line: Array) -> None:
    """Refuse a beam that slides along its own line: what is free to bend changes as it slides."""
    if joint.kind.slides and np.linalg.norm(
        np.cross(joint.axes[0], line)
    ) < ALIGNED * np.linalg.norm(line):
        raise RobotError(
            "a beam that slides along its own line: its guide supports it elsewhere at each stroke",
            key=body,
            value=f"carried by {joint.name}",
            expected="a rigid body on the slide, to which a beam may be fixed, or a bearing that "
            "yields",
        )


def _kept(joints: Sequence[DrawnJoint]) -> list[DrawnJoint]:
    """Joints that hold all bodies without closing a loop."""
    groups: dict[str, str] = {}
    kept = []
    for joint in sorted(joints, key=lambda joint: (not joint.kind.is_fixed, *kept_first(joint))):
        first, second = (groups.get(body, body) for body in (joint.first, joint.second))
        if first != second:
            kept.append(joint)
            bodies = {joint.first, joint.second, *groups}
            groups |= {b: first for b in bodies if groups.get(b, b) == second}
            groups |= {joint.first: first, joint.second: first}
    return kept


def masses_at_home(mechanism: Mechanism) -> dict[str, Mass]:
    """All moving bodies about the base's origin, in base axes, the platform first."""
    bodies = rigid_bodies(mechanism, constants(mechanism))
    numbers = [np.array(ten_numbers(b.mass, b.center, b.inertia)).ravel() for b in bodies]
    described = drawn(mechanism).described.bodies
    weights = np.concatenate(numbers)
    return {name: mass.weighed(weights) for name, mass in described.items()}


def _body(mass: Mass) -> Body:
    return Body(ca.DM(float(mass.mass)), ca.DM(mass.ms), ca.DM(mass.sigma))


def _axes(joint: DrawnJoint) -> Array:
    """A joint's axes, as columns: x along its own."""
    x = joint.axes[0] if joint.axes else np.array([1.0, 0.0, 0.0])
    return np.column_stack([x, across(x)])


def _ways(joint: DrawnJoint) -> dict[int, Array]:
    """Directions, by component, of the ways that a joint closes."""
    return {k: _axes(joint)[:, k] for k in joint.kind.carried if k in WAYS}


def _pairs(joint: DrawnJoint) -> dict[int, tuple[Array, Array]]:
    """Axes of first and second body that keep their angle, by the turn that would change it."""
    x, y, z = _axes(joint).T
    kind = joint.kind
    if not kind.rotations:
        return {3: (y, z), 4: (z, x), 5: (x, y)}
    if kind.rotations == 1:
        return {4: (z, x), 5: (y, x)}
    return {} if kind.is_ball else {5: (joint.axes[0], joint.axes[1])}


@remembered
def loop_rows(mechanism: Mechanism, beams: Beams) -> tuple[int, ...]:
    """Rows that say all that closes the loops, at home and near it, and do not repeat each other.

    Those of a loop in a plane that nothing can leave do. A machine may be special where it is
    drawn: it is decided on states near home, assembled with all links straight.
    """
    machine, size = spanned(mechanism, beams).machine, drawn(mechanism).size
    return tuple(independent_rows(list(_assembled_rows(machine, size)))) if machine.gaps else ()


def _assembled_rows(machine: Machine, size: float) -> Iterator[Array]:
    """All rows at home, and at random states with straight links that Newton's method closes."""
    z, count = ca.SX.sym("z", machine.size), len(machine.joints)
    closing = ca.Function("closing", [z], [gaps(machine, z), closing_rows(machine, z)])
    slides = [isinstance(machine.links[k].joint, Slide) for k in machine.joints]
    scales, rng = np.where(slides, size, 1.0), np.random.default_rng(1)
    home = np.array(machine.at_home, dtype=float)
    C = np.array(closing(home)[1])
    yield C
    N = null_space(C[:, :count] * scales)
    for _ in range(SAMPLES):
        at, step = home.copy(), N @ rng.standard_normal(N.shape[1])
        at[:count] += STRAY * scales * step / (np.abs(step).max(initial=0.0) or 1.0)
        for _ in range(25):
            gap, C = map(np.array, closing(at))
            if np.abs(gap).max() < CLOSED * size:
                yield C
                break
            rows = C[:, :count] * scales
            at[:count] -= scales * np.linalg.lstsq(rows, gap.ravel(), rcond=1e-9)[0]
