"""Quantities over time as figures: a line per actuator, limits dashed, singular times dotted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.axes import Axis
from gough.analysis.limits import (
    CONTACT_FORCE,
    LIMITS,
    MARGINS,
    checked_quantity,
    contact_force_limit,
)
from gough.analysis.results import Quantity, Results
from gough.plots import style
from gough.plots.pictures import several_axes, stacked_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Line = tuple[str, Any]
"""A label and values."""


def plot_quantity(
    results: Results, name: str, ax: Axes | Sequence[Axes] | None = None
) -> list[Axes]:
    """Plot one quantity over time: a line per actuator or joint, a panel per unit or direction."""
    quantity = results.quantity(name).in_units(results.units)
    panels = _panels(quantity)
    axes = several_axes(ax, len(panels), lambda: stacked_axes(len(panels), 8, 2.4, 1.8))
    alike = len({tuple(label for label, _ in columns) for _, columns in panels}) == 1
    for axis, (heading, columns) in zip(axes, panels, strict=True):
        for k, (label, values) in enumerate(columns):
            axis.plot(results.time, values, label=label, linewidth=1.3, **style.line_look(k))
        axis.set_ylabel(heading)
        marked = _mark(axis, results, name)
        if (marked or len(columns) > 1) and (axis is axes[0] or not alike):
            style.with_legend_beside(axis)
        style.with_grid(axis)
        axis.margins(x=0)
    axes[-1].set_xlabel("time [s]")
    if ax is None:
        style.titled(axes, f"{results.name}: {quantity.meaning}")
    return axes


def _panels(quantity: Quantity) -> list[tuple[str, list[Line]]]:
    """Lines of the same unit and direction together: a heading, and its lines."""
    values, unit, axes = quantity.values, quantity.unit, quantity.axes
    name = style.words(quantity.name)
    if len(axes) == 1 and axes[0].of_machine:
        lines, units = _own_lines(axes[0], values), quantity.units
        return [
            (style.axis_label(name, u), [l for l, v in zip(lines, units, strict=True) if v == u])
            for u in dict.fromkeys(units)
        ]
    if axes[:1] and axes[0].of_machine:
        return [
            (style.axis_label(f"{name}, {direction}", unit), _own_lines(axes[0], values[:, :, k]))
            for k, direction in enumerate(axes[1].names(values.shape[2]))
        ]
    parts = quantity.parts()
    if len(parts) > 1:
        return [
            (style.axis_label(f"{name}, {part.name}", unit), _lines(part.labels, columns))
            for part, unit, columns in parts
        ]
    labels = [label.removeprefix(f"{quantity.name}_") for label in quantity.labels]
    return [(style.axis_label(name, unit), _lines(labels, values.reshape(len(values), -1)))]


def _lines(labels: Iterable[str], values: Any) -> list[Line]:
    return list(zip(labels, values.T, strict=True))


def _own_lines(axis: Axis, values: Any) -> list[Line]:
    """A line for each leg, actuator or joint."""
    return _lines(map(style.literal, axis.titles(values.shape[1])), values)


def _mark(axis: Axes, results: Results, name: str) -> bool:
    """Mark near limits (dashed) and singular times (grey); return whether there are any."""
    sizes = [results.units.of(unit)[0] for unit in results.quantity(name).units]
    stated: list[Any] = [
        contact_force_limit(results.summary)
        if limit == CONTACT_FORCE
        else limit.ends(results.robot)
        for limit in LIMITS
        if checked_quantity(limit, results.quantities) == name and limit.reduction is None
    ]
    ends = np.ravel(
        [0.0] if name in MARGINS else [np.divide(each, sizes) for each in stated if np.size(each)]
    )
    near = np.abs(ends) < 1.3 * np.abs(axis.get_ylim()).max()
    limits, times = np.unique(ends[near]), [point.time for point in results.singularities]
    for k, limit in enumerate(limits):
        axis.axhline(limit, color="black", ls="--", lw=0.9, label="_" * (k > 0) + "limit")
    for k, time in enumerate(times):
        axis.axvline(time, color="grey", ls=":", lw=1.2, label="_" * (k > 0) + "singular")
    return bool(len(limits) or times)
