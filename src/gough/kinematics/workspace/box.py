"""Whether a platform reaches a box of positions combined with a box of rotations.

The box has six sides: x, y, z and roll, pitch, yaw, each from - to +. All limits are evaluated in
its corners, edges and interior, and minimised from the worst of these poses.
In addition the leg lengths of a hexapod are proved: at a given orientation the minimum and maximum
length over a box of positions is known in closed form, and a rotation by an angle moves its joint
by at most that angle times its distance, so that cells of orientations are bounded and split.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product as choices
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array, numeric
from gough.compiler import kernel_of
from gough.disk.plain_data import PlainData
from gough.display import Brief, Displayable, Rows, Table, data_of, shown_unit, vector
from gough.errors import GoughError
from gough.kinematics.workspace.charts import centre_of
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, single_margins
from gough.kinematics.workspace.stated_limits import SingleLimit, single_limits
from gough.kinematics.workspace.travels import SHOWN
from gough.model import Kernels
from gough.model.kernels import kernels_of
from gough.poses import euler
from gough.poses.quaternions import of_euler, product, rotated
from gough.robot import MOVES, Leg, Robot

_PLACES = np.linspace(-1.0, 1.0, 5)
"""Places of the evaluated poses along each side of the box: corners, edges, interior."""
_NEAR = 0.2
"""Margin below which a limit is minimised from several poses."""
_FARTHEST = 1e6
"""Maximum half side of a box of positions [m]."""
_TOLERANCE = 5e-4
"""Tolerance of the bounds of leg lengths [m], and maximum number of cells at a time."""
_CELLS = 100_000
_ROUNDING = 1e-12
"""Rounding of leg lengths over the sizes that they are computed from: some 100 ulp are less."""


@dataclass(frozen=True, repr=False)
class WorstLimit(Brief):
    """Minimum margin of the poses of a box to one limit, and its pose."""

    limit: SingleLimit
    inside: float
    """Margin in the unit of the limit; below zero the limit is violated."""
    pose: Array
    """(7)"""

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        return data_of(self.limit, "family of unit") | data_of(self, "inside pose")


@dataclass(frozen=True)
class LegRange:
    """Minimum and maximum length of a leg over all poses of a box [m]."""

    shortest: float
    longest: float
    proved: tuple[float, float]
    """Proved bounds for all poses, not only the evaluated ones."""


@dataclass(frozen=True)
class WorkspaceBox(Displayable):
    """Whether a machine reaches all poses of a box."""

    robot: Robot
    centre: Array
    """(7) the pose in the middle of the box."""
    position: tuple[float, ...]
    """Half of its sides along x, y, z [m]."""
    rotation: tuple[float, ...]
    """Half of its sides in roll, pitch, yaw about base axes from the centre [rad]."""
    looked_at: int
    """Number of evaluated poses."""
    worst: tuple[WorstLimit, ...]
    """Minimum margin of each limit, the worst first; different units by relative margins."""
    legs: tuple[LegRange, ...]
    """Ranges of leg lengths, for hexapods."""
    proved: tuple[str, ...]
    """Limits that are proved for every pose of the box, not only for the evaluated ones."""
    listed: ClassVar = "robot reached centre position rotation looked_at proved worst legs"

    @property
    def reached(self) -> bool:
        """Whether no evaluated pose violates a limit."""
        return all(worst.inside >= 0 for worst in self.worst)

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and whether it reaches the box."""
        angles = vector(math.degrees(x) for x in self.rotation)
        word = "reaches" if self.reached else "does not reach"
        return self.robot.name, f"{word} ± {vector(self.position)} m with ± {angles} deg, together"

    def tables(self) -> list[Table]:
        """The worst pose for each limit, and the proofs."""
        rows = []
        for one in self.worst:
            unit, scale = SHOWN.get(one.limit.unit, (shown_unit(one.limit.unit), 1.0))
            place, angles = one.pose[:3], euler(one.pose, "xyz", degrees=True).round(6)
            limit = (one.limit.family, ", ".join(one.limit.of), scale * one.inside, unit)
            rows.append((*limit, vector(place), vector(angles)))
        heads = ("limit", "of", "margin", "unit", "x y z [m]", "roll pitch yaw [deg]")
        facts: Rows = [("poses evaluated", self.looked_at, "")]
        if self.legs:
            ends = min(leg.shortest for leg in self.legs), max(leg.longest for leg in self.legs)
            low, high = zip(*(leg.proved for leg in self.legs), strict=True)
            proved = min(low), max(high)
            facts += [
                ("leg lengths from, to", "  ".join(f"{x:.4f}" for x in ends), "m"),
                ("stroke needed", f"{ends[1] - ends[0]:.4f}", "m"),
                ("leg lengths proved within", "  ".join(f"{x:.4f}" for x in proved), "m"),
            ]
        if self.proved:
            facts.append(("limits proved for all poses", ", ".join(self.proved), ""))
        return [Table.of("Where it is worst", heads, rows, most=8), Table.properties("Box", facts)]


