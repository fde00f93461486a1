"""A tree of links with all bodies of a machine, and its loop closures, from the home configuration.

Bodies that are fixed to each other stay bodies of their own, because one of them may bend. Motors
are in the tree; joints with many degrees of freedom are the cheapest to cut. With a compliant
bearing a joint of the tree has a further coordinate, and a cut one a spring instead of a row. A
piston that bends in its cylinder is displaced across its slide, too: rows lead it at two places.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.memo import remembered
from gough.elastic.flexible.beam import (
    ALIGNED,
    BeamStiffness,
    FlexibleLink,
    Reduced,
    reduced,
    shapes_of,
)
from gough.elastic.flexible.platform import FlexiblePlatform
from gough.equations.flexible.dynamics import closing_rows, gaps
from gough.equations.flexible.machine import (
    BearingSpring,
    BesideJoint,
    Centreline,
    CoupledJoints,
    FlexureSpring,
    Guide,
    LinkAttachment,
    LinkTree,
    LoopJoint,
    StretchedSpring,
    TreeLink,
)
from gough.equations.tree.bodies import ZERO, Body
from gough.equations.tree.joints import BASE as GROUND
from gough.equations.tree.joints import Prismatic, Revolute
from gough.errors import GoughError, RobotError
from gough.model.mechanism.decisions.plans import independent_rows
from gough.model.mechanism.decisions.samples import CLOSED, SAMPLES, STRAY, null_space
from gough.model.mechanism.home.drawing import DrawnJoint, drawn
from gough.model.mechanism.legs.frames import across
from gough.model.mechanism.legs.trees import joint_steps
from gough.model.mechanism.numbers.elastic import bearing_stiffness
from gough.model.mechanism.numbers.mass import NOTHING, Mass
from gough.model.mechanism.numbers.traced import snapped
from gough.model.named_numbers import constants
from gough.model.springs import joint_law, law_of
from gough.robot import BASE, MOVES, PLATFORM, Mechanism, spanning_tree
from gough.robot.as_mechanism import DrawnHexapod
from gough.robot.checks import overlap_problem
from gough.robot.home.spanning import welds_kept_first

Beams = tuple[tuple[str, FlexibleLink], ...]  # pairs of the name of a body and its beam
TRANSLATIONS = (0, 1, 2)  # translations among the components x, y, z, rx, ry, rz
GUIDED = (1, 2, 4, 5)  # components in which a cylinder leads its piston's inner end
TOGETHER = 1e-9  # distance below which points coincide, relative to the machine's size


class Spanned(NamedTuple):
    """A machine as the equations use it, and the names of its coordinates."""

    machine: LinkTree
    coordinates: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Span:
    """A beam by few coordinates, and its place at home [m]: from one joint to its others."""

    near: Array
    far: Array
    axes: Array  # axes of the beam, as columns, x from near to far
    small: Reduced


def spans_of(mechanism: Mechanism) -> dict[str, Span]:
    """Return the bodies that are beams in the machine's file."""
    return _Tree(mechanism, beams_of(mechanism)).spans


def spanned(mechanism: Mechanism, beams: Beams) -> Spanned:
    """Return the machine with these beams among its bodies."""
    tree = _Tree(mechanism, dict(beams))
    tree.add_armatures()
    machine = LinkTree(
        tuple(tree.links),
        (*(tree.cut(joint) for joint in tree.rest), *tree.guides, *tree.couplings()),
        tree.spot(PLATFORM, tree.drawing.position),
        ca.DM(tree.drawing.rotation),
        ca.DM(mechanism.gravity),
        tuple(tree.names.index(joint.name) for joint in mechanism.driven),
        (*tree.bearings(), *tree.flexures(), *tree.stretched(), *tree.beside_joints()),
    )
    names = {PLATFORM: tree.platform.names} if tree.platform else {}
    names |= {body: span.small.names for body, span in tree.spans.items()}
    bent = [f"{body}.{name}" for body, own in names.items() for name in own]
    return Spanned(machine, (*(tree.names[k] for k in machine.joints), *bent))


@dataclass(frozen=True)
class _Part:
    """A joint with one degree of freedom, or a fixed one, that carries a link."""

    name: str
    axis: Array | None = None  # direction in base axes at home; None for a fixed joint
    turns: bool = False
    at_home: float = 0.0


