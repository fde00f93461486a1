"""Appearance of a mechanism: its bodies as bars between the centres of their joints.

Where on its axis a hinge is given does not matter to a machine. Of a spherical one all may be given
in the middle, where all axes meet: they are moved apart along their axes, with curved links between
them.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from gough.arrays import Array
from gough.model.kernels import Kernels
from gough.plots.shapes import shape
from gough.robot import BASE, PLATFORM, Joint, Robot
from gough.robot.home.spanning import welded
from gough.robot.mechanism import Hinge, Slide

_STRAIGHT = 0.05
"""Maximum distance of a telescope's end from the axis of its slide, as a part of its length."""
_UPRIGHT = 0.94
"""Minimum cosine between z and the normal of a base that is a plate; others are frames of bars."""
_SPARE_RAIL = 0.12
"""Length of a rail without a stroke beyond the travel seen, as a part of the reach."""
_DRUM, _HUB = 1.5, 1.4  # radius of a motor and of a driven joint elsewhere, in usual radii


def mechanism_shape(robot: Robot, poses: Array) -> shape.Shape:
    """A machine while it goes through poses (n, 7)."""
    sketch = _Sketch(robot, poses)
    model = sketch.model
    sketch.draw_links()
    plates = {body: sketch.plate(body) for body in (BASE, PLATFORM)}
    labels = tuple(map(sketch.label, sketch.motors))
    sketch.draw_joints()
    return shape.Shape(
        lambda pose: sketch.points.places(model.joint_centers(pose)),
        base=tuple(sketch.of_body[BASE]),
        platform=tuple(sketch.of_body[PLATFORM]),
        bars=tuple(sketch.bars),
        balls=tuple(sketch.balls),
        labels=labels,
        plates=plates,
        target=sketch.target,
        reach=sketch.reach,
        means=shape.Means(model, *sketch.points.means()),
    )


