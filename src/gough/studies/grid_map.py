"""A figure over two variations in colours: unfeasible points crossed, the best one ringed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gough.analysis.figures import figure_of
from gough.digits import short_decimal
from gough.errors import GoughError
from gough.plots.style import axis_label, literal, titled, words
from gough.studies.grid_plot import cut_of
from gough.studies.grid_results import GridResults, best_place
from gough.studies.variations import Variation, number_words

_CELL = 0.8
"""Of a cell, its width [inch]."""
_WRITTEN = 12
"""Numbers are written into cells of up to so many columns."""


def map_figure(results: GridResults, name: str, at: Mapping[str, Any] | None = None) -> Figure:
    """One figure over the first two variations that `at` leaves free."""
    found, cut = results.figure(name), cut_of(results.variations, at or {})
    if len(cut.drawn) < 2:
        raise GoughError("a map needs two variations that vary; expected fewer in `at`, or a plot")
    down, along = (results.variations[k] for k in cut.drawn)
    values, feasible = cut.of(found.values), cut.of(results.feasible)
    size = (2.6 + _CELL * min(len(along.values), 16), 1.9 + 0.5 * min(len(down.values), 16))
    figure = Figure(figsize=size, layout="constrained")
    axis = figure.subplots()
    drawn = axis.imshow(values, cmap="Blues", aspect="auto")
    figure.colorbar(drawn, ax=axis, label=axis_label(words(name), found.unit))
    _write(axis, values)
    i, j = np.nonzero(feasible == 0)
    axis.plot(j, i, "x", color="orangered", markersize=24, markeredgewidth=1.8)
    best = best_place(name, values, feasible) if figure_of(name).worst else None
    if best is not None:
        axis.plot(best[1], best[0], "o", mfc="none", mec="darkorange", markersize=27, mew=2.2)
    for ticks, variation, label in (
        (axis.set_xticks, along, axis.set_xlabel),
        (axis.set_yticks, down, axis.set_ylabel),
    ):
        ticks(range(len(variation.values)), _names(variation))
        label(variation.heading, parse_math=False)
    title, fixed = f"{results.name}: {found.meaning}", cut.words(results.variations)
    told = "crossed: not feasible; ringed: the best of the feasible points shown"
    titled(figure, "\n".join(filter(None, (title, f"at {fixed}" if fixed else "", told))))
    return figure


def _names(variation: Variation) -> list[str]:
    return [literal(number_words(number)) for number in variation.numbers]


def _write(axis: Axes, values: Any) -> None:
    """The numbers in the cells, where these are wide enough."""
    if values.shape[1] > _WRITTEN:
        return
    middle = (np.nanmin(values) + np.nanmax(values)) / 2
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            colour = "white" if value > middle else "black"
            axis.text(j, i, short_decimal(value, 3), ha="center", va="center", color=colour)
