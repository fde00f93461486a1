"""Whether a platform reaches a box of positions with a box of turns, all of them together.

The box has six sides: x, y, z and roll, pitch, yaw, each from - to +. All limits are looked at in
its corners, edges and interior, and followed from the worst of these poses to the worst nearby.
How long the legs of a hexapod become is proved besides: at a given attitude a leg is shortest and
longest over a box of positions in closed form, and a turn by an angle moves its joint by no more
than that angle times its distance, so that cells of attitudes are bounded and split.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product as choices
from typing import Any

import numpy as np

from gough.arrays import Array, numeric
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.errors import GoughError
from gough.kinematics.workspace.charts import centre_of
from gough.kinematics.workspace.one_by_one import OneLimit, margins_one_by_one, one_by_one
from gough.kinematics.workspace.pattern_search import lowest_apart, pattern_search
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.poses.quaternions import of_euler, product, rotated
from gough.robot import Hexapod, Robot
from gough.shown.brief import brief

AXES = ("x", "y", "z", "rx", "ry", "rz")
_PLACES = np.linspace(-1.0, 1.0, 5)
"""Where poses are looked at along each side of the box: corners, edges, interior."""
_NEAR = 0.2
"""A limit is followed from several poses that have less margin."""
_FARTHEST = 1e6
"""Half of a side of a box of positions is at most this [m]."""
_TOLERANCE = 5e-4
"""To which leg lengths are bounded [m], if that takes no more than so many cells at a time."""
_CELLS = 100_000
_UNTURNED = np.zeros(3)


@dataclass(frozen=True)
class WorstLimit:
    """How far the poses of a box stay within one limit, and where that is least."""

    limit: OneLimit
    inside: float
    """[unit of the limit]; below zero the limit is passed."""
    pose: Array
    """(7)"""

    __repr__ = brief


@dataclass(frozen=True)
class LegRange:
    """How short and how long a leg becomes over all poses of a box [m]."""

    shortest: float
    longest: float
    proved: tuple[float, float]
    """Between these it stays: proved for all poses, not only those looked at."""


@dataclass(frozen=True)
class Together:
    """Whether a machine reaches all poses of a box."""

    robot: Robot
    centre: Array
    """(7) the pose in the middle of the box."""
    position: tuple[float, ...]
    """Half of its sides along x, y, z [m]."""
    rotation: tuple[float, ...]
    """The same of roll, pitch and yaw about the base's axes, from the centre's attitude [rad]."""
    looked_at: int
    """At so many poses all limits were looked at."""
    worst: tuple[WorstLimit, ...]
    """Of each limit, the worst first: of those of other units, by their shares."""
    legs: tuple[LegRange, ...]
    """Of hexapods."""
    proved: tuple[str, ...]
    """Limits that hold for every pose of the box, not only for those looked at."""

    __repr__ = brief

    @property
    def reached(self) -> bool:
        """Whether no pose that was looked at passes a limit."""
        return all(worst.inside >= 0 for worst in self.worst)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "robot": self.robot.name,
            "reached": self.reached,
            "centre": self.centre.tolist(),
            "position": list(self.position),
            "rotation": list(self.rotation),
            "looked_at": self.looked_at,
            "proved": list(self.proved),
            "worst": [
                {
                    "family": one.limit.family,
                    "of": list(one.limit.of),
                    "unit": one.limit.unit,
                    "inside": one.inside,
                    "pose": one.pose.tolist(),
                }
                for one in self.worst
            ],
            "legs": [vars(leg) for leg in self.legs],
        }


def reach_together(
    model: Kernels,
    position: Sequence[float] = (0.0, 0.0, 0.0),
    rotation: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    pose: Any = None,
    limits: Limits = ALL_LIMITS,
) -> Together:
    """Whether a machine reaches ± `position` [m] with ± `rotation` [rad], all together.

    `rotation` is of roll, pitch and yaw about the base's axes; the box lies around `pose` (7), by
    default home. What is proved, and what is looked at, says `gough.kinematics.Together`.
    """
    robot = model.own_robot("reach_together")
    halves = _halves(model, position, rotation)
    centre = centre_of(robot, pose)
    stated = one_by_one(robot, limits)
    kernel = _each_margin(Machines(robot), limits)

    def margins(shares: Array) -> Array:
        found = kernel(_poses(centre, halves * shares))
        return np.asarray(np.where(np.isnan(found), -np.inf, found))

    varied = [_PLACES if half > 0 else np.zeros(1) for half in halves]
    shares = np.array(list(choices(*varied)))
    first = margins(shares)
    worst, poses, count = _followed(margins, shares, first, halves)
    found = [
        (margin, WorstLimit(limit, float(limit.inside(margin)), at))
        for limit, margin, at in zip(
            stated, worst.tolist(), _poses(centre, halves * poses), strict=True
        )
    ]
    legs = leg_ranges(robot, centre, halves) if isinstance(robot, Hexapod) else ()
    return Together(
        robot,
        centre,
        tuple(halves[:3].tolist()),
        tuple(halves[3:].tolist()),
        len(shares) + count,
        tuple(one for _, one in sorted(found, key=lambda pair: pair[0])),
        tuple(legs),
        _proved(robot, legs, limits),
    )


def _followed(
    margins: Callable[[Array], Array], shares: Array, first: Array, halves: Array
) -> tuple[Array, Array, int]:
    """The least margin to each limit, where it is, and the number of evaluations.

    Followed from the worst of places (n, 6) with margins `first` (n, limits), and from others that
    are near the limit and far from these: its two ends may be in opposite corners of the box.
    """
    begun = [
        (k, j)
        for k, values in enumerate(first.T)
        for j in lowest_apart(shares, values, max(_NEAR, values.min()))
    ]
    own, start = np.array(begun, dtype=int).reshape(-1, 2).T
    row = np.arange(len(own))

    def of_each(places: Array) -> Array:
        found = margins(places.reshape(-1, 6)).reshape(*places.shape[:2], -1)
        return np.asarray(found[row, :, own])

    found = pattern_search(of_each, shares[start], np.tile(halves > 0, (len(own), 1)))
    best = [row[own == k][found.values[own == k].argmin()] for k in range(first.shape[1])]
    return found.values[best], found.places[best], found.evaluations


def _halves(model: Kernels, position: Sequence[float], rotation: Sequence[float]) -> Array:
    """Half of the six sides, of freedoms that the machine has."""
    for name, given in (("position", position), ("rotation", rotation)):
        numbers = numeric(given)
        if (
            numbers is None
            or numbers.shape != (3,)
            or not (np.isfinite(numbers) & (numbers >= 0)).all()
        ):
            raise GoughError(f"{name} is {given!r:.80}; expected three numbers of at least 0")
    if any(x > _FARTHEST for x in position):
        raise GoughError(f"position is {list(position)} m; expected at most {_FARTHEST:g} of each")
    if any(x > np.pi for x in rotation):
        raise GoughError(f"rotation is {list(rotation)} rad; expected at most π of each")
    halves = np.array([*position, *rotation], dtype=float)
    free = model.structure.freedoms
    asked = [axis for axis, half in zip(AXES, halves, strict=True) if half > 0]
    for axis in asked:
        if axis not in free:
            raise GoughError(
                f"{model.robot.name} moves in {' '.join(free)}, not in {axis}; expected a box of "
                "those alone"
            )
    if not asked:
        raise GoughError("a box without sides; expected a position or a rotation above 0")
    return halves


@compiled
def _each_margin(machines: Machines, limits: Limits) -> Kernel:
    return Kernel(margins_one_by_one(machines.robot, limits))


def _poses(centre: Array, steps: Array) -> Array:
    """(n, 7) the centre moved by steps (n, 6): x y z, and roll, pitch, yaw about base axes."""
    turned = product(of_euler("xyz", steps[:, 3:]), centre[None, 3:])
    return np.concatenate([centre[:3] + steps[:, :3], turned], axis=1)


def leg_ranges(
    robot: Hexapod, centre: Array, halves: Array, turned: Array = _UNTURNED
) -> list[LegRange]:
    """Bound the length of each leg over a box of poses about a centre (7).

    `halves` (6) of its sides; its angles lie around `turned` (3) [rad].
    """
    return [
        _leg_range(np.array(leg.base), np.array(leg.platform), centre, halves, turned)
        for leg in robot.legs
    ]


def _leg_range(
    base: Array, platform: Array, centre: Array, halves: Array, turned: Array
) -> LegRange:
    at_centre, sides = rotated(centre[3:], platform), halves[:3]
    arm = float(np.linalg.norm(platform))

    def middle(angles: Array) -> Array:
        """From base to platform joint, in the middle of the box of positions."""
        return np.abs(centre[:3] - base + rotated(of_euler("xyz", turned + angles), at_centre))

    def longest(angles: Array) -> Array:
        return np.asarray(np.linalg.norm(middle(angles) + sides, axis=-1))

    def shortest(angles: Array) -> Array:
        return np.asarray(-np.linalg.norm(np.maximum(middle(angles) - sides, 0.0), axis=-1))

    most, above = _greatest(longest, halves[3:], arm)
    least, below = _greatest(shortest, halves[3:], arm)
    return LegRange(-least, most, (max(-below, 0.0), above))


def _greatest(
    value: Callable[[Array], Array], halves: Array, steepest: float
) -> tuple[float, float]:
    """The greatest value found over a box of angles ± halves, and what no value is above.

    The value changes by no more than `steepest` per angle: turns about three axes, one after the
    other, turn by no more than the sum of their angles.
    """
    centres, sides = np.zeros((1, 3)), halves[None].copy()
    corners = np.array(list(choices((-1.0, 1.0), repeat=3))) * halves
    best, bound = float(value(corners).max()), -np.inf
    while True:
        found = value(centres)
        best = max(best, float(found.max()))
        above = found + steepest * sides.sum(axis=1)
        open_ = above > best + _TOLERANCE
        bound = max(bound, float(above[~open_].max(initial=-np.inf)))
        if not open_.any() or 2 * open_.sum() > _CELLS:
            return best, max(best, bound, float(above[open_].max(initial=-np.inf)))
        centres, sides = _split(centres[open_], sides[open_])


def _split(centres: Array, sides: Array) -> tuple[Array, Array]:
    """Every cell in two halves of its longest side."""
    own, axis = np.arange(len(centres)), sides.argmax(axis=1)
    halved = sides.copy()
    halved[own, axis] /= 2
    low, high = centres.copy(), centres.copy()
    low[own, axis] -= halved[own, axis]
    high[own, axis] += halved[own, axis]
    return np.concatenate([low, high]), np.concatenate([halved, halved])


def _proved(robot: Robot, legs: Sequence[LegRange], limits: Limits) -> tuple[str, ...]:
    """The families of limits that hold for all poses: strokes, where leg lengths are proved."""
    if not isinstance(robot, Hexapod) or "stroke" not in limits.families:
        return ()
    strokes = [leg.stroke for leg in robot.legs]
    stated = [(s, found.proved) for s, found in zip(strokes, legs, strict=True) if s is not None]
    kept = all(s[0] <= least and most <= s[1] for s, (least, most) in stated)
    return ("stroke",) if stated and kept else ()