class _Sketch:
    """A machine being drawn: points, and what is between them so far."""

    def __init__(self, robot: Robot, poses: Array) -> None:
        self.curved, self.robot = curved_links(robot), with_hinges_apart(robot)
        robot, self.model = self.robot, Kernels(self.robot)
        at_home, self.seen = map(self.model.joint_centers, (np.array(robot.home), poses))
        self.points = shape.ShapePoints(at_home)
        self.bars: list[shape.Bar] = []
        self.balls: list[shape.JointBall] = []
        self.radii = {body.name: body.radius for body in robot.listed_bodies}
        self.chains, self.moved = chains(robot), moved_bodies(robot)
        self.away = joints_from_base(robot)
        self.motors = {actuator.name: k for k, actuator in enumerate(robot.actuators)}
        self.of_joint: dict[str, list[int]] = {}
        self.of_body: dict[str, list[int]] = {BASE: [], PLATFORM: []}
        self.body_of = welded_bodies(robot)
        welds = {j.name for j in robot.listed_joints if j.kind.is_fixed}
        for row, center in enumerate(self.model.structure.centers):
            if center.joint not in welds and np.isfinite(at_home[row]).all():
                point = self.points.center(row)
                self.of_joint.setdefault(center.joint, []).append(point)
                for body in {self.body_of[body] for body in center.bodies}:
                    self.of_body.setdefault(body, []).append(point)
        for joint in robot.listed_joints:
            self.bring_to_its_car(joint)
        of_joints = [point for points in self.of_joint.values() for point in points]
        self.target, self.reach = shape.bounds(self.points.places(self.seen, of_joints))
        self.radius = shape.USUAL_RADIUS * self.reach

    def bring_to_its_car(self, joint: Joint) -> None:
        """Put a slide on the base beside the other joints of its car, wherever it was given."""
        points = self.of_joint.get(joint.name, [])
        between = [self.body_of[body] for body in joint.between]
        if len(points) < 2 or BASE not in between:
            return
        car = next((body for body in between if body not in (BASE, PLATFORM)), PLATFORM)
        others = [k for k in self.of_body[car] if k not in points]
        if not others or car == PLATFORM:
            return
        axis, place = _unit(joint.lines[0]), np.array(joint.at)
        along = float((self.points.at_home(others).mean(axis=0) - place) @ axis)
        moved = [self.points.shifted(point, along * axis) for point in points]
        for body in (BASE, car):
            mine = self.of_body[body]
            self.of_body[body] = [moved[points.index(k)] if k in points else k for k in mine]
        self.of_joint[joint.name] = moved

    def bar(
        self, start: int, end: int, body: str, *, sleeve: float = 0.0, sleeve_of: str = ""
    ) -> None:
        """A bar of a body: thick if a motor moves it, if it is a platform, or has a sleeve."""
        thin = not sleeve and body not in {PLATFORM, *self.moved}
        radius = self.radii.get(body) or (shape.THIN if thin else 1.0) * self.radius
        chain = self.chains.get(body)
        self.bars.append(shape.Bar(start, end, radius, body, chain, thin, sleeve, sleeve_of))

    def draw_body(self, body: str, points: list[int]) -> None:
        """A body as bars."""
        for ends in self.points.skeleton(points):
            curved = body in self.curved
            way = self.points.arc(*ends, self.curved[body]) if curved else ends
            for start, end in pairwise(way):
                self.bar(start, end, body)

    def draw_links(self) -> None:
        """All bodies but base and platform."""
        drawn = {BASE, PLATFORM}
        for joint in self.robot.listed_joints:
            if isinstance(joint, Slide) and (telescope := self.telescope(joint)):
                start, end = telescope
                inner, outer = sorted(joint.between, key=self.away.__getitem__)
                sleeve = self.sleeve(joint, start, end)
                self.bar(start, end, outer, sleeve=sleeve, sleeve_of=inner)
                drawn |= set(joint.between)
                self.of_joint[joint.name] = []
        for body in [body for body in self.of_body if body not in drawn]:
            self.draw_body(body, self.of_body[body])

    def telescope(self, joint: Slide) -> list[int]:
        """Both ends of two bodies that slide in each other, base side first; [] of all others."""
        bodies = sorted(joint.between, key=self.away.__getitem__)
        own = self.of_joint[joint.name]
        if {BASE, PLATFORM} & set(bodies) or any(len(self.of_body[body]) != 2 for body in bodies):
            return []
        ends = [k for body in bodies for k in self.of_body[body] if k not in own]
        way = np.diff(self.points.at_home(ends), axis=0)[0]
        aside = np.linalg.norm(np.cross(way, _unit(joint.axis)))
        return ends if aside < _STRAIGHT * np.linalg.norm(way) else []

    def sleeve(self, joint: Slide, start: int, end: int) -> float:
        """Return the length of a telescope that its sleeve covers [m]."""
        seen = float(self.points.length(start, end, self.seen).min())
        if joint.stroke is None:
            return shape.sleeve_length(None, seen)
        now = float(self.points.length(start, end, self.points.centers))
        return shape.sleeve_length(now - joint.home + joint.stroke[0], seen)

    def plate(self, body: str) -> tuple[int, ...]:
        """Corners of base or platform; what is no plate, or a steep base, is a frame of bars."""
        points = self.points.apart(self.of_body[body])
        places = self.points.at_home(points)
        if shape.is_flat(places):
            around = shape.corners(places)
            if body == PLATFORM or shape.normal(places[around])[2] > _UPRIGHT:
                return tuple(points[k] for k in around)
            for a, b in zip(around, [*around[1:], around[0]], strict=True):
                self.bar(points[a], points[b], body)
        else:
            self.draw_body(body, points)
        return ()

    def label(self, joint: str) -> shape.Label:
        """Return the label of a driven joint, on the longest bar that it moves."""
        motor = self.motors[joint]
        body = next(body for body, k in self.moved.items() if k == motor)
        bars = [bar for bar in self.bars if bar.body == body]
        bars = bars or [bar for bar in self.bars if bar.actuator == motor]
        if not bars:
            at = self.of_joint[joint][-1]
            return shape.Label(joint, at, at)
        longest = max(bars, key=lambda bar: self.points.length(bar.start, bar.end, self.seen).max())
        return shape.Label(joint, longest.start, longest.end)

    def draw_joints(self) -> None:
        """Rails, motors, and a ball at every joint."""
        for joint in self.robot.listed_joints:
            points, motor = self.of_joint.get(joint.name, []), self.motors.get(joint.name)
            if len(points) > 1:
                self.draw_slide(joint, *points)
            if joint.type == "R" and motor is not None and BASE in joint.between:
                self.draw_drum(joint, motor)
            for point in points[-1:]:
                size = shape.THIN * 1.3 if motor is None else _HUB
                driven = motor is not None
                self.balls.append(
                    shape.JointBall(point, size * self.radius, joint.name, motor, driven)
                )

    def draw_slide(self, joint: Joint, first: int, second: int) -> None:
        """A rail on the base; elsewhere what is seen of a slide between its two bodies."""
        if BASE not in joint.between:
            carried = self.chains.get(joint.between[1])
            self.bars.append(
                shape.Bar(first, second, shape.THIN * self.radius, joint.name, carried, thin=True)
            )
            return
        axis, centre = _unit(joint.lines[0]), self.points.at_home([first])[0]
        if joint.range_of_travel is None:
            along = (self.points.places(self.seen, (first, second)) - centre) @ axis
            spare = _SPARE_RAIL * self.reach
            least, most = float(along.min()) - spare, float(along.max()) + spare
        else:
            least, most = (x - joint.home for x in joint.range_of_travel)
        start, end = (self.still(centre + x * axis) for x in (least, most))
        self.bars.append(shape.Bar(start, end, shape.THIN * self.radius, BASE))

    def draw_drum(self, joint: Joint, motor: int) -> None:
        """A motor around the axis of a hinge on the base."""
        way, centre = 1.8 * self.radius * _unit(joint.lines[0]), np.array(joint.at)
        start, end = self.still(centre - way), self.still(centre + way)
        self.bars.append(shape.Bar(start, end, _DRUM * self.radius, joint.name, motor))

    def still(self, place: Array) -> int:
        """A place on the base."""
        point = self.points.still(place)
        self.of_body[BASE].append(point)
        return point


