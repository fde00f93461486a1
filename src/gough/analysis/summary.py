"""A study in figures: peaks with their leg and time, RMS values, energies, least margins."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gough.analysis.definition import Figure
from gough.analysis.extremes import place, reduced
from gough.analysis.figures import FIGURES, MADE_BY, SAMPLES_WITHOUT_FORCES, SATURATED_TIME
from gough.analysis.limits import LIMITS, Limit
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

    With singular configurations on the way, forces have no bound: figures made of them are NaN.
    """
    shown = {name: values for name, values in found.items() if name in asked}
    figures = [*of_quantities(time, shown, OF_LEGS), *_of_limits(robot, time, found)]
    figures += of_quantities(time, shown, OF_MACHINE)
    figures.append(_without_forces(time, found["force"]))
    if singular:
        figures = [_without_number(f) if FIGURES[f.name].of_forces else f for f in figures]
    summary = {figure.name: figure for figure in figures}
    zeros = [point.time for point in singular if point.kind in _WITHOUT_DETERMINANT]
    if zeros:
        least = summary["least_determinant"]
        summary[least.name] = replace(least, value=0.0, time=zeros[0])
    return summary


def of_quantities(
    time: Array, found: Arrays, ways: Sequence[Way], *, only_shown: bool = False
) -> list[Scalar]:
    """The figures that some ways give, in their order: those to store, or those only shown."""
    return [
        _scalar(figure, way.find(time, found[name]))
        for way in ways
        for name, figure in MADE_BY[way].items()
        if name in found and figure.only_shown == only_shown
    ]


def negative_time(time: Array, values: Array) -> Array:
    """How long each column is negative [s], with straight lines between the samples."""
    if not (values < 0).any():
        return np.zeros(values.shape[1:])
    below, size = np.maximum(-values, 0.0), np.abs(values)
    total = size[1:] + size[:-1]
    share = (below[1:] + below[:-1]) / np.where(total > 0, total, 1.0)
    return np.asarray(np.diff(time) @ np.nan_to_num(share))


def _scalar(figure: Figure, found: Found) -> Scalar:
    return Scalar(figure.name, figure.unit, figure.meaning, *found)


def _of_limits(robot: Robot, time: Array, found: Arrays) -> list[Scalar]:
    figures = []
    for limit in LIMITS:
        if limit.quantity in found and limit.stated(robot).any():
            margin = _margin(limit, robot, time, found[limit.quantity])
            figures.append(_scalar(FIGURES[limit.figure], margin))
            if limit.quantity == "force":
                figures.append(_saturated_time(limit, robot, time, found, margin))
    return figures


def _margin(limit: Limit, robot: Robot, time: Array, values: Array) -> Found:
    """How far (T, legs) values stay within a limit at least; of legs that do not state it, NaN."""
    least, greatest = limit.ends(robot)
    below, above = reduced(values, np.minimum) - least, greatest - reduced(values, np.maximum)
    margin = np.fmin(below, above)
    margin = np.where(np.abs(margin) < _ROUNDING * greatest, 0.0, margin)
    per_leg = margin / greatest if limit.as_share else margin
    leg = place(per_leg, least=True)
    k = place(values[:, leg], least=bool(below[leg] < above[leg]))
    return at_leg(per_leg, leg, time[k])


def _saturated_time(
    limit: Limit, robot: Robot, time: Array, found: Arrays, margin: Found
) -> Scalar:
    """How long each leg, and any leg, exceeds its force."""
    each, any_leg = np.zeros(len(robot.legs)), 0.0
    if margin.value < 0:
        index = 1 - np.abs(found["force"]) / limit.ends(robot)[1]
        each, any_leg = negative_time(time, index), float(negative_time(time, _least_of_row(index)))
    return _scalar(SATURATED_TIME, together(each, any_leg))


def _without_forces(time: Array, force: Array) -> Scalar:
    """How many samples have no forces, and when this is so first."""
    missing = ~np.isfinite(force @ np.ones(force.shape[1]))
    count = int(np.count_nonzero(missing))
    first = float(time[missing.argmax()]) if count else None
    return _scalar(SAMPLES_WITHOUT_FORCES, Found(float(count), time=first))


def _least_of_row(values: Array) -> Array:
    """(T,) the least of each row that is a number; 0 where none is."""
    known = np.where(np.isfinite(values), values, np.inf).min(axis=1)
    return np.where(np.isfinite(known), known, 0.0)


def _without_number(figure: Scalar) -> Scalar:
    nothing = tuple(float("nan") for _ in figure.per_leg)
    return replace(figure, value=float("nan"), per_leg=nothing, leg=None, time=None)
