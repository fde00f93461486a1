"""Motions from pose to pose that go round singularities and limits [Baiges 1996, 4.5.1].

Where the straight way is not free, two trees of poses grow towards each other from both ends
[Kuffner and LaValle, ICRA 2000, RRT-Connect]; corners of the way found are cut where that is free,
and a spline through it becomes the motion. Ways are looked at in steps, not proved.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.checks import RandomSource, require_positive, seed_of
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Table, data_of, vector
from gough.errors import GoughError
from gough.kinematics import ALL_LIMITS, Limits, margins, random_poses
from gough.kinematics.freedoms.nearest_pose import closed_poses
from gough.kinematics.size import machine_size
from gough.kinematics.workspace.stated_limits import ends_of
from gough.model.kernels import Kernels, kernels_of
from gough.motion import Motion, waypoints
from gough.poses import distance, interpolate
from gough.poses.given import finite
from gough.robot import Robot

STEP = 0.1
"""Longest step of a tree: machine sizes, radians."""
LOOK = 0.01
"""Distance of poses at which a way is looked at."""
DRAWN = 3000
"""Number of random poses that trees grow towards."""
CUTS = 200
"""Number of pairs of places between which a shorter way is tried."""
SAMPLES = 401
"""Number of times at which a motion is checked."""


@dataclass(frozen=True, eq=False)
class PlannedMotion(Displayable):
    """A motion within limits, and how near it comes to them.

    >>> import gough
    >>> robot = gough.load("demo-hexapod")
    >>> found = gough.plan_motion(robot, robot.home, gough.pose([0, 0, 1.05]), 2.0)
    >>> found.is_straight, found.limit
    (True, 'stroke')
    """

    robot: Robot
    motion: Motion
    waypoints: Array
    """(n, 7) the poses that the motion goes through."""
    margins: Array
    """(5,) minimum margin to each kind of limit on the way; inf where none is stated."""

    @property
    def is_straight(self) -> bool:
        """Whether the direct way was free."""
        return len(self.waypoints) == 2

    @property
    def limit(self) -> str:
        """The kind of limit that the motion comes nearest to."""
        return ends_of(self.robot)[int(self.margins.argmin())]

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and what was found."""
        count = len(self.waypoints)
        return self.robot.name, f"motion of {self.motion.duration:.4g} s through {count} poses"

    def tables(self) -> list[Table]:
        """Margins by kind of limit, and waypoints."""
        stated = zip(ends_of(self.robot), self.margins.tolist(), strict=False)
        rows = [(name, margin) for name, margin in stated if np.isfinite(margin)]
        places = [(k, vector(p[:3]), vector(p[3:])) for k, p in enumerate(self.waypoints)]
        heads = ("pose", "position [m]", "quaternion w x y z")
        first = Table.of("Minimum margins on the way, 1 at home", ("limit", "margin"), rows)
        return [first, Table.of("Waypoints", heads, places)]

    def to_dict(self) -> PlainData:
        """The result as plain data."""
        named = dict(zip(ends_of(self.robot), self.margins.tolist(), strict=False))
        facts = data_of(self, "robot duration=motion.duration straight=is_straight limit")
        return facts | {"margins": named, "waypoints": self.waypoints.tolist()}


def plan_motion(
    robot: Robot | Kernels,
    start: ArrayLike,
    end: ArrayLike,
    duration: float,
    *,
    margin: float = 0.0,
    limits: Limits = ALL_LIMITS,
    rng: RandomSource = 0,
) -> PlannedMotion:
    """Plan a motion from rest at a pose to rest at another, round singularities and limits.

    On the way each margin (see `gough.kinematics.margins`: 1 at home, 0 at a limit) stays at least
    `margin`. GoughError with the reason where an end is not within it, or no way is found: that
    there is none is not proved by it.

    >>> import gough
    >>> robot = gough.load("demo-hexapod")
    >>> gough.plan_motion(robot, robot.home, gough.pose([0, 0, 1.05]), 2.0).motion.duration
    2.0
    """
    model = kernels_of(robot)
    own = model.own_robot("a planned motion")
    require_positive("duration", duration)
    if not (isinstance(margin, float | int) and np.isfinite(margin)):
        raise GoughError(f"margin is {margin!r}; expected a finite number")
    space, seed = _Space(model, float(margin), limits), seed_of(rng)
    first, last = space.checked(start, "start"), space.checked(end, "end")
    path = np.array([first, last])
    motion: Motion = waypoints([0.0, duration], path)
    if not (space.is_free(first, last) and space.keeps_margin(motion)):
        path = space.shortened(_connected(space, first, last, seed), np.random.default_rng(seed))
        motion, path = _smoothed(space, path, duration)
    found = space.margins(motion(np.linspace(0.0, duration, SAMPLES)).pose)
    return PlannedMotion(own, motion, path, found.min(axis=0))