def _unit(direction: Sequence[float]) -> Array:
    return np.asarray(np.array(direction) / np.linalg.norm(direction))


def welded_bodies(robot: Robot) -> dict[str, str]:
    """By body, the one that represents all that fixed joints hold together with it."""
    home = robot.bodies_and_joints
    return welded(home.bodies, home.joints)


def moved_bodies(robot: Robot) -> dict[str, int]:
    """By body, the actuator that moves it against what is nearer to the base."""
    body_of, away = welded_bodies(robot), joints_from_base(robot)
    driven = (joint for joint in robot.bodies_and_joints.joints if joint.driven)
    pairs = ([body_of[body] for body in joint.between] for joint in driven)
    return {
        max(pair, key=lambda body: (body not in (BASE, PLATFORM), away[body])): k
        for k, pair in enumerate(pairs)
    }


def chains(robot: Robot) -> dict[str, int]:
    """By body, the actuator whose force it carries; not of bodies that two share equally."""
    joined, ends = _neighbours(robot), {BASE, PLATFORM}
    reached = {body: {k} for body, k in moved_bodies(robot).items() if body not in ends}
    edge = reached
    while edge:
        beyond: dict[str, set[int]] = {}
        for body, actuators in edge.items():
            for other in joined[body] - reached.keys() - ends:
                beyond.setdefault(other, set()).update(actuators)
        reached = reached | beyond
        edge = beyond
    return {body: min(those) for body, those in reached.items() if len(those) == 1}


def _neighbours(robot: Robot) -> dict[str, set[str]]:
    body_of = welded_bodies(robot)
    joined: dict[str, set[str]] = {body: set() for body in body_of.values()}
    for joint in robot.bodies_and_joints.joints:
        first, second = (body_of[body] for body in joint.between)
        joined[first].add(second)
        joined[second].add(first)
    return joined


def joints_from_base(robot: Robot) -> dict[str, int]:
    """By body, how many joints are between it and the base."""
    joined, away, edge = _neighbours(robot), {BASE: 0}, {BASE}
    while edge:
        edge = {other for body in edge for other in joined[body]} - away.keys()
        away |= dict.fromkeys(edge, max(away.values()) + 1)
    return away


_NEARER = 0.15  # relative decrease of the distance of each next hinge from base to platform
_BEYOND = 1.3  # distance of the hinges shown, over that of the links' mass centres
_USUAL = 0.1  # distance of the hinges shown [m] where the mass centres give none


def curved_links(robot: Robot) -> dict[str, Array]:
    """Bodies that would be points, with the place [m] of the base's hinge that they turn about."""
    points = _points(robot)
    still = {j.at for j in robot.listed_joints if BASE in j.between and points & set(j.between)}
    places = {body: j.at for j in robot.listed_joints for body in j.between if body in points}
    return {body: np.array(place) for body, place in places.items() if place in still}


def with_hinges_apart(robot: Robot) -> Robot:
    """Return the machine with coinciding hinges of bodies moved apart on a sphere around them."""
    points = _points(robot)
    away = joints_from_base(robot)
    distances = [float(np.linalg.norm(_from_joint(robot, body))) for body in points]
    radius = _BEYOND * max(distances, default=0.0) or _USUAL
    joints = tuple(
        _moved_out(robot, joint, radius * (1 - _NEARER * min(away[body] for body in joint.between)))
        if isinstance(joint, Hinge) and points & set(joint.between)
        else joint
        for joint in robot.listed_joints
    )
    return robot.model_copy(update={"joints": joints})


def _points(robot: Robot) -> set[str]:
    return {body.name for body in robot.listed_bodies if _is_point(robot, body.name)}


def _is_point(robot: Robot, body: str) -> bool:
    """Whether all joints of a body are hinges in one point, about axes that are not parallel."""
    joints = [joint for joint in robot.listed_joints if body in joint.between]
    if len(joints) < 2 or not all(isinstance(joint, Hinge) for joint in joints):
        return False
    places = np.array([joint.at for joint in joints])
    axes = np.array([joint.lines[0] for joint in joints])
    return not np.ptp(places, axis=0).any() and bool(np.linalg.matrix_rank(axes) > 1)


def _from_joint(robot: Robot, body: str) -> Array:
    """The way from the joints of such a body to its mass centre [m]."""
    at = next(joint.at for joint in robot.listed_joints if body in joint.between)
    center = next(other.center_of_mass for other in robot.listed_bodies if other.name == body)
    return np.subtract(center, at)


def _moved_out(robot: Robot, joint: Hinge, distance: float) -> Hinge:
    """The hinge at a distance along its axis, at the side of its links' mass centres."""
    axis = _unit(joint.axis)
    names = {body.name for body in robot.listed_bodies}
    side = sum(float(_from_joint(robot, body) @ axis) for body in joint.between if body in names)
    place = np.array(joint.at) + (distance if side >= 0 else -distance) * axis
    return joint.model_copy(update={"at": tuple(place.tolist())})
