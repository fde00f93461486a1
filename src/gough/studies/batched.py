"""Points of a grid in batches: machines built alike, along one motion, by one call of a kernel.

Studies are made for the groups of a grid's axes (see `independent_axes`), not for its points: what
they say of the robot is put together in one row of numbers for each point. `NotBatchableError`, and
`_usual_points`, say what is left to `run_one`.

A combination of values of some groups, with all other axes at their first values, is a point of
the grid, too: it is known by that point's index.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial, wraps
from math import prod
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

from gough.analysis.evaluation import Arrays, Numbers, evaluate
from gough.analysis.freedoms import possible_motion
from gough.analysis.limits import Ends, Limit, limited_quantities, limits_of
from gough.analysis.quantities import positions_of, table_of, wanted
from gough.analysis.singular import NEEDED, far_from_singular
from gough.analysis.summary import alarming, all_figures
from gough.analysis.traits import UNIVERSAL_LEGS
from gough.analysis.warnings import warnings_of
from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.model import Kernels, structure_of
from gough.model.machines import home_kernel
from gough.motion import Motion, MotionSamples, Task, carried_over, total_wrench
from gough.robot import Robot, parameters_of, places_of
from gough.robot.numbers import walk
from gough.studies.grid_results import GridPoint
from gough.studies.run import (
    add_induced_voltages,
    at_rest,
    input_warnings,
    jumps_along,
    jumps_of,
    load_warnings,
)
from gough.studies.study import Study
from gough.studies.variations import Variation, shape_of

MOTION, LOAD, REST = "motion", "load", "rest"
"""The motion; the platform's body with all tasks; and what nothing is known of."""
_OF_ALL = {
    r"motion\b": MOTION,
    r"tasks\b": LOAD,
    r"robot\.platform\.(mass|center_of_mass|inertia)\b": LOAD,
    r"robot\.gravity\b": "gravity",
}
_LEG = r"robot\.(leg|legs\[\d+\])\."
_ALONE = (
    *("stroke", "drive", "joint_friction", "max_force", "max_speed", "max_power", "max_bandwidth"),
    *("base_joint_limit", "platform_joint_limit", "radius", "length_offset", "gain"),
)
_OF_HEXAPODS = {
    rf"{_LEG}(base|first_axis)\b|robot\.symmetric\.base_(?!azimuth)": "base joints",
    rf"{_LEG}platform\b|robot\.symmetric\.platform_": "platform joints",
    rf"{_LEG}(cylinder|piston|connector)\b": "bodies",
    **{rf"{_LEG}{key}\b": key for key in _ALONE},
}
_LIMITS = (
    "range|stroke|limit|max_force|max_torque|max_speed|max_power|max_bandwidth|drive|damping|"
    "friction|stop"
)
_OF_OTHERS = {
    rf"({_LEG}links|robot\.bodies)\[\d+\]\.(mass|center_of_mass|inertia)\b": "bodies",
    rf"({_LEG}(motor|joints\[\d+\])|robot\.joints\[\d+\])\.({_LIMITS})\b": "joints",
}
"""Groups by path. The geometry, which decides how other machines are solved, is of none."""
AT_A_TIME = 1_000_000
"""Maximum count of numbers over time that are held at once, which stay in a cache."""
ENOUGH = 2_000_000  # count of them above which a point has enough to do by itself
CLEAR = 1e-6  # minimum distance of places that differ beyond rounding, as a part of a leg's length
_ACROSS = 1e-3  # sine of an angle that is clearly not zero
_KEPT = 2**14  # maximum count of combinations of a group's values that are kept, which are small
T = TypeVar("T")
Given = ParamSpec("Given")


class NotBatchableError(GoughError):
    """Points must be computed one by one."""


def _batchable(make: Callable[Given, T]) -> Callable[Given, T]:
    """Return a maker whose errors, which `run_one` reports, leave points out of batches."""

    @wraps(make)
    def made(*args: Given.args, **kwargs: Given.kwargs) -> T:
        try:
            return make(*args, **kwargs)
        except GoughError as error:
            raise NotBatchableError(str(error)) from error

    return made


def _usual_points(robot: Robot, numbers: Numbers, found: Arrays) -> AnyArray:
    """Return which points reach all poses, have forces, and come near no singular configuration."""
    usual = far_from_singular(robot, numbers.parameters[:, 0], numbers.length[:, 0], found)
    for name in ("force", positions_of(table_of(robot))):
        usual &= np.isfinite(found[name]).all(axis=(1, 2))
    return usual


