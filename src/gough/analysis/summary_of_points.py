"""Many studies in figures at once: hexapods of one structure, along motions of the same times."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gough.analysis.definition import Alike, Figure
from gough.analysis.figures import FIGURES, MADE_BY, SATURATED_TIME
from gough.analysis.limits import Ends, Limit, limits_of
from gough.analysis.machine_table import Table, table_of
from gough.analysis.results import Scalar
from gough.analysis.summary import margin_of, margins, saturated_time, scalar_of, without_forces
from gough.analysis.ways import OF_LEGS, OF_MACHINE, Found, Way
from gough.analysis.ways_of_points import FIND, Courses, Sums, most
from gough.arrays import Array
from gough.robot import Hexapod

Summary = dict[str, Scalar]
_NO_LEGS = ((),)


@dataclass(frozen=True)
class _Row:
    """A figure of all points, and what is known more of those that pass a limit."""

    figure: Figure
    alike: Alike
    sums: Sums
    passing: Mapping[int, Found]
    """What it comes to with its leg and time, by point."""

    def scalars(self) -> list[Scalar]:
        """The figure of each point."""
        values, per_leg = self.sums
        legs = _NO_LEGS * len(values) if per_leg is None else map(tuple, per_leg.tolist())
        first = scalar_of(self.figure, Found(0.0, () if per_leg is None else (0.0,)), self.alike)
        name, unit, meaning, labels = first.name, first.unit, first.meaning, first.labels
        scalars = [
            Scalar(name, unit, meaning, value, each, None, None, labels)
            for value, each in zip(values.tolist(), legs, strict=True)
        ]
        for k, found in self.passing.items():
            scalars[k] = scalar_of(self.figure, found, self.alike)
        return scalars


def can_be_summed_up(names: Iterable[str]) -> bool:
    """Whether all figures of some quantities can be made for many points at once."""
    unknown = {name for way, some in MADE_BY.items() if way not in FIND for name in some}
    return unknown.isdisjoint(names)


def summarize_points(
    robot: Hexapod,
    time: Array,
    found: Mapping[str, Array],
    asked: Container[str],
    ends: Mapping[Limit, Ends],
) -> list[Summary]:
    """The figures of N points, as `summarize` makes them of each: all have forces all along.

    `robot` is one of theirs, `found` has quantities (N, T, ...), `ends` the limits (N, n). A figure
    has a leg and a time only where a limit is passed.
    """
    table = table_of(robot)
    courses = {name: Courses(time, values) for name, values in found.items()}
    shown = {name: course for name, course in courses.items() if name in asked}
    rows = [
        *_of_quantities(table, shown, OF_LEGS),
        *_of_limits(robot, table, courses, ends),
        *_of_quantities(table, shown, OF_MACHINE),
    ]
    last = without_forces(time, found["force"][0])
    figures = zip(*(row.scalars() for row in rows), strict=True)
    return [{one.name: one for one in (*some, last)} for some in figures]


def _of_quantities(
    table: Table, courses: Mapping[str, Courses], ways: Sequence[Way]
) -> list[_Row]:
    return [
        _Row(figure, table[name].whole, FIND[way](courses[name]), {})
        for way in ways
        for name, figure in MADE_BY[way].items()
        if name in courses and not figure.only_shown
    ]


def _of_limits(
    robot: Hexapod, table: Table, courses: Mapping[str, Courses], ends: Mapping[Limit, Ends]
) -> list[_Row]:
    rows = []
    for limit in limits_of(robot):
        least, greatest = ends[limit]
        if limit.quantity not in courses or not np.isfinite(greatest).any():
            continue
        course, alike = courses[limit.quantity], table[limit.quantity].whole
        sums = most(margins(limit, least, greatest, course.low, course.high), least=True)
        passing = {
            k: margin_of(limit, least[k], greatest[k], course.time, course.values[k])
            for k in np.flatnonzero(sums.values < 0).tolist()
        }
        rows.append(_Row(FIGURES[limit.figure], alike, sums, passing))
        if limit.quantity == "force":
            exceeded = {
                k: saturated_time(greatest[k], course.time, course.values[k], margin)
                for k, margin in passing.items()
            }
            none = Sums(np.zeros(len(least)), np.zeros(least.shape))
            rows.append(_Row(SATURATED_TIME, alike, none, exceeded))
    return rows