class _Tree:
    """Links from the base outwards, in the order in which they are found."""

    def __init__(self, mechanism: Mechanism, beams: Mapping[str, FlexibleLink]) -> None:
        self.mechanism, self.beams, self.drawing = mechanism, beams, drawn(mechanism)
        self.masses = masses_at_home(mechanism)
        self.compliant = {j.name: bearing_stiffness(j, j.springs) for j in mechanism.joints}
        self.links: list[TreeLink] = []
        self.names: list[str] = []
        self.spans: dict[str, Span] = {}
        self.guides: list[Guide] = []
        self.platform = FlexiblePlatform.of(mechanism)
        self._link_of = {BASE: GROUND}
        self._origins, self._axes = {GROUND: np.zeros(3)}, {GROUND: np.eye(3)}
        joints = self.drawing.described.joints
        kept = [joint for joint in joints if self.platform is None or not joint.joins(PLATFORM)]
        branches = spanning_tree(sorted(kept, key=welds_kept_first))
        if self.platform is not None:
            self._float(self.platform)
        if lost := self.masses.keys() - {branch.body for branch in branches} - {*self._link_of}:
            raise RobotError("a body without joints", key=min(lost), expected="joints to the base")
        tree_joints = [branch.joint for branch in branches]
        self.rest = [joint for joint in joints if joint not in tree_joints]
        for branch in branches:
            self._grow(*branch)

    def spot(self, body: str, at: Array, joint: str = "") -> LinkAttachment:
        """A point of a body, given at home; of a flexible platform the centre of a joint."""
        link, way = self._link_of[body], None
        if body == PLATFORM and self.platform is not None and joint:
            turned = self._axes[link].T @ self.drawing.rotation
            way = ca.DM(turned @ self.platform.ways[joint])
        at_end = body in self.spans and not self._same(at, self._origins[link])
        origin = self.spans[body].far if at_end else self._origins[link]
        return LinkAttachment(link, ca.DM(at - origin), at_end, way)

    def cut(self, joint: DrawnJoint) -> LoopJoint:
        """A joint that closes a loop, by its rigid rows."""
        if joint.driven or joint.coupled:
            expected = "motors that can move independently, and a passive joint in each loop"
            problem = "motors and coupled joints alone close a loop"
            raise RobotError(problem, key=joint.name, expected=expected)
        if is_telescope(joint, self.beams):
            expected = "a slide with a motor, or rigid bodies on it"
            raise RobotError("a piston closes a loop", key=joint.name, expected=expected)
        return self._rows(joint, {*range(len(MOVES))} - {*self.compliant[joint.name]})

    def couplings(self) -> list[CoupledJoints]:
        """All couplings of joints."""
        every = self.drawing.couplings.values()
        return [CoupledJoints(tuple(map(self.names.index, w)), ca.DM([*w.values()])) for w in every]

    def bearings(self) -> list[BearingSpring]:
        """All compliant bearings."""
        return [
            BearingSpring(self._rows(joint, given), ca.DM([given[c] for c in sorted(given)]))
            for joint in self.drawing.described.joints
            if (given := self.compliant[joint.name])
        ]

    def flexures(self) -> list[FlexureSpring]:
        """All passive joints with a stiffness."""
        found = list[FlexureSpring]()
        for joint, record in zip(self.drawing.described.joints, self.mechanism.joints, strict=True):
            if not joint.driven and "stiffness" in record.springs:
                first, second = (self.spot(body, joint.at) for body in joint.between)
                axes, stiffness = tuple(map(ca.DM, joint.axes)), ca.DM(record.springs["stiffness"])
                found.append(FlexureSpring(first, second, axes, stiffness, joint.kind.slides))
        return found

    def stretched(self) -> Iterator[StretchedSpring]:
        """All springs between bodies."""
        numbers = constants(self.mechanism)
        for k, spring in enumerate(self.mechanism.springs):
            ends, at = [], f"springs[{k}]"
            for body, key in zip(spring.between, ("start", "end"), strict=True):
                place = np.array(getattr(spring, key))
                joints = self._joints_of(body)
                if body in self.beams and not any(self._same(place, j.at) for j in joints):
                    expected = "a point at one of its joints, or a body that does not bend"
                    problem = "between the ends of a beam"
                    raise RobotError(problem, key=f"{at}.{key}", expected=expected)
                ends.append(self.spot(body, place))
            length = spring.length_at_home
            law = law_of(spring, at, numbers, ca.DM(length))
            yield StretchedSpring((ends[0], ends[1]), length, law, spring.damping or 0.0)

    def beside_joints(self) -> Iterator[BesideJoint]:
        """All springs beside motors and bearings."""
        numbers = constants(self.mechanism)
        for k, joint in enumerate(self.mechanism.joints):
            spring = getattr(joint, "spring", None)
            if spring is not None:
                place = sum(link.moves for link in self.links[: self._link_at(k, "spring")])
                law = joint_law(spring, f"joints[{k}].spring", numbers, joint.home)
                yield BesideJoint(place, joint.home, law)

    def add_armatures(self) -> None:
        """Add the inertias that move with positions of joints."""
        for k, record in enumerate(self.mechanism.joints):
            if inertia := getattr(record, "armature", None):
                link = self._link_at(k, "armature")
                joint = replace(self.links[link].joint, armature=inertia)
                self.links[link] = replace(self.links[link], joint=joint)

    def _link_at(self, joint: int, key: str) -> int:
        """Number of the link that a joint carries; one that closes a loop is refused."""
        name = self.mechanism.joints[joint].name
        if name not in self.names:
            place, problem = f"joints[{joint}].{key}", "a joint that closes a loop"
            expected = "none of joints that close a loop, where all joints are coordinates"
            raise RobotError(problem, key=place, value=name, expected=expected)
        return self.names.index(name)

    def _rows(self, joint: DrawnJoint, components: Collection[int]) -> LoopJoint:
        """Some of the translations and rotations that a joint constrains, at its centre."""
        order = 1 if _centre_of(joint) == joint.second else -1
        first, second = (self.spot(body, joint.at, joint.name) for body in joint.between[::order])
        carried = (k for k in joint.kind.carried if k in TRANSLATIONS and k in components)
        directions = [joint_axes(joint)[:, k] for k in carried]
        pairs = [pair[::order] for k, pair in _pairs(joint).items() if k in components]
        axes = tuple((ca.DM(a), ca.DM(b)) for a, b in pairs)
        return LoopJoint(first, second, ca.DM(np.reshape(directions, (-1, 3))), axes)

    def _grow(self, joint: DrawnJoint, carrier: str, body: str) -> None:
        spot, at = self.spot(carrier, joint.at), joint.at
        parts, axes = _parts(joint, joint.first == carrier), joint_axes(joint)
        strains = [  # slides and hinges that stand for a compliant bearing
            _Part(f"{joint.name}.bearing {MOVES[k]}", axes[:, k % 3], k not in TRANSLATIONS)
            for k in sorted(self.compliant[joint.name])
        ]
        parts = strains + parts if _centre_of(joint) == carrier else parts + strains
        end = None
        if is_telescope(joint, self.beams):
            at, end = self._piston(joint, carrier, body)
            cylinder, axes = self._link_of[carrier], self.beams[body].stiffness.axes(end - at)
            spot = LinkAttachment(cylinder, ca.DM(at - self._origins[cylinder]))
            parts += [
                _Part(f"{joint.name}.guide {MOVES[k]}", axes[:, k % 3], k not in TRANSLATIONS)
                for k in GUIDED
            ]
        link = self._link_of[body] = self._chain(spot, parts, at, self.masses[body])
        if body in self.beams:
            self._bend(body, at, self._end(body, joint) if end is None else end)
        if end is not None:
            first, second = self._centreline(carrier), self._centreline(body)
            self.guides.append(Guide((cylinder, link), (first, second)))

    def _float(self, platform: FlexiblePlatform) -> None:
        """A flexible platform, free to move: its shapes count from its frame."""
        at = self.drawing.position
        parts = [
            _Part(f"{PLATFORM} {MOVES[k]}", np.eye(3)[k % 3], k not in TRANSLATIONS)
            for k in (*TRANSLATIONS, 5, 4, 3)
        ]
        spot = LinkAttachment(GROUND, ca.DM(at))
        link = self._link_of[PLATFORM] = self._chain(spot, parts, at, self.masses[PLATFORM])
        shapes = platform.shapes(self._axes[link].T @ self.drawing.rotation)
        self.links[link] = replace(self.links[link], shapes=shapes)

    def _chain(self, spot: LinkAttachment, parts: Sequence[_Part], at: Array, mass: Mass) -> int:
        """Add joints at a place, of which the last carries the mass; return its number."""
        for k, part in enumerate(parts):
            link = self._append(spot, part, at, mass if k == len(parts) - 1 else NOTHING)
            spot = LinkAttachment(link, ZERO)
        return link

    def _piston(self, slide: DrawnJoint, cylinder: str, body: str) -> tuple[Array, Array]:
        """Inner and outer end of a piston in its cylinder."""
        if cylinder not in self.spans or len(joints := self._joints_of(body)) == 1:
            expected = "a cylinder that a joint holds, and a piston that holds something"
            raise RobotError("a part without a joint", key=slide.name, expected=expected)
        start = self.spans[cylinder].near
        far = np.mean([joint.at for joint in joints if joint.name != slide.name], axis=0)
        lengths = [self.beams[name].length or 0.0 for name in (cylinder, body)]
        line = far - start
        length, aside = map(np.linalg.norm, (line, np.cross(slide.axes[0], line)))
        problem = overlap_problem(float(length), *lengths)
        if problem or aside > ALIGNED * length:
            problem = problem or f"its joints are {aside:.3g} m beside the line of the slide"
            leg = f"a leg of {length:.6g} m"
            expected = "a cylinder and a piston that overlap, on one line"
            raise RobotError(problem, key=slide.name, value=leg, expected=expected)
        return far - lengths[1] * line / length, far

    def _centreline(self, body: str) -> Centreline:
        span = self.spans[body]
        return span.small.centreline(self._axes[self._link_of[body]].T @ span.axes)

    def _joints_of(self, body: str) -> list[DrawnJoint]:
        return [joint for joint in self.drawing.described.joints if joint.joins(body)]

    def _append(self, spot: LinkAttachment, part: _Part, at: Array, mass: Mass) -> int:
        """Add a link that a spot carries, with its origin at a place; return its number."""
        before = self._axes[spot.link]
        axes = before if part.axis is None else np.column_stack([across(part.axis), part.axis])
        own = mass.seen_in(axes, at)
        frame = ca.DM(snapped(before.T @ axes)), ca.DM(before.T @ np.array(spot.place).ravel())
        body = Body(ca.DM(float(own.mass)), ca.DM(own.ms), ca.DM(own.sigma))
        kind = Revolute if part.turns else Prismatic
        joint = kind(spot.link, *frame, ca.DM(0), ca.DM(part.at_home), body)
        self.names.append(part.name)
        self.links.append(TreeLink(joint, ca.DM(axes), spot.at_end, part.axis is not None))
        link = len(self.links) - 1
        self._origins[link], self._axes[link] = at, axes
        return link

    def _bend(self, body: str, at: Array, end: Array) -> None:
        beam, link, line = self.beams[body], self.links[-1], end - at
        R, length = beam.stiffness.axes(line), float(np.linalg.norm(line))
        small = reduced(body, beam, self.masses[body].seen_in(R, at), length)
        self.spans[body] = Span(at, end, R, small)
        own = self._axes[len(self.links) - 1].T
        self.links[-1] = replace(link, shapes=shapes_of(small, own @ R, own @ line))

    def _end(self, body: str, carrier: DrawnJoint) -> Array:
        """The middle of the other joints of a body, which are rigid to each other."""
        joints, at = self._joints_of(body), carrier.at
        for slide in joints:
            if is_telescope(slide, self.beams):  # which may be drawn anywhere on its line
                pistons = [j.at for j in self._joints_of(slide.beyond(body)) if j is not slide]
                away = np.sign(slide.axes[0] @ (np.mean(pistons or [at], axis=0) - at))
                return np.asarray(at + (self.beams[body].length or 0.0) * away * slide.axes[0])
        others = [joint.at for joint in joints if not self._same(joint.at, at)]
        if not others or self._same(np.mean(others, axis=0), at):
            problem = "a flexible link is a beam from the joint that carries it to the others"
            listed = f"joints {', '.join(joint.name for joint in joints)}"
            raise RobotError(problem, key=body, value=listed, expected="others at some distance")
        line = np.mean(others, axis=0) - at
        if carrier.kind.slides and np.linalg.norm(
            np.cross(carrier.axes[0], line)
        ) < ALIGNED * np.linalg.norm(line):
            raise RobotError(  # its free length would change as it slides
                "a beam that slides along its own line: its guide supports it elsewhere at each "
                "stroke",
                key=body,
                value=f"carried by {carrier.name}",
                expected="beams with a length on both bodies of the slide, a rigid body on it, to "
                "which a beam may be fixed, or a compliant bearing",
            )
        return np.asarray(at + line)

    def _same(self, a: Array, b: Array) -> bool:
        return bool(np.linalg.norm(a - b) < TOGETHER * self.drawing.size)


