"""Quantities over time as figures: a line per actuator, limits dashed, singular times dotted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gough.analysis.axes import Axis
from gough.analysis.limits import MARGINS, limit_of
from gough.analysis.results import Quantity, Results
from gough.plots.style import line_colour, literal, with_grid, with_legend_beside, words

Line = tuple[str, Any, str | None]


def plot_quantity(results: Results, name: str) -> Figure:
    """One quantity over time: a line per actuator or joint, a panel per unit or direction."""
    quantity = results.quantity(name)
    panels = _panels(quantity)
    figure = Figure(figsize=(8, 1.8 + 2.4 * len(panels)), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (unit, columns) in zip(axes, panels, strict=True):
        for label, values, colour in columns:
            axis.plot(results.time, values, label=label, color=colour, linewidth=1.3)
        axis.set_ylabel(f"{words(name)} [{unit}]")
        _mark(axis, results, name)
        if len(columns) > 1:
            with_legend_beside(axis)
        with_grid(axis)
        axis.margins(x=0)
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(f"{results.name}: {quantity.meaning}", fontsize=11, parse_math=False)
    return figure


def _panels(quantity: Quantity) -> list[tuple[str, list[Line]]]:
    """Lines of the same unit and direction together: unit, and label, values, colour of each."""
    values, unit, axes = quantity.values, quantity.unit, quantity.axes
    if len(axes) == 1 and axes[0].of_machine:
        lines, units = _own_lines(axes[0], values), quantity.units
        return [(u, [l for l, v in zip(lines, units, strict=True) if v == u]) for u in _once(units)]
    if axes[:1] and axes[0].of_machine:
        names = axes[1].names(values.shape[2])
        return [(f"{unit}, {n}", _own_lines(axes[0], values[:, :, k])) for k, n in enumerate(names)]
    if parts := quantity.parts():
        return [(unit, _lines(part.labels, columns)) for part, unit, columns in parts]
    labels = [label.removeprefix(f"{quantity.name}_") for label in quantity.labels]
    return [(unit, _lines(labels, values.reshape(len(values), -1)))]


def _once(units: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(units))


def _lines(labels: Sequence[str], values: Any) -> list[Line]:
    return [(label, column, None) for label, column in zip(labels, values.T, strict=True)]


def _own_lines(axis: Axis, values: Any) -> list[Line]:
    """A line for each leg, actuator or joint, each in its own colour."""
    titles = axis.titles(values.shape[1])
    return [
        (literal(title), column, line_colour(k))
        for k, (title, column) in enumerate(zip(titles, values.T, strict=True))
    ]


def _mark(axis: Axes, results: Results, name: str) -> None:
    """Limits as dashed lines where the values come near them, singular times as grey ones."""
    low, high = axis.get_ylim()
    reach = 1.3 * max(abs(low), abs(high))
    for limit in _limits_of(results, name):
        if abs(limit) < reach:
            axis.axhline(limit, color="black", linestyle="--", linewidth=0.9)
    for point in results.singularities:
        axis.axvline(point.time, color="grey", linestyle=":", linewidth=1.2)


def _limits_of(results: Results, name: str) -> list[float]:
    if name in MARGINS:
        return [0.0]
    limit = limit_of(name)
    both = np.array(limit.ends(results.robot) if limit else []).reshape(-1)
    return sorted(set(both[np.isfinite(both)].tolist()))
