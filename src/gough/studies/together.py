"""Points of a grid computed together: many hexapods along one motion, by one call of a kernel.

Studies are made for the strands of a grid (see `strands`), not for its points: what they say of the
robot is put together in one row of numbers for each point. What is out of the ordinary is left to
`run_one`: a point that cannot be made, one near a singular configuration or without forces, and
machines of other kinds.

A combination of values of some strands, with all other axes at their first values, is a point of
the grid, too: it is known by that point's index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial, wraps
from math import prod
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

from gough.analysis.evaluation import evaluate
from gough.analysis.limits import held_against_limits
from gough.analysis.machine_table import table_of
from gough.analysis.quantities import wanted
from gough.analysis.singular import NEEDED, far_from_singular
from gough.analysis.summary_of_points import Defined, can_be_summed_up, summarize_points
from gough.analysis.tolerances import OF_TOLERANCES
from gough.analysis.warnings import warnings_of
from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.model.structure import structure_of
from gough.motion import Motion, MotionSamples, Task, carried_over, total_wrench
from gough.robot import Hexapod, Robot
from gough.studies.robot_rows import Change, Rows, changed_rows, row_of, row_with
from gough.studies.run import at_rest, jumps_of, told_before, told_behind, voltages
from gough.studies.strands import LOAD, MOTION, REST, strands_of
from gough.studies.study import Study
from gough.studies.variations import Variation, shape_of

AT_A_TIME = 1_000_000
"""So many numbers over time are held at once, which stay in a cache."""
ENOUGH = 2_000_000
"""A point with more of them has enough to do by itself."""
_KEPT = 2**14
"""So many combinations of a strand's values are kept, which are small."""

T = TypeVar("T")
Given = ParamSpec("Given")


class Summed(NamedTuple):
    """What a point comes to; it meets nothing singular."""

    figures: tuple[Defined, ...]
    numbers: Array
    """Of each figure its value, then those of its places."""
    warnings: tuple[str, ...]


class ApartError(GoughError):
    """Points cannot be computed together."""


def _or_apart(make: Callable[Given, T]) -> Callable[Given, T]:
    """The same maker of what a point is given: where there is none, `run_one` says why."""

    @wraps(make)
    def made(*args: Given.args, **kwargs: Given.kwargs) -> T:
        try:
            return make(*args, **kwargs)
        except GoughError as error:
            raise ApartError(str(error)) from error

    return made


@dataclass(frozen=True, eq=False)
class _Base:
    """A study of the usual sort, in which others differ by strands."""

    study: Study
    row: Array
    needed: frozenset[str]
    """The quantities that are computed."""
    told: tuple[str, ...]

    @cached_property
    def width(self) -> int:
        """How many numbers there are at one time."""
        table, actuators = table_of(self.study.robot), len(self.study.robot.actuators)
        return sum(prod(table[name].shape(actuators)) for name in self.needed & table.keys())


@dataclass(frozen=True, eq=False)
class _Course:
    """A motion with its samples."""

    motion: Motion
    time: Array
    samples: MotionSamples


@dataclass(frozen=True, eq=False)
class _Acting:
    """What tasks do along a course."""

    wrench: Array
    jumps: tuple[float, ...]
    """When tasks set in or end [s]."""
    told: tuple[str, ...]


class _Load(NamedTuple):
    """What the robot that carries what tasks say differs by, and what they do."""

    change: Change
    acting: _Acting


@dataclass(frozen=True, eq=False)
class _Batch:
    """What is needed for some points along a course."""

    indices: AnyArray
    rows: Array
    """(N, k) numbers of the robot that carries what tasks say."""
    acting: AnyArray
    """(N,) what acts on each."""

    def only(self, chosen: AnyArray) -> _Batch:
        """Some of them."""
        return _Batch(self.indices[chosen], self.rows[chosen], self.acting[chosen])