def beams_of(
    mechanism: Mechanism, given: Mapping[str, BeamStiffness] | None = None
) -> dict[str, FlexibleLink]:
    """Return the bodies that are beams, by default those of the machine's file."""
    if given is None:
        beams = {body.name: body.beam for body in mechanism.bodies}
        return {name: FlexibleLink.of(beam) for name, beam in beams.items() if beam is not None}
    if given and isinstance(mechanism, DrawnHexapod):  # without a length they would not overlap
        raise GoughError(
            f"{mechanism.name}: beams are given for {', '.join(given)}; expected those of the file "
            "of a hexapod: a beam with its length of each cylinder and piston"
        )
    known = [body.name for body in mechanism.bodies]
    for body, beam in given.items():
        if body not in known or not isinstance(beam, BeamStiffness):
            raise GoughError(
                f"beams has {body!r}: {beam!r:.80}; expected a gough.BeamStiffness for some of "
                f"{', '.join(known)}"
            )
    return {body: FlexibleLink(beam) for body, beam in given.items()}


def is_telescope(joint: DrawnJoint, beams: Mapping[str, FlexibleLink]) -> bool:
    """Return whether a joint is the slide of a piston in a cylinder, which both bend."""
    parts = [beams[body] for body in joint.between if body in beams]
    return joint.type == "P" and len(parts) == 2 and None not in [part.length for part in parts]


