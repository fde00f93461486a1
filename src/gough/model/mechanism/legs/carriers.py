"""Carriers of the bodies of a machine: the ground, the platform, a link, or a rod's ends."""

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
import numpy as np

from gough.arrays import Array, direction_of, length_of, product_of
from gough.equations.spatial.algebra import Value, without_rounding
from gough.equations.tree import description
from gough.equations.tree.description import GROUND, BodyPoint, Description, Line, LinkRef, Point
from gough.equations.tree.description import PLATFORM as HELD
from gough.model.mechanism.home.drawing import Drawing, DrawnJoint, Spinning
from gough.model.mechanism.home.rods import SYMMETRIC, Rod, inertia_across, is_rod, universal_axes
from gough.model.mechanism.legs.frames import WORLD, HomeFrame, Parts
from gough.model.mechanism.legs.trees import PARALLEL, LegTree
from gough.model.mechanism.numbers.mass import Mass
from gough.model.mechanism.numbers.traced import as_number, as_value, snapped
from gough.model.structure import bodies_of_centers
from gough.robot import BASE, PLATFORM


class Carriers:
    """LinkRef of each body of a machine, and points and directions in its frame."""

    def __init__(
        self,
        drawing: Drawing,
        trees: Sequence[LegTree],
        parts: Sequence[Parts],
        rods: Sequence[Rod],
        held: HomeFrame,
    ) -> None:
        self.drawing = drawing
        self.trees = trees
        self.rods = {rod.name: rod for rod in rods}
        stopped = with_spins_stopped(drawing).bodies
        bodies = drawing.bodies.items()
        self.spinning = {x for x, mass in bodies if stopped[x] is not mass or is_rod(drawing, x)}
        """Bodies that spin about a line, nobody knows how far: rods among them."""
        self._frames = {GROUND: WORLD, HELD: held}
        self._carriers = {BASE: GROUND, PLATFORM: HELD}
        for leg, (tree, part) in enumerate(zip(trees, parts, strict=True)):
            self._frames |= {LinkRef(leg, link): frame for link, frame in part.frames.items()}
            links = {body: link for body, link in tree.links.items() if body != BASE}
            self._carriers |= {body: LinkRef(leg, link) for body, link in links.items()}
        self.steps = {
            joint.name: LinkRef(leg, k)
            for leg, tree in enumerate(trees)
            for k, joint in enumerate(tree.joints)
        }
        """Leg and number of each joint of one freedom."""
        self.cuts = {
            (cut.name, cut.type == "rod"): (leg, k)
            for leg, tree in enumerate(trees)
            for k, cut in enumerate(tree.cuts)
        }
        """Leg, and number among the leg's loop closures, of each cut joint and rod."""

    def units_of(self, joint: DrawnJoint) -> tuple[str, str]:
        """Return the bodies of the home configuration that a joint of the description joins."""
        unit = self.drawing.described.unit
        return unit[joint.first], unit[joint.second]

    def is_line(self, body: str) -> bool:
        """Whether a body is a rod that is no link."""
        return body in self.rods

    def carrier(self, body: str) -> LinkRef:
        """Return the carrier of a body that is no such rod."""
        return self._carriers[body]

    def frame(self, carrier: LinkRef) -> HomeFrame:
        """A carrier's frame at home."""
        return self._frames[carrier]

    def point(self, carrier: LinkRef, at: Array) -> Point:
        """A point of a carrier that is there at home."""
        frame = self.frame(carrier)
        local = snapped(product_of(frame.axes.T, at - frame.origin), self.drawing.size)
        return Point(carrier, as_value(local))

    def direction(self, carrier: LinkRef, along: Array) -> Array:
        """A direction at home, of length one, in a carrier's axes."""
        return snapped(product_of(self.frame(carrier).axes.T, along))

    def seen_by(self, carrier: LinkRef, mass: Mass) -> Mass:
        """A mass in a carrier's frame."""
        frame = self.frame(carrier)
        return mass.seen_in(frame.axes, frame.origin)

    def mass_center(self, body: str, center: Value) -> BodyPoint:
        """A body's point, such as its mass centre, as it is at home; of a rod on its line."""
        unit = self.drawing.described.unit[body]
        if self.is_line(unit):
            start, end = self.rods[unit].points
            along = as_value((end - start) / product_of(end - start, end - start))
            return description.PointOnLine(self.line(unit), ca.dot(along, center - as_value(start)))
        carrier = self.carrier(unit)
        frame = self.frame(carrier)
        local = as_value(frame.axes.T) @ (center - as_value(frame.origin))
        return Point(carrier, without_rounding(local, ca.DM(self.drawing.size)))

    def carried(self, body: str) -> description.FixedFrame | description.RodFixedFrame:
        """Return the home configuration's frame, as fixed in a body."""
        unit = self.drawing.described.unit[body]
        if self.is_line(unit):
            start, end = self.rods[unit].points
            along = direction_of(end - start)
            return description.RodFixedFrame(self.line(unit), as_value(start), as_value(along))
        carrier = self.carrier(unit)
        axes = as_value(snapped(self.frame(carrier).axes.T))
        return description.FixedFrame(axes, self.point(carrier, np.zeros(3)))

    def line(self, rod: str) -> Line:
        """A rod, from its near end to the far one."""
        found = self.rods[rod]
        pairs = zip(found.ends, found.points, strict=True)
        return Line(*(self.point(self.carrier(end), at) for end, at in pairs))

    def spot(self, bodies: Sequence[str], at: Array) -> BodyPoint:
        """A point that all of these bodies have, of the one that needs the fewest equations.

        NaN of a point beside the line about which they all spin.
        """
        if all(body in self.spinning and not self.is_on_line(body, at) for body in bodies):
            at = np.full(3, np.nan)
        carriers = [self.carrier(body) for body in bodies if not self.is_line(body)]
        if carriers:
            return self.point(min(carriers), at)
        start, end = self.rods[bodies[0]].points
        line = end - start
        share = product_of(at - start, line) / product_of(line, line)
        return description.PointOnLine(self.line(bodies[0]), as_number(share))

    def joint_spot(self, joint: DrawnJoint, bodies: Sequence[str]) -> BodyPoint:
        """A joint's centre as these bodies have it; of a slide in a leg that spins on its line."""
        at = joint.at
        if joint.kind.slides and all(body in self.spinning for body in bodies):
            ball = self.ball(bodies[0])
            at = ball.at + joint.axes[0] * product_of(joint.axes[0], at - ball.at)
        return self.spot(bodies, at)

    def way(self, body: str, joint: DrawnJoint) -> Array:
        """From a joint along its body: along the slide that it has, or to its next joint."""
        size = self.drawing.size
        for other in self.drawing.joints:
            if other.joins(body) and other.name != joint.name:
                way = other.axes[0] * size if other.kind.slides else other.at - joint.at
                if length_of(way) > PARALLEL * size:
                    return way
        return np.array([0.0, 0.0, size])

    def is_on_line(self, body: str, at: Array) -> bool:
        """Whether a point is on the line about which a body spins."""
        ball = self.ball(body)
        along = self.way(body, ball)
        aside = length_of(np.cross(along, at - ball.at))
        return bool(aside <= SYMMETRIC * product_of(along, along))

    def ball(self, body: str) -> DrawnJoint:
        """The first ball joint of a body."""
        return next(j for j in self.drawing.joints if j.joins(body) and j.kind.is_ball)