def workspace_box(
    robot: Robot | Kernels,
    position: Sequence[float] = (0.0, 0.0, 0.0),
    rotation: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    pose: ArrayLike | None = None,
    limits: Limits = ALL_LIMITS,
) -> WorkspaceBox:
    """Whether a machine reaches ± `position` [m] with ± `rotation` [rad], all together.

    `rotation` is of roll, pitch and yaw about the base's axes; the box lies around `pose` (7), by
    default home. What is proved, and what is looked at, says `gough.kinematics.WorkspaceBox`.
    """
    model = kernels_of(robot)
    robot = model.own_robot("workspace_box")
    halves = box_halves(model, position, rotation)
    centre = centre_of(robot, pose)
    stated = single_limits(robot, limits.margin_families)
    kernel = kernel_of(single_margins, robot, limits)

    def margins(shares: Array) -> Array:
        found = kernel(pose_at(centre, halves * shares))
        return np.asarray(np.where(np.isnan(found), -np.inf, found))

    varied = [_PLACES if half > 0 else np.zeros(1) for half in halves]
    shares = np.array(list(choices(*varied)))
    worst, poses, count = _followed(margins, shares, margins(shares), halves)
    each = zip(stated, worst.tolist(), pose_at(centre, halves * poses), strict=True)
    found = [WorstLimit(limit, float(limit.inside(margin)), at) for limit, margin, at in each]
    legs = leg_ranges(robot, centre, halves)
    proved = ("stroke",) if "stroke" in limits.families and _are_proved(robot, legs) else ()
    place, turn = (tuple(half.tolist()) for half in np.split(halves, 2))
    ordered = tuple(found[k] for k in worst.argsort(kind="stable"))
    count += len(shares)
    return WorkspaceBox(robot, centre, place, turn, count, ordered, tuple(legs), proved)


def _followed(
    margins: Callable[[Array], Array], shares: Array, first: Array, halves: Array
) -> tuple[Array, Array, int]:
    """The minimum margin to each limit, its place, and the number of evaluations.

    Minimised from the worst of places (n, 6) with margins `first` (n, limits), and from others that
    are near the limit and far from these: its two ends may be in opposite corners of the box.
    """
    starts = [lowest_apart(shares, values, max(_NEAR, values.min())) for values in first.T]
    pairs = [(k, j) for k, some in enumerate(starts) for j in some]
    own, start = np.array(pairs, dtype=int).reshape(-1, 2).T
    row = np.arange(len(own))

    def of_each(places: Array) -> Array:
        found = margins(places.reshape(-1, 6)).reshape(*places.shape[:2], -1)
        return np.asarray(found[row, :, own])

    free = np.tile(halves > 0, (len(own), 1))
    places, values, evaluations = pattern_search(of_each, shares[start], free)
    best = [row[own == k][values[own == k].argmin()] for k in range(first.shape[1])]
    return values[best], places[best], evaluations


def box_halves(model: Kernels, position: Sequence[float], rotation: Sequence[float]) -> Array:
    """Half of the six sides, in the degrees of freedom of the machine."""
    given = (("position", position, _FARTHEST, "m"), ("rotation", rotation, np.pi, "rad"))
    for name, half, most, unit in given:
        numbers = np.asarray(numeric(half), dtype=float)
        if numbers.shape != (3,) or not ((numbers >= 0) & (numbers <= most)).all():
            expected = f"three numbers from 0 to {most:.7g} {unit}"
            raise GoughError(f"{name} is {half!r:.80}; expected {expected}")
    halves = np.array([*position, *rotation], dtype=float)
    free = model.structure.degrees_of_freedom
    asked = [axis for axis, half in zip(MOVES, halves, strict=True) if half > 0]
    if lacking := [axis for axis in asked if axis not in free]:
        problem = f"{model.robot.name} moves in {' '.join(free)}, not in {lacking[0]}"
        raise GoughError(f"{problem}; expected a box in these degrees of freedom")
    if not asked:
        raise GoughError("a box without sides; expected a position or a rotation above 0")
    return halves


def pose_at(middle: Array, step: Array) -> Array:
    """Return poses (..., 7) at steps (..., 6) x y z, roll pitch yaw from others, rounded."""
    turned = product(of_euler("xyz", step[..., 3:]), middle[..., 3:] + 0 * step[..., :1])
    return np.concatenate([middle[..., :3] + step[..., :3], turned], axis=-1)


def leg_ranges(robot: Robot, centre: Array, halves: Array) -> list[LegRange]:
    """Bound the length of each extensible leg over a box ± halves (6) of poses about a centre."""
    return [_leg_range(leg, centre, halves) for leg in robot.extensible_legs]


