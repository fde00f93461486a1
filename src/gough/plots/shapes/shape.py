"""Appearance of a machine: points that follow from its pose, with bars, balls and plates on them.

One model for figures and reports, and for machines of all kinds: hexapods answer in
this module, all others in `mechanism.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from gough.arrays import Array
from gough.display.sketch import outline
from gough.model.kernels import Kernels
from gough.poses import inverse, transform
from gough.robot import BASE, PLATFORM, Robot
from gough.robot.home.configuration import joint_names, part_names

USUAL_RADIUS = 0.024  # radius of a bar where it is not known, as a part of the machine's reach
THIN = 0.55  # radius of a rod or piston, as a part of the usual one
_FLAT = 0.15  # maximum distance of points of a plate from their plane, as a part of their extent


@dataclass(frozen=True)
class Bar:
    """A round bar from one point to another; for a telescope a sleeve covers its beginning."""

    start: int
    end: int
    radius: float
    body: str
    """Whose it is: base, platform, another body's name, or that of the joint that it stands for."""
    actuator: int | None = None  # whose force it carries, counted from 0
    thin: bool = False  # whether it is a rod rather than an arm: drawn lighter
    sleeve: float = 0.0  # length of the sleeve [m]; what is beyond it is thin
    sleeve_of: str = ""  # whose the sleeve is


@dataclass(frozen=True)
class JointBall:
    """A joint at a point."""

    at: int
    radius: float
    joint: str
    actuator: int | None = None  # whose force is at work there, counted from 0
    driven: bool = False  # whether that actuator drives it: then it has its colour


@dataclass(frozen=True)
class Label:
    """The name of an actuator, on the way from the joint that it drives to another point."""

    text: str
    at: int
    towards: int


@dataclass(frozen=True)
class Means:
    """Points as weighted means of joint centres, and places that stand still."""

    kernels: Kernels  # whose `joint_centers` these are, (c, 3) [m]
    weights: Array  # (k, c) of each point; zero for centres that are nowhere
    offsets: Array  # (k, 3) [m] that are added


@dataclass(frozen=True)
class Shape:
    """A machine to be drawn. Bars, balls, plates and labels name points by their numbers."""

    points: Callable[[Array], Array]  # poses (..., 7) to points (..., k, 3) [m] in the base frame
    base: tuple[int, ...]  # the points that the base carries: they stand still
    platform: tuple[int, ...]  # the points that the platform carries
    bars: tuple[Bar, ...]
    balls: tuple[JointBall, ...]
    labels: tuple[Label, ...]  # one for each actuator, in their order
    plates: dict[str, tuple[int, ...]]
    """Corners of base and platform, in order around; a body that is no plate consists of bars."""
    target: Array  # middle of all that is drawn [m]
    reach: float  # distance of the farthest point from there [m]
    means: Means | None = None
    """Points as functions of joint centres, if there are any that neither base nor platform has."""


def bounds(points: Array) -> tuple[Array, float]:
    """Centre and radius [m] of a ball around all points."""
    flat = points.reshape(-1, 3)
    flat = flat[np.isfinite(flat).all(axis=1)]
    centre = (flat.min(axis=0) + flat.max(axis=0)) / 2
    return centre, float(np.linalg.norm(flat - centre, axis=1).max()) or 1.0


def is_flat(points: Array) -> bool:
    """Whether points are nearly in one plane, and not all on a line: they can carry a plate."""
    if len(points) < 3:
        return False
    _, wide, thick = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(wide > 1e-6 * np.ptp(points) and thick <= _FLAT * wide)


def corners(points: Array) -> list[int]:
    """The points around the outline of all in their main plane, in order, upwards positive."""
    centre = points.mean(axis=0)
    plane = np.linalg.svd(points - centre)[2][:2]
    seen = (points - centre) @ plane.T
    around = outline([(x, y) for x, y in seen.tolist()], 1e-12 * float(np.ptp(seen)) ** 2)
    return around if normal(points[around])[2] >= 0 else around[::-1]


def normal(outline: Array) -> Array:
    """Direction about which corners go round in positive order."""
    area = np.cross(outline, np.roll(outline, -1, axis=0)).sum(axis=0)
    size = np.linalg.norm(area)
    return np.asarray(area / size) if size > 0 else np.array([0.0, 0.0, 1.0])


def sleeve_length(shortest: float | None, seen: float) -> float:
    """Return the length [m] of a telescope's sleeve, by its shortest length or one that is seen."""
    return 0.7 * seen if shortest is None else 0.8 * shortest


_CROSSBAR = 0.6
"""Two joints so much nearer to each other than is usual in their body are joined by a crossbar."""
_ARC_PIECES = 8  # bars that make a curved link
_APART = 1e-6  # points nearer than this part of the machine's extent are one