def _fit_at_home(robot: Robot, numbers: Numbers) -> AnyArray:
    """Return which hexapods can certainly be assembled at home; others need their own checks.

    Of these the joints at both ends, and the strokes, may come from different groups of axes.
    """
    parameters, fits = numbers.parameters[:, 0], np.ones(len(numbers.parameters), dtype=bool)
    if not robot.has_extensible_legs:
        return fits
    model = Kernels(robot, parametric=True)
    home = home_kernel(model.machines)(parameters)
    length = model.inverse_kinematics(parameters, home)
    near = CLEAR * np.abs(length).max()
    below, above = numbers.least[:, 0] + near, numbers.greatest[:, 0] - near
    fits &= ((length > near) & ~(length < below) & ~(length > above)).all(axis=-1)
    if UNIVERSAL_LEGS.found_in(model.structure):
        fits &= ~(model.universal_joint_sines(parameters, home) < _ACROSS).any(axis=-1)
    return fits


class _Base(NamedTuple):
    """A study of the usual sort, in which others differ by groups of axes."""

    study: Study
    row: Array
    needed: frozenset[str]  # the quantities that are computed
    warnings: tuple[str, ...]


class _Course(NamedTuple):
    """A motion with its samples."""

    motion: Motion
    time: Array
    samples: MotionSamples


@dataclass(frozen=True, eq=False)
class _Acting:
    """Loads of tasks along a path; one object is one load, whatever its numbers."""

    wrench: Array
    jumps: tuple[float, ...]  # when tasks set in or end [s]
    warnings: tuple[str, ...]


class Change(NamedTuple):
    """Which numbers of a row are others, and what they are."""

    where: AnyArray
    values: Array


class _Batch(NamedTuple):
    """Data of some points along a path."""

    indices: AnyArray
    rows: Array  # (N, k) numbers of the robot that carries what tasks say
    acting: AnyArray  # (N,) what acts on each

    def only(self, chosen: AnyArray) -> _Batch:
        """Return some of them."""
        return _Batch(*(part[chosen] for part in self))


