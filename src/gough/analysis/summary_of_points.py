"""Many studies in figures at once: hexapods of one structure, along motions of the same times."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from gough.analysis.definition import Alike, Figure
from gough.analysis.figures import FIGURES, MADE_BY, SAMPLES_WITHOUT_FORCES, SATURATED_TIME
from gough.analysis.limits import Ends, Limit, limits_of
from gough.analysis.machine_table import Table, table_of
from gough.analysis.results import Scalar
from gough.analysis.summary import margin_of, margins, saturated_time, scalar_of
from gough.analysis.ways import OF_LEGS, OF_MACHINE, Found, Way
from gough.analysis.ways_of_points import FIND, Courses, Sums, most
from gough.arrays import Array
from gough.robot import Robot

Summary = dict[str, Scalar]


class Defined(NamedTuple):
    """A figure of many points apart from its numbers."""

    name: str
    unit: str
    meaning: str
    labels: tuple[str, ...]
    """Names of the places that it has numbers of; none of legs, which are counted."""
    places: int
    """How many it has numbers of, beside the machine."""

    @classmethod
    def of(cls, figure: Scalar) -> Defined:
        """What one point says of it."""
        return cls(figure.name, figure.unit, figure.meaning, figure.labels, len(figure.per_leg))


class Summaries(NamedTuple):
    """The figures of N points."""

    figures: tuple[Defined, ...]
    numbers: Array
    """(N, n) of each figure its value, then those of its places."""
    remarkable: list[Summary]
    """Of each point the figures of limits that it passes, with leg and time."""


@dataclass(frozen=True)
class _Row:
    """A figure of all points."""

    figure: Figure
    alike: Alike
    sums: Sums
    passing: Mapping[int, Scalar] = field(default_factory=dict)
    """Of points that pass a limit."""

    def defined(self) -> Defined:
        """Its name and meaning."""
        count = self.numbers().shape[1] - 1
        return Defined.of(scalar_of(self.figure, Found(0.0, (0.0,) * count), self.alike))

    def numbers(self) -> Array:
        """(N, 1 + legs) of the machine and of each leg."""
        values, per_leg = self.sums
        return values[:, None] if per_leg is None else np.column_stack([values, per_leg])


def can_be_summed_up(names: Iterable[str]) -> bool:
    """Whether all figures of some quantities can be made for many points at once."""
    unknown = {name for way, some in MADE_BY.items() if way not in FIND for name in some}
    return unknown.isdisjoint(names)


def summarize_points(
    robot: Robot,
    time: Array,
    found: Mapping[str, Array],
    asked: Container[str],
    ends: Mapping[Limit, Ends],
) -> Summaries:
    """The figures of N points, as `summarize` makes them of each: all have forces all along.

    `robot` is one of them, `found` has quantities (N, T, ...), `ends` the limits (N, n).
    """
    table, count = table_of(robot), len(found["force"])
    courses = {name: Courses(time, values) for name, values in found.items()}
    shown = {name: course for name, course in courses.items() if name in asked}
    rows = [
        *_of_quantities(table, shown, OF_LEGS),
        *_of_limits(robot, table, courses, ends),
        *_of_quantities(table, shown, OF_MACHINE),
        _Row(SAMPLES_WITHOUT_FORCES, Alike(SAMPLES_WITHOUT_FORCES.unit), Sums(np.zeros(count))),
    ]
    remarkable: list[Summary] = [{} for _ in range(count)]
    for row in rows:
        for k, figure in row.passing.items():
            remarkable[k][figure.name] = figure
    numbers = np.concatenate([row.numbers() for row in rows], axis=1)
    return Summaries(tuple(row.defined() for row in rows), numbers, remarkable)


def _of_quantities(
    table: Table, courses: Mapping[str, Courses], ways: Sequence[Way]
) -> Iterator[_Row]:
    for way in ways:
        for name, figure in MADE_BY[way].items():
            if name in courses and not figure.only_shown:
                yield _Row(figure, table[name].whole, FIND[way](courses[name]))


def _of_limits(
    robot: Robot, table: Table, courses: Mapping[str, Courses], ends: Mapping[Limit, Ends]
) -> Iterator[_Row]:
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
        figure = FIGURES[limit.figure]
        told = {k: scalar_of(figure, margin, alike) for k, margin in passing.items()}
        yield _Row(figure, alike, sums, told)
        if limit.quantity == "force":
            yield _Row(SATURATED_TIME, alike, _saturated(greatest, course, passing))


def _saturated(greatest: Array, course: Courses, passing: Mapping[int, Found]) -> Sums:
    """How long forces are above their limits, of points that pass these."""
    values, per_leg = np.zeros(len(greatest)), np.zeros(greatest.shape)
    for k, margin in passing.items():
        exceeded = saturated_time(greatest[k], course.time, course.values[k], margin)
        values[k], per_leg[k] = exceeded.value, exceeded.per_leg
    return Sums(values, per_leg)
