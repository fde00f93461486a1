"""Points of a grid computed together: many hexapods along one motion, by one call of a kernel.

Studies are made for the strands of a grid (see `strands`), not for its points: what they say of the
robot is put together in one row of numbers for each point. What is out of the ordinary is left to
`run_one`: a point that cannot be made, one near a singular configuration or without forces, and
machines of other kinds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import NamedTuple

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
from gough.motion import Motion, MotionSamples, carried_over, total_wrench
from gough.robot import Hexapod, Robot
from gough.studies.robot_rows import Rows, differing, row_of
from gough.studies.run import at_rest, jumps_of, told_before, told_behind, voltages
from gough.studies.strands import LOAD, MOTION, REST, strands_of
from gough.studies.study import Study
from gough.studies.variations import Variation, shape_of

AT_A_TIME = 4_000_000
"""So many numbers over time are held at once, which stay near."""

Places = tuple[int, ...]
"""Of a point, along the axes of a grid."""


class Summed(NamedTuple):
    """What a point comes to; it meets nothing singular."""

    figures: tuple[Defined, ...]
    numbers: Array
    """Of each figure its value, then those of its places."""
    warnings: tuple[str, ...]


class ApartError(GoughError):
    """Points cannot be computed together."""


@dataclass(frozen=True, eq=False)
class _Course:
    """A motion with its samples."""

    motion: Motion
    time: Array
    samples: MotionSamples


@dataclass(frozen=True, eq=False)
class _Load:
    """What tasks do along a course, and the row of the robot that carries what they say."""

    row: Array
    changed: AnyArray
    """Where the row is not that of the base study."""
    wrench: Array
    jumps: tuple[float, ...]
    """When tasks set in or end [s]."""
    told: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Point:
    """What is needed for one point."""

    index: int
    load: _Load
    row: Array


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
        self._made = made
        self._study = lru_cache(maxsize=256)(self._study_of)
        self._course = lru_cache(maxsize=64)(self._course_of)
        self._load = lru_cache(maxsize=4096)(self._load_of)
        self._change = lru_cache(maxsize=4096)(self._change_of)

    def __call__(self, indices: Iterable[int]) -> dict[int, Summed]:
        """Those of the points that can be computed together, with what they come to."""
        alike: dict[tuple[Places, Places], list[Places]] = defaultdict(list)
        for index in indices:
            places = tuple(map(int, np.unravel_index(index, self._shape)))
            alike[self._at(places), self._at(places, self._moving)].append(places)
        found: dict[int, Summed] = {}
        for (base, moving), points in alike.items():
            with suppress(GoughError):
                found |= self._along(self._usual(base), self._course(moving), points)
        return found

    def _along(self, base: Study, course: _Course, points: list[Places]) -> dict[int, Summed]:
        """Points whose motion is the same."""
        batches: dict[tuple[float, ...], list[_Point]] = defaultdict(list)
        for places in points:
            with suppress(GoughError):
                point = self._point(places)
                batches[point.load.jumps].append(point)
        size = AT_A_TIME // (len(course.time) * _width(base))
        if size < 2:
            raise ApartError("each point has enough to do")
        found: dict[int, Summed] = {}
        for batch in batches.values():
            for k in range(0, len(batch), size):
                found |= _computed(base, course, batch[k : k + size])
        return found

    def _at(self, places: Places, axes: Sequence[int] = ()) -> Places:
        """A point's place along some axes and along those of which nothing is known; else 0."""
        kept = {*self._rest, *axes}
        return tuple(place if axis in kept else 0 for axis, place in enumerate(places))

    def _study_of(self, places: Places) -> Study:
        return self._made(int(np.ravel_multi_index(places, self._shape)))

    def _usual(self, base: Places) -> Study:
        """The study in which others differ by strands, if it is of the usual sort."""
        study = self._study(base)
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
        return study

    def _course_of(self, places: Places) -> _Course:
        study = self._study(places)
        time = study.times()
        return _Course(study.motion, time, study.motion(time))

    def _load_of(self, moving: Places, loading: Places) -> _Load:
        course, study, base = self._course(moving), self._study(loading), self._at(loading)
        time, samples = course.time, course.samples
        (_, robot), *more = carried_over(study.robot, study.tasks, time)
        if more:
            raise ApartError("the load changes on the way")
        wrench = total_wrench(study.tasks, time, samples)
        if loading != base and np.array_equal(wrench, usual := self._load(moving, base).wrench):
            wrench = usual  # is kept once
        return _Load(
            row_of(robot),
            _changed(robot, self._study(base).robot),
            wrench,
            tuple(t for task in study.tasks for t in task.jumps),
            told_behind(study, course.motion, samples, time),
        )

    def _change_of(self, places: Places) -> tuple[AnyArray, Array]:
        """Which numbers of the robot are others than in the base study, and what they are."""
        robot, base = self._study(places).robot, self._study(self._at(places)).robot
        where = np.flatnonzero(_changed(robot, base))
        return where, row_of(robot)[where]

    def _point(self, places: Places) -> _Point:
        moving, loading = self._at(places, self._moving), self._at(places, self._loading)
        load = self._load(moving, loading)
        row, changed = load.row.copy(), load.changed.copy()
        for axes in self._others:
            where, values = self._change(self._at(places, axes))
            if changed[where].any():
                raise ApartError("a number that two strands change")
            row[where], changed[where] = values, True
        return _Point(int(np.ravel_multi_index(places, self._shape)), load, row)