def _leg_range(leg: Leg, centre: Array, halves: Array) -> LegRange:
    base, platform = np.array(leg.base), np.array(leg.platform)
    at_centre, sides = rotated(centre[3:], platform), halves[:3]
    arm = float(np.linalg.norm(platform))

    def middle(angles: Array) -> Array:
        """Return the vector from base to platform joint, in the middle of the box of positions."""
        return np.asarray(np.abs(centre[:3] - base + rotated(of_euler("xyz", angles), at_centre)))

    def longest(angles: Array) -> Array:
        return np.asarray(np.linalg.norm(middle(angles) + sides, axis=-1))

    def shortest(angles: Array) -> Array:
        return np.asarray(-np.linalg.norm(np.maximum(middle(angles) - sides, 0.0), axis=-1))

    most, above = _greatest(longest, halves[3:], arm)
    least, below = _greatest(shortest, halves[3:], arm)
    rounded = _ROUNDING * float(arm + np.abs([*centre[:3], *base, *sides]).sum())
    return LegRange(-least, most, (max(-below - rounded, 0.0), above + rounded))


def _greatest(value: Callable[[Array], Array], halves: Array, slope: float) -> tuple[float, float]:
    """The maximum value found over a box of angles ± halves, and an upper bound.

    The value changes by at most `slope` per angle: the angle of successive rotations about three
    axes is at most the sum of their angles.
    """
    centres, sides = np.zeros((1, 3)), halves[None].copy()
    corners = np.array(list(choices((-1.0, 1.0), repeat=3))) * halves
    best, bound = float(value(corners).max()), -np.inf
    while True:
        found = value(centres)
        best = max(best, float(found.max()))
        above = found + slope * sides.sum(axis=1)
        open_ = above > best + _TOLERANCE
        bound = max(bound, float(above[~open_].max(initial=-np.inf)))
        if not open_.any() or 2 * open_.sum() > _CELLS:
            return best, max(best, bound, float(above[open_].max(initial=-np.inf)))
        centres, sides = centres[open_], sides[open_]  # two halves of the longest side of each
        longest = np.eye(3)[sides.argmax(axis=1)] * sides
        centres = np.concatenate([centres - longest / 2, centres + longest / 2])
        sides = np.tile(sides - longest / 2, (2, 1))


def _are_proved(robot: Robot, legs: Sequence[LegRange]) -> bool:
    """Whether legs have strokes, and leg lengths are proved to be within these for all poses."""
    strokes = [leg.stroke for leg in robot.extensible_legs]
    stated = [(s, found.proved) for s, found in zip(strokes, legs, strict=True) if s is not None]
    return bool(stated) and all(s[0] <= low and high <= s[1] for s, (low, high) in stated)


_STEP, _HALVINGS = 0.25, 24
"""First step, and the number of halvings."""
_ROUNDS = 400
"""Maximum number of steps: functions may become lower by rounding alone, on and on."""
_STARTS, _APART = 4, 1.0
"""Maximum number of starts for one function, and the distance between them."""


def pattern_search(
    value: Callable[[Array], Array], starts: Array, free: AnyArray
) -> tuple[Array, Array, int]:
    """Follow k functions from `starts` (k, n) to minima nearby, within the cube [-1, 1].

    Places (k, n) and values (k) of the minima, and the number of evaluations.
    `value` takes places (k, m, n), m for each function, and returns their values (k, m); `free`
    (k, n) are the axes along which each function may move. The better of two neighbours along each
    axis is taken, in steps that are halved where none is better.
    """
    places, own = starts.copy(), np.arange(len(starts))
    values, evaluations = value(places[:, None])[:, 0], len(starts)
    ways = np.concatenate([np.eye(starts.shape[1]), -np.eye(starts.shape[1])])
    ways = ways[np.tile(free.any(axis=0), 2)]
    steps = np.full(len(places), _STEP)
    for _ in range(_ROUNDS):
        if not (steps > _STEP * 0.5**_HALVINGS).any():
            break
        tried = np.clip(places[:, None] + (steps[:, None, None] * ways * free[:, None]), -1.0, 1.0)
        found = value(tried)
        evaluations += found.size
        best = found.argmin(axis=1)
        better = found[own, best] < values
        places[better], values[better] = tried[own, best][better], found[own, best][better]
        steps[~better] /= 2
    return places, values, evaluations


def lowest_apart(places: Array, values: Array, below: float) -> list[int]:
    """Choose starts for a function: its lowest places (n, m) of those up to a value, apart."""
    chosen: list[int] = []
    left = values <= below
    while left.any() and len(chosen) < _STARTS:
        k = int(np.where(left, values, np.inf).argmin())
        chosen.append(k)
        left &= np.abs(places - places[k]).max(axis=1) >= _APART
        left[k] = False
    return chosen