class Together:
    """Computes points of one grid; it keeps what many of them share."""

    def __init__(self, made: Callable[[int], Study], variations: Sequence[Variation]) -> None:
        """`made` makes the study of a point, by its index."""
        strands = strands_of(variations)
        self._shape = shape_of(tuple(variations))
        self._rest = [a for strand in strands if REST in strand.kinds for a in strand.axes]
        self._moving = [a for strand in strands if MOTION in strand.kinds for a in strand.axes]
        self._loading = [a for strand in strands if LOAD in strand.kinds for a in strand.axes]
        apart = {REST, LOAD}
        self._others = [strand.axes for strand in strands if apart.isdisjoint(strand.kinds)]
        self._study = lru_cache(maxsize=64)(_or_apart(made))
        self._base = lru_cache(maxsize=64)(self._base_of)
        self._course = lru_cache(maxsize=64)(_or_apart(self._course_of))
        self._tasks = lru_cache(maxsize=_KEPT)(self._tasks_of)
        self._acting = lru_cache(maxsize=256)(_or_apart(self._acting_of))
        self._carried = lru_cache(maxsize=_KEPT)(_or_apart(self._carried_of))
        self._change = lru_cache(maxsize=_KEPT)(self._change_of)

    def __call__(self, indices: Iterable[int]) -> dict[int, Summed]:
        """Those of the points that can be computed together, with what they come to."""
        points = np.array(indices)
        courses = self._alike(points, self._moving)
        found: dict[int, Summed] = {}
        for course in np.unique(courses).tolist():
            with suppress(ApartError):
                found |= self._along(course, points[courses == course])
        return found

    def _alike(self, points: AnyArray, axes: Sequence[int] = ()) -> AnyArray:
        """The points in the same places along some axes and those of which nothing is known.

        Along all other axes they are in the first places.
        """
        steps = [prod(self._shape[axis + 1 :]) for axis in range(len(self._shape))]
        kept = {*self._rest, *axes}
        return sum(
            (points // steps[axis] % self._shape[axis] * steps[axis] for axis in kept),
            np.zeros_like(points),
        )

    def _along(self, moving: int, points: AnyArray) -> dict[int, Summed]:
        """Points whose motion is the same."""
        base, course = self._base(self._usual(moving)), self._course(moving)
        numbers = len(course.time) * base.width
        if numbers > ENOUGH:
            raise ApartError("each point has enough to do")
        size = max(1, AT_A_TIME // numbers)
        found: dict[int, Summed] = {}
        for k in range(0, len(points), size):
            for batch in self._batches(base, moving, points[k : k + size]):
                found |= _computed(base, course, batch)
        return found

    def _batches(self, base: _Base, moving: int, points: AnyArray) -> Iterator[_Batch]:
        """Those of some points that can be made; in each batch tasks set in and end together."""
        loading = self._alike(points, self._loading)
        loads, load_of = _for_each(partial(self._load, moving), loading)
        strands = [
            ([load.change for load in loads], load_of),
            *(_for_each(self._change, self._alike(points, axes)) for axes in self._others),
        ]
        made = np.all([which >= 0 for _, which in strands], axis=0)
        if not made.any():
            return
        rows, fit = changed_rows(base.row, [(some, which[made]) for some, which in strands])
        acting = np.array([load.acting for load in loads], dtype=object)
        whole = _Batch(points[made], rows, acting[load_of[made]]).only(fit)
        for jumps in dict.fromkeys(one.jumps for one in acting):
            yield whole.only(np.array([one.jumps == jumps for one in whole.acting], dtype=bool))

    def _usual(self, point: int) -> int:
        """The point whose study another one differs from by strands."""
        return int(self._alike(np.array(point)))

    def _base_of(self, point: int) -> _Base:
        """What is shared by all points that differ by strands, if it is of the usual sort."""
        study = self._study(point)
        asked = wanted(study.outputs.quantities).intersection(table_of(study.robot))
        unusual = (
            not isinstance(study.robot, Hexapod)
            or study.tolerances
            or study.balance is not None
            or not study.motion.duration > 0
            or not can_be_summed_up(asked.difference(OF_TOLERANCES))
        )
        if unusual:
            raise ApartError("not a usual study")
        needed = wanted(study.outputs.quantities) | held_against_limits(study.robot) | set(NEEDED)
        return _Base(study, row_of(study.robot), needed, told_before(study, study.robot))

    def _course_of(self, point: int) -> _Course:
        study = self._study(point)
        time = study.times()
        return _Course(study.motion, time, study.motion(time))

    def _tasks_of(self, point: int) -> tuple[Task, ...]:
        return self._study(point).tasks

    def _load(self, moving: int, loading: int) -> _Load:
        """What platform and tasks change; times matter only where a task sets in or ends."""
        tasks = self._tasks(loading)
        timed = any(task.jumps for task in tasks)
        change = self._carried(moving if timed else self._usual(moving), loading)
        return _Load(change, self._acting(moving, tasks))

    def _acting_of(self, moving: int, tasks: tuple[Task, ...]) -> _Acting:
        course, usual = self._course(moving), self._tasks(self._usual(moving))
        wrench = total_wrench(tasks, course.time, course.samples)
        if tasks != usual and np.array_equal(wrench, same := self._acting(moving, usual).wrench):
            wrench = same  # is kept once
        return _Acting(
            wrench,
            tuple(t for task in tasks for t in task.jumps),
            told_behind(tasks, course.motion, course.samples, course.time),
        )

    def _carried_of(self, moving: int, loading: int) -> Change:
        study = self._study(loading)
        (_, robot), *more = carried_over(study.robot, study.tasks, self._course(moving).time)
        if more:
            raise ApartError("the load changes on the way")
        return self._changed(study.robot, row_with(study.robot, robot.platform), loading)

    def _change_of(self, point: int) -> Change:
        robot = self._study(point).robot
        return self._changed(robot, row_of(robot), point)

    def _changed(self, robot: Robot, row: Array, point: int) -> Change:
        """Which numbers are others than in the base study, whose robot must state the same."""
        base = self._base(self._usual(point))
        usual = base.study.robot
        same_kind = structure_of(robot) == structure_of(usual) and robot.name == usual.name
        if not same_kind or (np.isnan(row) != np.isnan(base.row)).any():
            raise ApartError("robots that do not state the same")
        return Change.between(base.row, row)


def _for_each(make: Callable[[int], T], points: AnyArray) -> tuple[list[T], AnyArray]:
    """What is made of different points, and (N,) which of it each has: -1, if it cannot be."""
    different, which = np.unique(points, return_inverse=True)
    made: list[T] = []
    places = np.full(len(different), -1)
    for k, point in enumerate(different.tolist()):
        with suppress(ApartError):
            made.append(make(point))
            places[k] = len(made) - 1
    return made, places[which]


def _computed(base: _Base, course: _Course, batch: _Batch) -> dict[int, Summed]:
    """Those of a batch's points that have forces all along."""
    if not len(batch.indices):
        return {}
    study, robot = base.study, base.study.robot
    rows = Rows(robot, batch.rows)
    if not (possible := rows.clearly_possible()).all():
        return _computed(base, course, batch.only(possible))
    wrench = batch.acting[0].wrench
    if any(acting.wrench is not wrench for acting in batch.acting):
        wrench = np.array([acting.wrench for acting in batch.acting])
    state = at_rest(course.samples) if study.static else course.samples
    numbers = rows.numbers()
    found = evaluate(robot, numbers, state, wrench, base.needed, 1, study.formulation)
    usual = far_from_singular(numbers.length[:, 0], found)
    usual &= np.isfinite(found["force"]).all(axis=(1, 2))
    usual &= np.isfinite(found["leg_length"]).all(axis=(1, 2))
    if not usual.all():
        return _computed(base, course, batch.only(usual))
    steps = batch.acting[0].jumps
    found |= voltages(study, course.motion, course.time, numbers.drives, found, steps)
    asked = wanted(study.outputs.quantities)
    figures, values, remarkable = summarize_points(robot, course.time, found, asked, rows.ends())
    warned = partial(warnings_of, samples=len(course.time), jumps=jumps_of(study, course.motion))
    nothing = warned({})
    points = zip(batch.indices.tolist(), values, remarkable, batch.acting, strict=True)
    return {
        index: Summed(
            figures, row, (*base.told, *(warned(told) if told else nothing), *acting.told)
        )
        for index, row, told, acting in points
    }