class BatchedGrid:
    """Computes points of one grid; it keeps what many of them share."""

    def __init__(
        self, made: Callable[[int], Study], variations: Sequence[Variation], robot: Robot
    ) -> None:
        """`made` makes the study of a point, by its index; `robot` is that of one of them."""
        groups = independent_axes(variations, robot.has_extensible_legs)
        self._shape = shape_of(tuple(variations))
        self._rest, self._moving, self._loading = (
            [a for group in groups if kind in group.kinds for a in group.axes]
            for kind in (REST, MOTION, LOAD)
        )
        self._others = [group.axes for group in groups if {REST, LOAD}.isdisjoint(group.kinds)]
        self._study = lru_cache(maxsize=64)(_batchable(made))
        self._base = lru_cache(maxsize=64)(self._base_of)
        self._course = lru_cache(maxsize=64)(_batchable(self._course_of))
        self._tasks = lru_cache(maxsize=_KEPT)(lambda point: self._study(point).tasks)
        self._acting = lru_cache(maxsize=256)(_batchable(self._acting_of))
        self._carried = lru_cache(maxsize=_KEPT)(_batchable(self._carried_of))
        self._change = lru_cache(maxsize=_KEPT)(self._changed)

    def __call__(self, indices: Iterable[int]) -> dict[int, GridPoint]:
        """Return those of the points that can be computed in batches, with what they come to."""
        points = np.array(indices)
        courses = self._alike(points, self._moving)
        found: dict[int, GridPoint] = {}
        for course in np.unique(courses).tolist():
            with suppress(NotBatchableError):
                found |= self._along(course, points[courses == course])
        return found

    def _alike(self, points: AnyArray, axes: Sequence[int] = ()) -> AnyArray:
        """Return points in the same places along these axes and `_rest`, else in first places."""
        steps = [prod(self._shape[axis + 1 :]) for axis in range(len(self._shape))]
        varying = {*self._rest, *axes}
        return sum(
            (points // steps[axis] % self._shape[axis] * steps[axis] for axis in varying),
            np.zeros_like(points),
        )

    def _along(self, moving: int, points: AnyArray) -> dict[int, GridPoint]:
        """Return what points with the same motion come to."""
        base, course = self._base(self._usual(moving)), self._course(moving)
        table, actuators = table_of(base.study.robot), len(base.study.robot.actuators)
        width = sum(
            prod(table[name].argument(actuators).shape) for name in base.needed & table.keys()
        )
        numbers = len(course.time) * width
        if numbers > ENOUGH:
            raise NotBatchableError("each point has enough to do")
        size = max(1, AT_A_TIME // numbers)
        found: dict[int, GridPoint] = {}
        for k in range(0, len(points), size):
            for batch in self._batches(base, moving, points[k : k + size]):
                found |= _computed(base, course, batch)
        return found

    def _batches(self, base: _Base, moving: int, points: AnyArray) -> Iterator[_Batch]:
        """Yield those of some points that can be made; in a batch tasks set in and end together."""
        loads, load_of = _for_each(partial(self._load, moving), self._alike(points, self._loading))
        groups = [
            ([change for change, _ in loads], load_of),
            *(_for_each(self._change, self._alike(points, axes)) for axes in self._others),
        ]
        made = np.all([which >= 0 for _, which in groups], axis=0)
        if not made.any():
            return
        rows, fit = changed_rows(base.row, [(some, which[made]) for some, which in groups])
        acting = np.array([load for _, load in loads], dtype=object)
        batch = _Batch(points[made], rows, acting[load_of[made]]).only(fit)
        for jumps in dict.fromkeys(one.jumps for one in acting):
            yield batch.only(np.array([one.jumps == jumps for one in batch.acting], dtype=bool))

    def _usual(self, point: int) -> int:
        """Return the point whose study another one differs from by groups of axes."""
        return int(self._alike(np.array(point)))

    def _base_of(self, point: int) -> _Base:
        study = self._study(point)
        compliant = study.legs != "rigid"
        apart = study.controller, study.tolerances, study.balance, study.base, compliant
        if any(apart):
            raise NotBatchableError("points need more than one call of a kernel each")
        if study.tracking_bounds is not None:
            raise NotBatchableError("each point has a search of its own")
        if study.recording is not None:
            raise NotBatchableError("each point is compared with a recording")
        if not study.motion.duration > 0:
            raise NotBatchableError("a motion without duration")
        needed = wanted(study.outputs.quantities) | limited_quantities(study.robot) | set(NEEDED)
        return _Base(study, _row_of(study.robot), needed, input_warnings(study, study.robot))

    def _course_of(self, point: int) -> _Course:
        study = self._study(point)
        time = study.times()
        motion = possible_motion(study.robot, study.motion, time)
        return _Course(motion, time, motion(time))

    def _load(self, moving: int, loading: int) -> tuple[Change, _Acting]:
        """Return what platform and tasks change (times matter if a task sets in), and loads."""
        tasks = self._tasks(loading)
        timed = any(task.jumps for task in tasks)
        change = self._carried(moving if timed else self._usual(moving), loading)
        return change, self._acting(moving, tasks)

    def _acting_of(self, moving: int, tasks: tuple[Task, ...]) -> _Acting:
        course, usual = self._course(moving), self._tasks(self._usual(moving))
        units = self._study(moving).units
        wrench = total_wrench(tasks, course.time, course.samples)
        if tasks != usual and np.array_equal(wrench, same := self._acting(moving, usual).wrench):
            wrench = same  # is kept once
        said = load_warnings(tasks, course.motion, course.samples, course.time, units)
        return _Acting(wrench, jumps_along(tasks, course.time), said)

    def _carried_of(self, moving: int, loading: int) -> Change:
        study = self._study(loading)
        (_, robot), *more = carried_over(study.robot, study.tasks, self._course(moving).time)
        if more:
            raise NotBatchableError("the load changes on the way")
        row, places = _row_of(study.robot).copy(), places_of(study.robot)
        for name, numbers in walk(robot.platform, "platform"):
            row[places[name]] = numbers
        return self._changed(loading, row)

    def _changed(self, point: int, loaded: Array | None = None) -> Change:
        """Return which numbers of a point, or of its loaded robot, differ from the base study's."""
        base, robot = self._base(self._usual(point)), self._study(point).robot
        usual, row = base.study.robot, _row_of(robot) if loaded is None else loaded
        alike = structure_of(robot) == structure_of(usual) and robot.name == usual.name
        if not alike or (np.isnan(row) != np.isnan(base.row)).any():
            raise NotBatchableError("robots that do not state the same")
        where = np.flatnonzero((row != base.row) & ~np.isnan(row))
        return Change(where, row[where])


def _for_each(make: Callable[[int], T], points: AnyArray) -> tuple[list[T], AnyArray]:
    """Return what is made of different points, and (N,) which of it each has: -1, if none."""
    different, which = np.unique(points, return_inverse=True)
    made: list[T] = []
    places = np.full(len(different), -1)
    for k, point in enumerate(different.tolist()):
        with suppress(NotBatchableError):
            made.append(make(point))
            places[k] = len(made) - 1
    return made, places[which]


def changed_rows(
    row: Array, groups: Sequence[tuple[Sequence[Change], AnyArray]]
) -> tuple[Array, AnyArray]:
    """Return rows (N, k) with a change of each group, and whether no two change the same number.

    A group has some changes, and (N,) which of them each row has.
    """
    count = len(groups[0][1])
    rows, changes = np.tile(row, (count, 1)), np.zeros((count, len(row)), dtype=np.int8)
    for some, which in groups:
        for k, change in enumerate(some):
            where = np.ix_(which == k, change.where)
            rows[where] = change.values
            changes[where] += 1
    return rows, np.asarray((changes <= 1).all(axis=1))


@lru_cache(maxsize=1024)
def _row_of(robot: Robot) -> Array:
    """Return all that a study takes of a robot, numbers and ends of limits, as one row."""
    row = np.concatenate([np.ravel(part) for part in _parts(robot)])
    row.setflags(write=False)
    return row


@lru_cache(maxsize=64)  # asked for by every batch of a grid
def _parts(robot: Robot) -> list[Array]:
    ends = [end for limit in limits_of(robot) for end in limit.ends(robot)]
    return [*Numbers.of(robot, parameters_of(robot)), *ends]


def _of_rows(robot: Robot, rows: Array) -> tuple[Numbers, Mapping[Limit, Ends]]:
    """Return the numbers (N, 1, ...) and the ends of limits (N, n) that rows (N, k) hold."""
    shapes = [np.shape(part) for part in _parts(robot)]
    parts = np.split(rows, np.cumsum([prod(shape) for shape in shapes])[:-1], axis=1)
    split = [
        np.ascontiguousarray(part).reshape(-1, *shape)
        for part, shape in zip(parts, shapes, strict=True)
    ]
    own = len(Numbers._fields)
    ends = iter(split[own:])
    by_limit = dict(zip(limits_of(robot), zip(ends, ends, strict=True), strict=True))
    return Numbers(*(part[:, None] for part in split[:own])), by_limit


def _computed(base: _Base, course: _Course, batch: _Batch) -> dict[int, GridPoint]:
    """Return what those of a batch's points come to that nothing is unusual about."""
    if not len(batch.indices):
        return {}
    study, robot = base.study, base.study.robot
    numbers, ends = _of_rows(robot, batch.rows)
    if not (fits := _fit_at_home(robot, numbers)).all():
        return _computed(base, course, batch.only(fits))
    wrench = batch.acting[0].wrench
    if any(acting.wrench is not wrench for acting in batch.acting):
        wrench = np.array([acting.wrench for acting in batch.acting])
    state = at_rest(course.samples) if study.static else course.samples
    found = evaluate(robot, numbers, state, wrench, base.needed, 1, study.formulation)
    if not (usual := _usual_points(robot, numbers, found)).all():
        return _computed(base, course, batch.only(usual))
    add_induced_voltages(
        study, course.motion, course.time, numbers.parameters, found, batch.acting[0].jumps
    )
    figures = all_figures(robot, course.time, found, wanted(study.outputs.quantities), ends)
    named = tuple(figure.named for figure in figures)
    values = np.concatenate([figure.numbers for figure in figures], axis=1)
    jumps, count = jumps_of(study, course.motion), len(course.time)
    points = zip(batch.indices.tolist(), values, alarming(figures), batch.acting, strict=True)
    found_points = {}
    for index, row, alarms, acting in points:
        own = warnings_of(alarms, count, None, jumps, study.units)
        found_points[index] = GridPoint(named, row, (*base.warnings, *own, *acting.warnings))
    return found_points


class AxisGroup(NamedTuple):
    """Axes of a grid that may depend on each other, and kinds of what they vary."""

    kinds: frozenset[str]
    axes: tuple[int, ...]


def independent_axes(variations: Sequence[Variation], hexapod: bool) -> list[AxisGroup]:
    """Return the axes of a grid, for a hexapod or another machine, group by group.

    Numbers of one group become parameters, and are checked, without a look at those of another (but
    for the home pose, at which a hexapod's legs must fit). So what a combination of a group's
    values makes of a study, with all other axes at their first values, it makes at every point.
    """
    known = _OF_ALL | (_OF_HEXAPODS if hexapod else _OF_OTHERS)
    found: list[AxisGroup] = []
    for axis, variation in enumerate(variations):
        matching = ([known[k] for k in known if re.match(k, p)] for p in variation.parameters)
        kinds = frozenset(next(iter(some), REST) for some in matching)
        joined = [group for group in found if group.kinds & kinds]
        found = [group for group in found if group not in joined]
        axes = [a for group in joined for a in group.axes]
        found.append(AxisGroup(kinds.union(*(g.kinds for g in joined)), (*sorted(axes), axis)))
    return found