def _changed(robot: Robot, base: Robot) -> AnyArray:
    """Where the row of a robot is not that of another, which must state the same things."""
    row, own = row_of(robot), row_of(base)
    same_kind = structure_of(robot) == structure_of(base) and robot.name == base.name
    if not same_kind or (np.isnan(row) != np.isnan(own)).any():
        raise ApartError("robots that do not state the same")
    return differing(row, own)


def _needed(study: Study) -> frozenset[str]:
    held = held_against_limits(study.robot)
    return wanted(study.outputs.quantities) | held | set(NEEDED)


def _width(study: Study) -> int:
    """How many numbers there are at one time of a study."""
    table, actuators = table_of(study.robot), len(study.robot.actuators)
    return sum(prod(table[name].shape(actuators)) for name in _needed(study) & table.keys())


def _computed(base: Study, course: _Course, points: list[_Point]) -> dict[int, Summed]:
    """Those of some points with one motion and one time of jumps that have forces all along."""
    robot, first = base.robot, points[0].load
    rows = Rows(robot, np.array([point.row for point in points]))
    if not (possible := rows.clearly_possible()).all():
        return _computed_of(base, course, points, possible)
    wrench = first.wrench
    if any(point.load.wrench is not wrench for point in points):
        wrench = np.array([point.load.wrench for point in points])
    state = at_rest(course.samples) if base.static else course.samples
    numbers = rows.numbers()
    found = evaluate(robot, numbers, state, wrench, _needed(base), 1, base.formulation)
    usual = far_from_singular(numbers.length[:, 0], found)
    usual &= np.isfinite(found["force"]).all(axis=(1, 2))
    usual &= np.isfinite(found["leg_length"]).all(axis=(1, 2))
    if not usual.all():
        return _computed_of(base, course, points, usual)
    found |= voltages(base, course.motion, course.time, numbers.drives, found, first.jumps)
    asked = wanted(base.outputs.quantities)
    figures, values, remarkable = summarize_points(robot, course.time, found, asked, rows.ends())
    before, jumps = told_before(base, robot), jumps_of(base, course.motion)
    return {
        point.index: Summed(
            figures,
            row,
            (*before, *warnings_of(told, len(course.time), jumps=jumps), *point.load.told),
        )
        for point, row, told in zip(points, values, remarkable, strict=True)
    }


def _computed_of(
    base: Study, course: _Course, points: list[_Point], chosen: AnyArray
) -> dict[int, Summed]:
    """The same of those that are chosen."""
    some = [point for point, keep in zip(points, chosen, strict=True) if keep]
    return _computed(base, course, some) if some else {}
