"""A study in figures: peaks with their place and time, RMS values, energies, least margins."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gough.analysis.definition import Alike, Definition, Figure
from gough.analysis.extremes import place, reduced
from gough.analysis.figures import (
    FIGURES,
    MADE_BY,
    SAMPLES_WITHOUT_FORCES,
    SATURATED_TIME,
    figure_of,
)
from gough.analysis.limits import Limit, limits_of
from gough.analysis.machine_table import table_of
from gough.analysis.quantities import SHARES
from gough.analysis.results import Scalar, SingularPoint
from gough.analysis.ways import OF_LEGS, OF_MACHINE, Found, Way, at_leg, together
from gough.arrays import Array
from gough.robot import Robot

Arrays = Mapping[str, Array]

_WITHOUT_DETERMINANT = ("crossed", "touched")
"""Kinds of singular points at which det J is zero."""
_ROUNDING = 1e-12
"""Of a limit: what is nearer to it is at the limit, on neither side."""


def summarize(
    robot: Robot,
    time: Array,
    found: Arrays,
    asked: Container[str],
    *,
    singular: Sequence[SingularPoint] = (),
) -> dict[str, Scalar]:
    """The figures of the quantities that were asked for, and of all limits that can be judged.

    With singular configurations on the way forces have no bound, and figures made of them are NaN;
    where the motion can pass them all only shares of forces have none.
    """
    table = table_of(robot)
    shown = {name: values for name, values in found.items() if name in asked}
    figures = [*of_quantities(table, time, shown, OF_LEGS), *_of_limits(robot, time, found)]
    figures += of_quantities(table, time, shown, OF_MACHINE)
    figures.append(without_forces(time, found["force"]))
    unbounded = any(not point.bounded for point in singular)
    figures = [_without_number(f) if _lost(f, singular, unbounded) else f for f in figures]
    summary = {figure.name: figure for figure in figures}
    zeros = [point.time for point in singular if point.kind in _WITHOUT_DETERMINANT]
    if zeros:
        least = summary["least_determinant"]
        summary[least.name] = replace(least, value=0.0, time=zeros[0])
    return summary


def of_quantities(
    table: Mapping[str, Definition],
    time: Array,
    found: Arrays,
    ways: Sequence[Way],
    *,
    only_shown: bool = False,
) -> list[Scalar]:
    """The figures that some ways give, in their order: those to store, or those only shown.

    `table` has the quantities of the machine.
    """
    return [
        scalar_of(figure, way.find(time, alike.of(found[name])), alike)
        for way in ways
        for name, figure in MADE_BY[way].items()
        if name in found and figure.only_shown == only_shown
        for alike in table[name].by_unit()
    ]


def negative_time(time: Array, values: Array) -> Array:
    """How long each column is negative [s], with straight lines between the samples."""
    if not (values < 0).any():
        return np.zeros(values.shape[1:])
    below, size = np.maximum(-values, 0.0), np.abs(values)
    total = size[1:] + size[:-1]
    share = (below[1:] + below[:-1]) / np.where(total > 0, total, 1.0)
    return np.asarray(np.diff(time) @ np.nan_to_num(share))


def scalar_of(figure: Figure, found: Found, alike: Alike | None = None) -> Scalar:
    """A figure, of all that it can be about or of some joints with one unit."""
    if alike is None:
        return Scalar(figure.name, figure.unit, figure.meaning, *found)
    as_quantity = figure.quantity is not None and figure.unit == figure.quantity.unit
    unit, labels = alike.unit if as_quantity else figure.unit, alike.labels * bool(found.per_leg)
    return Scalar(figure.name + alike.suffix, unit, figure.meaning, *found, labels)


def _of_limits(robot: Robot, time: Array, found: Arrays) -> list[Scalar]:
    figures, table = [], table_of(robot)
    for limit in limits_of(robot):
        if limit.quantity not in found:
            continue
        quantity, ends = table[limit.quantity], limit.ends(robot)
        for alike in [quantity.whole] if limit.as_share else quantity.by_unit():
            least, greatest = map(alike.of, ends)
            if np.isfinite(greatest).any():
                values = alike.of(found[limit.quantity])
                margin = margin_of(limit, least, greatest, time, values)
                figures.append(scalar_of(FIGURES[limit.figure], margin, alike))
                if limit.quantity == "force":
                    exceeded = saturated_time(greatest, time, values, margin)
                    figures.append(scalar_of(SATURATED_TIME, exceeded, alike))
    return figures


def margin_of(limit: Limit, least: Array, greatest: Array, time: Array, values: Array) -> Found:
    """How far (T, n) values stay within a limit at least; NaN where none is stated."""
    low, high = reduced(values, np.minimum), reduced(values, np.maximum)
    per_leg = margins(limit, least, greatest, low, high)
    leg = place(per_leg, least=True)
    nearer_below = low[leg] - least[leg] < greatest[leg] - high[leg]
    return at_leg(per_leg, leg, time[place(values[:, leg], least=bool(nearer_below))])


def margins(limit: Limit, least: Array, greatest: Array, low: Array, high: Array) -> Array:
    """(..., n) how far what lies between low and high stays within a limit, or its share of it."""
    margin = np.fmin(low - least, greatest - high)
    margin = np.where(np.abs(margin) < _ROUNDING * greatest, 0.0, margin)
    return margin / greatest if limit.as_share else margin


def saturated_time(greatest: Array, time: Array, force: Array, margin: Found) -> Found:
    """How long each actuator, and any, exceeds its force."""
    each, any_of_them = np.zeros(len(greatest)), 0.0
    if margin.value < 0:
        index = 1 - np.abs(force) / greatest
        each = negative_time(time, index)
        any_of_them = float(negative_time(time, _least_of_row(index)))
    return together(each, any_of_them)


def without_forces(time: Array, force: Array) -> Scalar:
    """How many samples have no forces, and when this is so first."""
    missing = ~np.isfinite(force @ np.ones(force.shape[1]))
    count = int(np.count_nonzero(missing))
    first = float(time[missing.argmax()]) if count else None
    return scalar_of(SAMPLES_WITHOUT_FORCES, Found(float(count), time=first))


def _least_of_row(values: Array) -> Array:
    """(T,) the least of each row that is a number; 0 where none is."""
    known = np.where(np.isfinite(values), values, np.inf).min(axis=1)
    return np.where(np.isfinite(known), known, 0.0)


def _lost(figure: Scalar, singular: Sequence[SingularPoint], unbounded: bool) -> bool:
    """Whether a figure has no number: that of forces, or of their shares, at singular points."""
    made_of = figure_of(figure.name)
    shares = made_of.quantity is not None and made_of.quantity.name in SHARES
    return made_of.of_forces and (unbounded or (shares and bool(singular)))


def _without_number(figure: Scalar) -> Scalar:
    nothing = tuple(float("nan") for _ in figure.per_leg)
    return replace(figure, value=float("nan"), per_leg=nothing, leg=None, time=None)