def with_spins_stopped(drawing: Drawing) -> Drawing:
    """Return the machine with a universal joint in legs that are free to spin about themselves.

    They have balls at both ends and a slide between. If both bodies are symmetric about the line
    between the balls, one ball may as well be a universal joint, and the bodies lines of mass:
    their spin has no effect then.
    """
    for slide in drawing.joints:
        near, far = _ball_of(drawing, slide.first), _ball_of(drawing, slide.second)
        if slide.type == "P" and near is not None and far is not None:
            drawing = _stopped(drawing, slide, near, far)
    return drawing


def _ball_of(drawing: Drawing, body: str) -> DrawnJoint | None:
    """The ball joint of a body that has nothing else but a slide."""
    joints = [joint for joint in drawing.joints if joint.joins(body)]
    if body == PLATFORM or sorted(joint.type for joint in joints) != ["P", "S"]:
        return None
    return next(joint for joint in joints if joint.kind.is_ball)


def _stopped(drawing: Drawing, slide: DrawnJoint, near: DrawnJoint, far: DrawnJoint) -> Drawing:
    line = far.at - near.at
    length = length_of(line)
    if length_of(np.cross(slide.axes[0], line)) > 1e-9 * length:
        return drawing  # the slide is not along the line: the leg does not spin
    masses = ((name, drawing.bodies[name]) for name in slide.between)
    pair = [Spinning(name, mass.seen_in(np.eye(3), near.at), line) for name, mass in masses]
    bodies = {body.name: _as_line(body).seen_from(np.eye(3), near.at) for body in pair}
    universal = replace(near, type="U", axes=universal_axes(line))
    joints = tuple(universal if joint is near else joint for joint in drawing.joints)
    spinning = (*drawing.spinning, *pair)
    return replace(drawing, bodies=drawing.bodies | bodies, joints=joints, spinning=spinning)


