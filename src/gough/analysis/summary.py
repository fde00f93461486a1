"""A study in figures: peaks with their place and time, RMS values, energies, minimum margins.

All are made of values (..., T, n): of one motion, or of many at the same times.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from gough.analysis import figures as definitions
from gough.analysis import reductions as by
from gough.analysis.definition import Figure, UnitGroup
from gough.analysis.limits import Ends, Limit, limits_of
from gough.analysis.quantities import SHARES, Table, table_of
from gough.analysis.reductions import FigureValue, Reduction, TimeSeries
from gough.analysis.results import Scalar, SingularPoint
from gough.arrays import AnyArray, Array
from gough.robot import Robot

Arrays = Mapping[str, Array]
AllEnds = Mapping[Limit, Ends]

_WITHOUT_DETERMINANT = ("crossed", "touched")
"""Kinds of singular points at which det J is zero."""
_ROUNDING = 1e-12
"""Fraction of a limit within which a value is at the limit, on neither side."""
_NO_GROUP = UnitGroup("")


class NamedFigure(NamedTuple):
    """A figure apart from its numbers."""

    name: str
    unit: str
    meaning: str
    labels: tuple[str, ...]
    """Names of the places that it has numbers of; none of legs, which are counted."""
    places: int
    """Count of its numbers, beside that of the machine."""


@dataclass(frozen=True, eq=False)
class ComputedFigure:
    """A figure of one motion, or of many, with its values."""

    figure: Figure
    value: FigureValue
    time: Array
    group: UnitGroup = _NO_GROUP
    """The joints with one unit that it is about."""

    @property
    def named(self) -> NamedFigure:
        """Its name, unit and meaning."""
        figure, group, per_leg = self.figure, self.group, self.value.per_leg
        as_quantity = figure.quantity is not None and figure.unit == figure.quantity.unit
        name, unit = figure.name + group.suffix, group.unit if as_quantity else figure.unit
        labels, places = ((), 0) if per_leg is None else (group.labels, per_leg.shape[-1])
        return NamedFigure(name, unit, figure.meaning, labels, places)

    @property
    def numbers(self) -> Array:
        """(..., 1 + places) of the machine, then of each place."""
        value, per_leg, *_ = self.value
        machine = value[..., None]
        return machine if per_leg is None else np.concatenate([machine, per_leg], axis=-1)

    @cached_property
    def samples(self) -> AnyArray:
        """Which sample of each motion has the value, -1 if none."""
        assert self.value.sample is not None
        return self.value.sample()

    def scalar(self, motion: tuple[int, ...] = ()) -> Scalar:
        """Return the figure of one of the motions, with its leg and time."""
        name, unit, meaning, labels, _ = self.named
        value, legs, leg, sample = self.value
        k = -1 if sample is None else int(self.samples[motion])
        per_leg = () if legs is None else tuple(legs[motion].tolist())
        place = None if leg is None else int(leg[motion]) + 1
        at = None if k < 0 else float(self.time[k])
        return Scalar(name, unit, meaning, float(value[motion]), per_leg, place, at, labels)


def summarize(
    robot: Robot,
    time: Array,
    found: Arrays,
    asked: Container[str],
    *,
    singular: Sequence[SingularPoint] = (),
    tracking_error: Array | None = None,
) -> dict[str, Scalar]:
    """Return the figures of one motion, which may have singular configurations on its way.

    With bounds (actuators,) of position errors, the bandwidth that keeps them is among them.

    With these forces have no bound, and figures made of them are NaN; where the motion can pass
    them all only shares of forces have none.
    """
    figures = [one.scalar() for one in all_figures(robot, time, found, asked)]
    if tracking_error is not None:
        figures.append(_tracking(robot, time, found, tracking_error))
    unbounded = any(not point.bounded for point in singular)
    for k, figure in enumerate(figures):
        quantity = definitions.figure_of(figure.name).quantity
        without = unbounded or (singular and quantity is not None and quantity.name in SHARES)
        if without and quantity is not None and quantity.of_forces:
            none = (np.nan,) * len(figure.per_leg)
            figures[k] = replace(figure, value=np.nan, per_leg=none, leg=None, time=None)
    summary = {figure.name: figure for figure in figures}
    zeros = [point.time for point in singular if point.kind in _WITHOUT_DETERMINANT]
    if zeros:
        least = summary["minimum_determinant"]
        summary[least.name] = replace(least, value=0.0, time=zeros[0])
    return summary


def _tracking(robot: Robot, time: Array, found: Arrays, bounds: Array) -> Scalar:
    table = table_of(robot)
    speeds = next(n for n, quantity in table.items() if quantity.kernel == "joint_velocity")
    value = by.tracking_bandwidth(TimeSeries(time, found[speeds]), bounds)
    figure, group = definitions.TRACKING_BANDWIDTH, table[speeds].all_places
    return ComputedFigure(figure, value, time, group).scalar()


def all_figures(
    robot: Robot, time: Array, found: Arrays, asked: Container[str], ends: AllEnds | None = None
) -> list[ComputedFigure]:
    """Figures of quantities (..., T, n) that are asked for, and of all limits.

    Their `ends` are (..., n), or (n) for all motions; by default the robot's.
    """
    limits = limits_of(robot)
    if ends is None:
        ends = {limit: limit.ends(robot) for limit in limits}
    series = _Series(table_of(robot), time, found, found["force"].ndim - 2)
    return [
        *series.reduced(by.OF_LEGS, asked),
        *series.checked(limits, ends),
        *series.reduced(by.OF_MACHINE, asked),
        _without_forces(series.of["force"]),
    ]


def alarming(figures: Iterable[ComputedFigure]) -> list[dict[str, Scalar]]:
    """Return by name, of each of N motions, the figures that warnings are about.

    These are limits that it exceeds, and the number of samples without forces.
    """
    found: list[dict[str, Scalar]] | None = None
    for figure in figures:
        below, value = figure.figure.alarming == "below zero", figure.value.value
        if below or figure.figure is definitions.SAMPLES_WITHOUT_FORCES:
            found = found or [{} for _ in value]
            for k in np.flatnonzero(value < 0 if below else value > 0).tolist():
                found[k][figure.named.name] = figure.scalar((k,))
    return found or []


def of_quantities(
    table: Table,
    time: Array,
    found: Arrays,
    reductions: Sequence[Reduction],
    *,
    only_shown: bool = False,
    motions: int = 0,
) -> list[ComputedFigure]:
    """Return figures that reductions make of motions of a machine: to store, or only shown."""
    series = _Series(table, time, found, motions)
    return [*series.reduced(reductions, found, only_shown=only_shown)]


class _Series:
    """Quantities of a machine over time, of which many figures are made."""

    def __init__(self, table: Table, time: Array, found: Arrays, motions: int = 0) -> None:
        self.table, self.motions = table, motions
        self.of = {name: TimeSeries(time, values, motions) for name, values in found.items()}

    def reduced(
        self, reductions: Sequence[Reduction], asked: Container[str], *, only_shown: bool = False
    ) -> Iterator[ComputedFigure]:
        """Yield the figures that reductions make of quantities, in the order of the reductions."""
        for reduction in reductions:
            for name, figure in definitions.MADE_BY[reduction].items():
                wanted = name in asked and (not figure.group or figure.group in asked)
                if name in self.of and wanted and figure.only_shown == only_shown:
                    for group in self.table[name].by_unit:
                        part = self._part(name, group)
                        yield ComputedFigure(figure, reduction.find(part), part.time, group)

    def checked(self, limits: Sequence[Limit], ends: AllEnds) -> Iterator[ComputedFigure]:
        """Yield how far quantities keep their limits, and how long forces do not."""
        for limit in limits:
            if limit.quantity not in self.of:
                continue
            quantity = self.table[limit.quantity]
            for group in [quantity.all_places] if limit.as_share else quantity.by_unit:
                least, greatest = map(group.of, ends[limit])
                if np.isfinite(greatest).any():
                    figure = definitions.FIGURES[limit.figure]
                    part = self._part(limit.quantity, group)
                    margin = _margin(limit, least, greatest, part)
                    yield ComputedFigure(figure, margin, part.time, group)
                    if limit.quantity == "force":
                        exceeded = _saturated_time(greatest, part, margin.value < 0)
                        yield ComputedFigure(definitions.SATURATED_TIME, exceeded, part.time, group)

    def _part(self, name: str, group: UnitGroup) -> TimeSeries:
        """Return a quantity of some joints; of all it is one object, whose extremes are kept."""
        every = self.of[name]
        if not group.suffix:
            return every
        return every.like(lambda values: group.of(values, axis=self.motions + 1))


def _margin(limit: Limit, least: Array, greatest: Array, of: TimeSeries) -> FigureValue:
    """Return how far values stay within a limit (..., n) at least; NaN where none is stated."""
    if limit.reduction is not None:
        found = limit.reduction.find(of).per_leg
        assert found is not None
        return by.of_worst_leg(greatest - found, least=True)
    below, above = of.extremes[0] - least, greatest - of.extremes[1]
    margin = np.fmin(below, above)
    margin = np.where(np.abs(margin) < _ROUNDING * greatest, 0.0, margin)
    sample = partial(of.nearer, below, above)
    return by.of_worst_leg(margin / greatest if limit.as_share else margin, sample, least=True)


def _saturated_time(greatest: Array, force: TimeSeries, exceeds: AnyArray) -> FigureValue:
    """Return how long each actuator, and any, exceeds its force, of the motions where one does."""
    each, any_of_them = np.zeros((*exceeds.shape, greatest.shape[-1])), np.zeros(exceeds.shape)
    greatest = np.broadcast_to(greatest, each.shape)
    if exceeds.any():
        index = 1 - np.abs(force.values[exceeds]) / greatest[exceeds][..., None, :]
        each[exceeds] = negative_time(force.time, index)
        lowest = np.where(np.isfinite(index), index, np.inf).min(axis=-1, keepdims=True)
        least = np.where(np.isfinite(lowest), lowest, 0.0)
        any_of_them[exceeds] = negative_time(force.time, least)[..., 0]
    return FigureValue(any_of_them, each)


def negative_time(time: Array, values: Array) -> Array:
    """Return how long columns (..., T, n), straight between samples, are negative [s]."""
    below, size = np.maximum(-values, 0.0), np.abs(values)
    total = size[..., 1:, :] + size[..., :-1, :]
    share = (below[..., 1:, :] + below[..., :-1, :]) / np.where(total > 0, total, 1.0)
    return np.asarray(np.diff(time) @ np.nan_to_num(share))


def _without_forces(force: TimeSeries) -> ComputedFigure:
    """Return how many samples have no forces, and when this is so first."""
    missing = ~np.isfinite(force.values @ np.ones(force.values.shape[-1]))
    count = np.count_nonzero(missing, axis=-1)

    def first() -> AnyArray:
        return np.where(count > 0, missing.argmax(axis=-1), -1)

    value = FigureValue(np.asarray(count, dtype=float), sample=first)
    return ComputedFigure(definitions.SAMPLES_WITHOUT_FORCES, value, force.time)
