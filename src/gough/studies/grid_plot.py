"""Figures of a study over its variations: lines along numbers, bars for what has no order, maps.

In a map of two variations unfeasible points are crossed, and the best one is ringed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gough.analysis.figures import figure_of
from gough.arrays import Array
from gough.digits import short_decimal
from gough.disk.plain_data import PlainMapping
from gough.errors import GoughError
from gough.fields.changes import number_and_unit
from gough.plots import style
from gough.plots.pictures import single_axes
from gough.studies.grid_results import GridFigure, GridResults, best_place
from gough.studies.variations import Variation, number_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BARS = 0.8  # width of all bars of a value together; the values are 1 apart
_LETTERS = 60  # number of letters of the values' names that fit side by side
_CELL = 0.8  # width of a cell [inch]
_WRITTEN = 12  # numbers are written into cells of up to so many columns


class GridCut(NamedTuple):
    """A part of a grid to draw: one or two variations, while the others stay."""

    drawn: tuple[int, ...]  # the numbers of the variations along which the figure goes
    places: dict[int, int]  # place of the value that each other variation has

    def of(self, values: Array) -> Array:
        """That part of an array over the whole grid."""
        count = len(self.drawn) + len(self.places)
        return np.asarray(values[tuple(self.places.get(k, slice(None)) for k in range(count))])

    def words(self, variations: tuple[Variation, ...]) -> str:
        """The variations that stay: "mass 100 kg"."""
        return ", ".join(variations[k].words(place) for k, place in sorted(self.places.items()))


def cut_of(variations: tuple[Variation, ...], at: PlainMapping) -> GridCut:
    """The first two variations that `at` gives no value; any others stay at their first values."""
    known = [variation.name for variation in variations]
    if unknown := [name for name in at if name not in known]:
        raise GoughError(f"no variation {unknown[0]!r}; expected some of {', '.join(known)}")
    free = [k for k, name in enumerate(known) if name not in at]
    if not free:
        raise GoughError(f"all of {', '.join(known)} are given; expected one that varies")
    places = {k: _place(variations[k], at[n]) for k, n in enumerate(known) if n in at}
    return GridCut(tuple(free[:2]), places | dict.fromkeys(free[2:], 0))


def plot_figure(
    results: GridResults, name: str, at: PlainMapping | None = None, ax: Axes | None = None
) -> Axes:
    """Plot one figure over a variation; lines or bars for the next one, or for legs or joints.

    Variations that `at` names stay at the values given there. Of the others the first two are
    drawn, and any more stay at their first values. The title lists these.
    """
    found = results.figure(name).in_units(results.units)
    cut = cut_of(results.variations, at or {})
    first, *others = (results.variations[k] for k in cut.drawn)
    axis = single_axes(ax, (7.5, 4.4))
    rows = _rows(results, found, cut)
    if all(isinstance(value, int | float) for value in first.numbers):
        order = np.argsort(first.numbers)
        x = np.array(first.numbers)[order]
        for k, (label, values) in enumerate(rows.items()):
            look = {"label": style.literal(label), **style.line_look(k)}
            axis.plot(x, values[order], marker="o", markersize=4, **look)
    else:
        _draw_bars(axis, first, rows)
    axis.set_xlabel(first.heading, parse_math=False)
    axis.set_ylabel(style.axis_label(style.words(name), found.unit))
    style.with_grid(axis)
    places = "joint" if found.labels else "leg"
    style.with_legend_beside(axis, style.literal(others[0].heading) if others else places)
    if ax is None:
        style.titled(axis, _title(results, name, cut))
    return axis


def _title(results: GridResults, name: str, cut: GridCut) -> str:
    title, fixed = f"{results.name}: {results.figure(name).meaning}", cut.words(results.variations)
    return f"{title}\nat {fixed}" if fixed else title


def _rows(results: GridResults, found: GridFigure, cut: GridCut) -> dict[str, Array]:
    """Values along the first variation, by what they belong to."""
    if len(cut.drawn) == 2:
        labels = map(number_words, results.variations[cut.drawn[1]].numbers)
        return dict(zip(labels, cut.of(found.values).T, strict=True))
    if found.per_leg is None:
        return {"machine": cut.of(found.values)}
    labels = map(str, found.labels or range(1, found.per_leg.shape[-1] + 1))
    return dict(zip(labels, cut.of(found.per_leg).T, strict=True))


def _draw_bars(axis: Axes, along: Variation, rows: dict[str, Array]) -> None:
    """A group of bars for each value: between them there is nothing to join."""
    places, width = np.arange(len(along.numbers)), _BARS / len(rows)
    for k, (label, values) in enumerate(rows.items()):
        x = places + (k - (len(rows) - 1) / 2) * width
        axis.bar(x, values, width, label=style.literal(label), color=style.line_colour(k))
    names = _names(along)
    long = sum(map(len, names)) > _LETTERS
    axis.set_xticks(places, names, rotation=30 if long else 0, ha="right" if long else "center")


def _place(variation: Variation, value: object) -> int:
    """Which of a variation's values is asked for, as it is shown, with or without its unit."""
    pair = number_and_unit(value)
    wanted = pair[0] if pair and pair[1] in ("", variation.unit) else value
    for k, number in enumerate(variation.numbers):
        if number == wanted or str(number) == str(value):
            return k
    known = ", ".join(map(number_words, variation.numbers))
    raise GoughError(f"no value {value} of {variation.name!r}; expected one of {known}")


def map_figure(
    results: GridResults, name: str, at: PlainMapping | None = None, ax: Axes | None = None
) -> Axes:
    """Plot one figure over the first two variations that `at` leaves free."""
    found = results.figure(name).in_units(results.units)
    cut = cut_of(results.variations, at or {})
    if len(cut.drawn) < 2:
        raise GoughError("a map needs two variations that vary; expected fewer in `at`, or a plot")
    down, along = (results.variations[k] for k in cut.drawn)
    values, feasible = cut.of(found.values), cut.of(results.feasible)
    size = (2.6 + _CELL * min(len(along.values), 16), 1.9 + 0.5 * min(len(down.values), 16))
    axis = single_axes(ax, size)
    drawn = axis.imshow(values, cmap="Blues", aspect="auto")
    axis.figure.colorbar(drawn, ax=axis, label=style.axis_label(style.words(name), found.unit))
    if values.shape[1] <= _WRITTEN:
        middle = (np.nanmin(values) + np.nanmax(values)) / 2
        for (row, column), value in np.ndenumerate(values):
            if np.isfinite(value):
                text, colour = short_decimal(value, 3), "white" if value > middle else "black"
                axis.text(column, row, text, ha="center", va="center", color=colour)
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
    if ax is None:
        marks = "crossed: not feasible; ringed: the best of the feasible points shown"
        style.titled(axis, f"{_title(results, name, cut)}\n{marks}")
    return axis


def _names(variation: Variation) -> list[str]:
    return [style.literal(number_words(number)) for number in variation.numbers]
