"""Quantities over time as figures: a line per actuator, limits dashed, singular times dotted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis import limits
from gough.analysis.results import Results
from gough.plots import style
from gough.plots.pictures import several_axes, stacked_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_quantity(
    results: Results, name: str, ax: Axes | Sequence[Axes] | None = None
) -> list[Axes]:
    """Plot one quantity over time: a line per actuator or joint, a panel per unit or direction."""
    quantity = results.quantity(name).in_units(results.units)
    panels, words = quantity.lines(), style.words(name)
    axes = several_axes(ax, len(panels), lambda: stacked_axes(len(panels), 8, 2.4, 1.8))
    alike = len({lines.labels for lines in panels}) == 1
    for axis, lines in zip(axes, panels, strict=True):
        for k, (label, values) in enumerate(zip(lines.labels, lines.values.T, strict=True)):
            look = {"label": style.literal(label), "linewidth": 1.3, **style.line_look(k)}
            axis.plot(results.time, values, **look)
        heading = ", ".join(filter(None, (words, lines.part)))
        axis.set_ylabel(style.axis_label(heading, lines.unit))
        marked = _mark(axis, results, name)
        if (marked or len(lines.labels) > 1) and (axis is axes[0] or not alike):
            style.with_legend_beside(axis)
        style.with_grid(axis)
        axis.margins(x=0)
    axes[-1].set_xlabel("time [s]")
    if ax is None:
        style.titled(axes, f"{results.name}: {quantity.meaning}")
    return axes


def _mark(axis: Axes, results: Results, name: str) -> bool:
    """Mark near limits (dashed) and singular times (grey); return whether there are any."""
    sizes = [results.units.of(unit)[0] for unit in results.quantity(name).units]
    stated: list[Any] = [
        limits.contact_force_limit(results.summary)
        if limit == limits.CONTACT_FORCE
        else limit.ends(results.robot)
        for limit in limits.LIMITS
        if limits.checked_quantity(limit, results.quantities) == name and limit.reduction is None
    ]
    shown = [np.divide(each, sizes) for each in stated if np.size(each)]
    ends = np.ravel([0.0] if name in limits.MARGINS else shown)
    near = np.abs(ends) < 1.3 * np.abs(axis.get_ylim()).max()
    marks, times = np.unique(ends[near]), [point.time for point in results.singularities]
    for k, mark in enumerate(marks):
        axis.axhline(mark, color="black", ls="--", lw=0.9, label="_" * (k > 0) + "limit")
    for k, time in enumerate(times):
        axis.axvline(time, color="grey", ls=":", lw=1.2, label="_" * (k > 0) + "singular")
    return bool(len(marks) or times)