def _parts(joint: DrawnJoint, forward: bool) -> list[_Part]:
    """Split a joint into joints with one degree of freedom; from or to its first body."""
    if joint.kind.is_fixed:
        return [_Part(joint.name)]
    if joint.kind.is_screw:
        expected = "no screw joints in a machine with flexible links"
        raise RobotError("a screw joint", key=joint.name, value=joint.type, expected=expected)
    steps = joint_steps(joint, forward, np.array([0.0, 0.0, 1.0]))
    return [
        _Part(name, axis, kind == "hinge", joint.at_home)
        for name, (kind, axis) in zip(joint.kind.step_names(joint.name), steps, strict=True)
    ]


def _centre_of(joint: DrawnJoint) -> str:
    """The body that the centre of a joint moves with."""
    return joint.second if joint.first == BASE else joint.first


def masses_at_home(mechanism: Mechanism) -> dict[str, Mass]:
    """All moving bodies about the base's origin, in base axes, the platform first."""
    found = dict[str, Mass]()
    for name, body in mechanism.bodies_and_joints.bodies.items():
        own = Mass.of_body(body.mass, np.array(body.center_of_mass), np.array(body.inertia))
        found[name] = own.seen_from(body.frame.rotation, np.array(body.frame.position))
    return found


def joint_axes(joint: DrawnJoint) -> Array:
    """A joint's axes, as columns: x along its own."""
    x = joint.axes[0] if joint.axes else np.array([1.0, 0.0, 0.0])
    return np.column_stack([x, across(x)])