def _as_line(body: Spinning) -> Mass:
    """A body that is symmetric about a line, as if all its mass were on it."""
    direction = direction_of(body.line)
    across = np.asarray(inertia_across(body.mass, direction))
    return replace(body.mass, sigma=across[..., None, None] * np.outer(direction, direction))


def description_of(found: Carriers, loads: description.Loads) -> Description:
    """All that is described, as the equations find it; masses are still to come."""
    described = found.drawing.described
    sides = ((joint, bodies_of_centers(joint, found.units_of(joint))) for joint in described.joints)
    return Description(
        tuple(found.joint_spot(joint, bodies) for joint, each in sides for bodies in each),
        tuple(_tilt(found, joint) for joint in described.joints if joint.kind.tilts),
        tuple(pair_of(found, joint) for joint in described.joints),
        loads,
        tuple(map(found.carried, described.bodies)),
    )


def _tilt(found: Carriers, joint: DrawnJoint) -> description.Tilt:
    link, other = sorted(found.units_of(joint), key=lambda body: _linkness(found, body))
    beyond = found.carrier(other)
    if found.is_line(link):
        line, (start, end) = found.line(link), found.rods[link].points
    else:
        start, end = joint.at, joint.at + found.way(link, joint)
        line = Line(*(found.point(found.carrier(link), at) for at in (start, end)))
    return description.Tilt(
        line, beyond, as_value(found.direction(beyond, direction_of(end - start)))
    )


def _linkness(found: Carriers, body: str) -> tuple[bool, bool, bool, int]:
    """The smaller, the more a body is a link: a rod first, then what is farther from the base."""
    far = 0 if found.is_line(body) else -found.carrier(body).link
    return body == BASE, body == PLATFORM, not is_rod(found.drawing, body), far


def pair_of(found: Carriers, joint: DrawnJoint) -> description.Pair:
    """The two sides of a joint, its axes, and its slide."""
    first, second = (_side(found, body) for body in found.units_of(joint))
    turns = joint.kind.rotations > 0 and not joint.kind.is_screw
    pairs = zip((first, second), joint.axes, strict=False)
    axes = tuple(as_value(found.direction(x, axis)) for x, axis in pairs if isinstance(x, LinkRef))
    slide = found.steps[joint.kind.sliding_step(joint.name)] if joint.kind.slides else None
    return description.Pair(first, second, axes if turns else (), turns, slide)


def _side(found: Carriers, body: str) -> LinkRef | Line:
    """A body, or the line between ball joints about which it spins unnoticed."""
    if found.is_line(body):
        return found.line(body)
    carrier = found.carrier(body)
    if body not in found.spinning:
        return carrier
    ends = (np.zeros(3), found.way(body, found.ball(body)))
    return Line(*(found.point(carrier, end) for end in ends))