@dataclass(frozen=True)
class _Space:
    """The poses of a machine with a margin to its limits."""

    model: Kernels
    margin: float
    limits: Limits

    def margins(self, poses: Array) -> Array:
        return margins(self.model, poses, self.limits)

    def has_margin(self, poses: Array) -> AnyArray:
        return np.asarray((self.margins(poses) >= self.margin).all(axis=-1))

    def keeps_margin(self, motion: Motion) -> bool:
        times = np.linspace(0.0, motion.duration, SAMPLES)
        return bool(self.has_margin(motion(times).pose).all())

    def checked(self, given: ArrayLike, name: str) -> Array:
        """Return the pose that the machine can take for an end; GoughError without a margin."""
        pose = closed_poses(self.model.robot, finite(given, name, 7))[0]
        if pose.shape != (7,):
            raise GoughError(f"{name} has shape {pose.shape}; expected (7,)")
        found = self.margins(pose)
        robot = self.model.robot
        if np.isnan(found).any():
            raise GoughError(f"{name}: out of reach of {robot.name}; expected a pose in its reach")
        if not (found >= self.margin).all():
            limit = ends_of(robot)[int(found.argmin())]
            raise GoughError(
                f"{name}: {robot.name} has a margin of {found.min():.3g} there, by its {limit}; "
                f"expected at least {self.margin:g}"
            )
        return pose

    def apart(self, poses: Array, pose: Array) -> Array:
        return distance(poses, pose, machine_size(self.model.robot))

    def between(self, a: Array, b: Array) -> Array:
        """Poses on the way from a to b, near enough to each other to be looked at."""
        count = 2 + int(self.apart(a, b) / LOOK)
        return closed_poses(self.model.robot, interpolate(a, b, np.linspace(0.0, 1.0, count)))[0]

    def is_free(self, a: Array, b: Array) -> bool:
        return bool(self.has_margin(self.between(a, b)).all())

    def shortened(self, path: Array, generator: np.random.Generator) -> Array:
        """Return a path with corners cut where that is free."""
        for _ in range(CUTS):
            if len(path) < 3:
                break
            i, j = np.sort(generator.choice(len(path), 2, replace=False))
            if j > i + 1 and self.is_free(path[i], path[j]):
                path = np.concatenate([path[: i + 1], path[j:]])
        return path


class _PoseTree:
    """Poses that can be reached from an end of the way."""

    def __init__(self, root: Array) -> None:
        self.poses, self.parents = root[None], [-1]

    def grow(self, space: _Space, target: Array) -> bool:
        """Go towards a pose as far as the way is free; return whether it was reached."""
        away = space.apart(self.poses, target)
        at = int(away.argmin())
        root = self.poses[at]
        count = max(1, int(np.ceil(away[at] / STEP)))
        for share in np.arange(1, count + 1) / count:
            step = closed_poses(space.model.robot, interpolate(root, target, share))[0]
            if not space.is_free(self.poses[at], step):
                return False
            self.parents.append(at)
            self.poses = np.concatenate([self.poses, step[None]])
            at = len(self.parents) - 1
        return True

    def way(self) -> Array:
        """Poses from the root to the last pose."""
        found, at = [], len(self.parents) - 1
        while at >= 0:
            found.append(self.poses[at])
            at = self.parents[at]
        return np.array(found[::-1])


def _connected(space: _Space, start: Array, end: Array, seed: int) -> Array:
    """Return poses of a free way between two; GoughError if none was found."""
    drawn = random_poses(space.model, DRAWN, seed)
    drawn = drawn[space.has_margin(drawn)]
    trees = [_PoseTree(start), _PoseTree(end)]
    for pose in drawn:
        grown, other = trees
        grown.grow(space, pose)
        if len(grown.parents) > 1 and other.grow(space, grown.poses[-1]):
            way = np.concatenate([grown.way(), other.way()[-2::-1]])
            return way if np.array_equal(way[0], start) else way[::-1]
        trees.reverse()
    gap = min(float(space.apart(trees[0].poses, pose).min()) for pose in trees[1].poses)
    raise GoughError(
        f"no way found from start to end with margins of {space.margin:g}, among {len(drawn)} "
        f"poses: what was reached from both ends is {gap:.3g} machine sizes or radians apart; "
        "expected ends on one side of singularities, or a smaller margin"
    )


def _smoothed(space: _Space, path: Array, duration: float) -> tuple[Motion, Array]:
    """Return a motion through poses of a path, as few as keep it free, and these."""
    ways = np.concatenate([space.between(*pair)[1:] for pair in pairwise(path)])
    dense = np.concatenate([path[:1], ways])
    gone = np.cumsum([0.0, *(space.apart(a, b) for a, b in pairwise(dense))])
    count = len(path)
    while count <= 2 * len(dense):
        places = np.unique(np.searchsorted(gone, np.linspace(0.0, gone[-1], count) - 1e-12))
        motion = waypoints(duration * gone[places] / gone[-1], dense[places])
        if space.keeps_margin(motion):
            return motion, dense[places]
        count = 2 * count
    problem = f"no smooth motion keeps margins of {space.margin:g} along the way found"
    raise GoughError(f"{problem}; expected a smaller margin")