def _pairs(joint: DrawnJoint) -> dict[int, tuple[Array, Array]]:
    """Axes of first and second body at a constant angle, by the rotation that would change it."""
    x, y, z = joint_axes(joint).T
    kind = joint.kind
    if not kind.rotations:
        return {3: (y, z), 4: (z, x), 5: (x, y)}
    if kind.rotations == 1:
        return {4: (z, x), 5: (y, x)}
    return {} if kind.is_ball else {5: (joint.axes[0], joint.axes[1])}


@remembered
def loop_rows(mechanism: Mechanism, beams: Beams) -> tuple[int, ...]:
    """Independent rows that are sufficient to close the loops, at home and near it.

    The rows of a planar loop are redundant. Home may be a special configuration: independence is
    checked at states near home, assembled with all links straight.
    """
    machine, size = spanned(mechanism, beams).machine, drawn(mechanism).size
    return tuple(independent_rows(list(_assembled_rows(machine, size)))) if machine.gaps else ()


def _assembled_rows(machine: LinkTree, size: float) -> Iterator[Array]:
    """Yield all rows at home, and at random states with straight links and closed loops."""
    z, count = ca.SX.sym("z", machine.size), len(machine.joints)
    closing = ca.Function("closing", [z], [gaps(machine, z), closing_rows(machine, z)])
    slides = [isinstance(machine.links[k].joint, Prismatic) for k in machine.joints]
    scales, rng = np.where(slides, size, 1.0), np.random.default_rng(1)
    home = np.array(machine.at_home, dtype=float)
    C = np.array(closing.call([home])[1])
    yield C
    N = null_space(C[:, :count] * scales)
    for _ in range(SAMPLES):
        at, step = home.copy(), N @ rng.standard_normal(N.shape[1])
        at[:count] += STRAY * scales * step / (np.abs(step).max(initial=0.0) or 1.0)
        for _ in range(25):
            gap, C = map(np.array, closing.call([at]))
            if np.abs(gap).max() < CLOSED * size:
                yield C
                break
            rows = C[:, :count] * scales
            at[:count] -= scales * np.linalg.lstsq(rows, gap.ravel(), rcond=1e-9)[0]