class ShapePoints:
    """Points by number: each a weighted mean of joint centres, or a place that stands still."""

    def __init__(self, at_home: Array) -> None:
        self.centers = at_home
        self._nearest = _APART * float(np.nanmax(np.ptp(at_home, axis=0)))
        self._rows: list[Array] = []  # weights of all joint centres, and an offset (3) [m]

    def center(self, row: int) -> int:
        """A joint centre, by its row."""
        return self._added(np.eye(len(self.centers) + 3)[row])

    def still(self, place: Array) -> int:
        """A place on the base [m]."""
        return self._added(self._offset(place))

    def shifted(self, point: int, way: Array) -> int:
        """A point at a way [m], base axes, from one whose body does not turn."""
        return self._added(self._rows[point] + self._offset(way))

    def middle(self, points: Sequence[int]) -> int:
        """The middle of points of one body, which moves as the body does."""
        return self._added(np.mean([self._rows[k] for k in points], axis=0))

    def arc(self, start: int, end: int, centre: Array) -> list[int]:
        """Points from one to another around a still place [m]: angles and distances go evenly."""
        arms = self.at_home((start, end)) - centre
        radii = np.linalg.norm(arms, axis=1)
        angle = float(np.arccos(np.clip(arms[0] @ arms[1] / radii.prod(), -1, 1)))
        inner = []
        for share in np.linspace(0, 1, _ARC_PIECES + 1)[1:-1]:
            radius = radii[0] + share * (radii[1] - radii[0])
            turned = np.sin(angle * np.array([1 - share, share])) / np.sin(angle)
            a, b = turned * radius / radii
            row = a * self._rows[start] + b * self._rows[end]
            inner.append(self._added(row + self._offset((1 - a - b) * centre)))
        return [start, *inner, end]

    def at_home(self, points: Sequence[int]) -> Array:
        """Where points are with the machine at home (n, 3) [m]."""
        return self.places(self.centers, points)

    def places(self, centers: Array, points: Sequence[int] | None = None) -> Array:
        """Where points, or all, are (..., n, 3) [m], from the joint centres (..., k, 3)."""
        weights, offsets = self.means(points)
        known = np.isfinite(self.centers).all(axis=1)
        return np.asarray(weights[:, known] @ centers[..., known, :] + offsets)

    def means(self, points: Sequence[int] | None = None) -> tuple[Array, Array]:
        """Return weights (n, k) and offsets (n, 3) [m] of points, or of all, from joint centres."""
        chosen = range(len(self._rows)) if points is None else points
        rows = np.reshape([self._rows[k] for k in chosen], (-1, len(self.centers) + 3))
        return rows[:, :-3], rows[:, -3:]

    def length(self, start: int, end: int, centers: Array) -> Array:
        """Return the distance of two points (...) [m]."""
        ends = self.places(centers, (start, end))
        return np.asarray(np.linalg.norm(ends[..., 1, :] - ends[..., 0, :], axis=-1))

    def apart(self, points: Sequence[int]) -> list[int]:
        """Those of the points that are at no other's place."""
        distinct: list[int] = []
        for point in points:
            away = np.linalg.norm(self.at_home(distinct) - self.at_home([point]), axis=1)
            if (away > self._nearest).all():
                distinct.append(point)
        return distinct

    def skeleton(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """Lines that hold the points of one body together.

        The nearest two are joined by a crossbar, whose middle then stands for both; points of much
        the same distance from each other are joined to their middle.
        """
        lines: list[tuple[int, int]] = []
        left = self.apart(points)
        while len(left) > 2:
            pairs = list(combinations(left, 2))
            distances = [float(self.length(*pair, self.centers)) for pair in pairs]
            if min(distances) > _CROSSBAR * float(np.median(distances)):
                middle = self.middle(left)
                return [*lines, *((middle, point) for point in left)]
            nearest = pairs[int(np.argmin(distances))]
            lines.append(nearest)
            left = [*(k for k in left if k not in nearest), self.middle(nearest)]
        return [*lines, (left[0], left[1])] if len(left) == 2 else lines

    def _offset(self, place: Array) -> Array:
        return np.concatenate([np.zeros(len(self.centers)), place])

    def _added(self, row: Array) -> int:
        self._rows.append(row)
        return len(self._rows) - 1


def hexapod_shape(robot: Robot, poses: Array) -> Shape:
    """A hexapod while it goes through poses (n, 7)."""
    legs = robot.extensible_legs
    base = np.array([leg.base for leg in legs])
    platform = np.array([leg.platform for leg in legs])
    count = len(legs)

    def points(pose: Array) -> Array:
        tops = transform(np.asarray(pose)[..., None, :], platform)
        return np.concatenate([np.broadcast_to(base, tops.shape), tops], axis=-2)

    seen = points(poses)
    target, reach = bounds(seen)
    lengths = np.linalg.norm(seen[:, count:] - seen[:, :count], axis=-1).min(axis=0).tolist()
    bars, balls = [], []
    for k, (leg, length) in enumerate(zip(legs, lengths, strict=True)):
        (cylinder, piston), (hip, _, wrist) = part_names(k + 1)[:2], joint_names(k + 1)
        radius = leg.radius or USUAL_RADIUS * reach
        sleeve = sleeve_length(leg.stroke[0] if leg.stroke else None, length)
        bars.append(Bar(k, count + k, radius, piston, k, sleeve=sleeve, sleeve_of=cylinder))
        balls.append(JointBall(k, 1.1 * radius, hip, k))
        balls.append(JointBall(count + k, 0.95 * radius, wrist, k))
    return Shape(
        points,
        base=tuple(range(count)),
        platform=tuple(range(count, 2 * count)),
        bars=tuple(bars),
        balls=tuple(balls),
        labels=tuple(Label(str(k + 1), k, count + k) for k in range(count)),
        plates={BASE: tuple(corners(base)), PLATFORM: tuple(count + k for k in corners(platform))},
        target=target,
        reach=reach,
    )


ENDS, TURNS = 0.15, 8
"""Part of a spring's length that is straight at each end, and the number of corners between."""
WIDTH, WIRE = 0.9, 0.3
"""Distance of the corners from its line, and radius of its wire, over the usual radius of a bar."""


def with_springs(robot: Robot, shape: Shape) -> Shape:
    """Return the shape with the springs between the robot's bodies; a damper is a straight bar."""
    if not robot.springs:
        return shape
    home = np.array(robot.home)
    first, usual = shape.points(home).shape[-2], USUAL_RADIUS * shape.reach
    bars = list(shape.bars)
    for k, spring in enumerate(robot.springs):
        places = [first + k * (TURNS + 2) + n for n in range(TURNS + 2)]
        coiled = spring.at_home != (0.0, 0.0) or spring.damping is None
        radius = WIRE * usual if coiled else THIN * usual
        pairs = pairwise(places) if coiled else [(places[0], places[-1])]
        bars += [Bar(start, end, radius, spring.name, thin=True) for start, end in pairs]

    def points(pose: Array) -> Array:
        ends = _ends(robot, home, np.asarray(pose))
        corners = _zigzag(ends[..., 0, :], ends[..., 1, :], WIDTH * usual)
        flat = corners.reshape(*corners.shape[:-3], -1, 3)
        return np.concatenate([shape.points(pose), flat], axis=-2)

    return replace(shape, points=points, bars=tuple(bars), means=None)


def _ends(robot: Robot, home: Array, pose: Array) -> Array:
    """Return both ends of all springs (..., s, 2, 3) [m], base frame."""
    as_drawn = robot.model_copy(update={"branch": None}) if hasattr(robot, "branch") else robot
    model, drawn, found = Kernels(robot), Kernels(as_drawn), []
    for spring in robot.springs:
        for body, point in zip(spring.between, (spring.start, spring.end), strict=True):
            at = np.array(point, dtype=float)
            if body not in (BASE, PLATFORM):
                k = model.structure.bodies.index(body) - 1  # the platform is the first
                now, before = model.body_frames(pose)[..., k, :, :], drawn.body_frames(home)[k]
                own = before[:, :3].T @ (at - before[:, 3])
                found.append(now[..., :3] @ own + now[..., 3])
            elif body == PLATFORM:
                found.append(transform(pose, transform(inverse(home), at)))
            else:
                found.append(np.broadcast_to(at, (*pose.shape[:-1], 3)))
    ends = np.stack(found, axis=-2)
    return np.reshape(ends, (*ends.shape[:-2], -1, 2, 3))


def _zigzag(start: Array, end: Array, width: float) -> Array:
    """Return the corners (..., TURNS + 2, 3) [m] of lines from starts to ends (..., 3)."""
    way = end - start
    steep = np.abs(way[..., 2:]) > 0.9 * np.linalg.norm(way, axis=-1, keepdims=True)
    across = np.cross(way, np.where(steep, [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]))
    across *= width / np.maximum(np.linalg.norm(across, axis=-1, keepdims=True), 1e-300)
    shares = np.concatenate([[0.0], np.linspace(ENDS, 1 - ENDS, TURNS), [1.0]])
    signs = np.concatenate([[0.0, 0.0], (-1.0) ** np.arange(TURNS - 2), [0.0, 0.0]])
    line = start[..., None, :] + shares[:, None] * way[..., None, :]
    return np.asarray(line + signs[:, None] * across[..., None, :])
