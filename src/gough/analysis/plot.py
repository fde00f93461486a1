"""Quantities over time as figures: a line per leg, limits dashed, singular times dotted."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gough.analysis.limits import LIMITS
from gough.analysis.results import Quantity, Results
from gough.plots.style import LEG_COLOURS, words


def plot_quantity(results: Results, name: str) -> Figure:
    """One quantity over time: a line per leg, a panel per unit or direction, limits dashed."""
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
            axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=9)
        axis.grid(visible=True, linewidth=0.4, alpha=0.5)
        axis.margins(x=0)
    axes[-1].set_xlabel("time [s]")
    figure.suptitle(f"{results.name}: {quantity.meaning}", fontsize=11, parse_math=False)
    return figure


def _panels(quantity: Quantity) -> list[tuple[str, list[tuple[str, Any, str | None]]]]:
    """Lines of the same unit and direction together: unit, and label, values, colour of each."""
    values = quantity.values
    if values.ndim == 3:  # (T, 6, directions)
        last = [label.rsplit("_", 1)[1] for label in quantity.labels[: values.shape[2]]]
        return [
            (f"{quantity.unit}, {word}", _leg_lines(values[:, :, k])) for k, word in enumerate(last)
        ]
    if quantity.labels[-1].endswith("_6"):
        return [(quantity.unit, _leg_lines(values))]
    flat = values.reshape(len(values), -1)
    panels: dict[str, list[tuple[str, Any, str | None]]] = {}
    for label, unit, column in zip(quantity.labels, quantity.units, flat.T, strict=True):
        short = label.removeprefix(f"{quantity.name}_")
        panels.setdefault(unit, []).append((short, column, None))
    return list(panels.items())


def _leg_lines(values: Any) -> list[tuple[str, Any, str | None]]:
    return [(f"leg {k + 1}", values[:, k], LEG_COLOURS[k]) for k in range(6)]


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
    if name in ("force_index", "stroke_margin", "speed_margin"):
        return [0.0]
    ends = [limit.ends(results.robot) for limit in LIMITS if limit.quantity == name]
    both = np.array(ends).reshape(-1)
    return sorted(set(both[np.isfinite(both)].tolist()))
