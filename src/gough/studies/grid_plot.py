"""Figures of a study over its variations."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from gough.plots.style import line_colour, literal, with_grid, with_legend_beside, words
from gough.studies.grid_results import GridResults
from gough.studies.variations import Variation


def plot_figure(results: GridResults, name: str) -> Figure:
    """One figure over the first variation; lines for the next one, or for legs or joints.

    Any others stay at their first values, which the title names.
    """
    found = results.figure(name)
    first, *others = results.variations
    figure = Figure(figsize=(7.5, 4.4), layout="constrained")
    axis = figure.subplots()
    numbers = [literal(v) if isinstance(v, str) else v for v in first.numbers]
    for label, values, colour in _grid_lines(results, name):
        axis.plot(numbers, values, "o-", label=literal(label), color=colour, markersize=4)
    axis.set_xlabel(first.heading, parse_math=False)
    axis.set_ylabel(f"{words(name)} [{found.unit}]")
    with_grid(axis)
    places = "joint" if found.labels else "leg"
    with_legend_beside(axis, literal(others[0].heading) if others else places)
    fixed = ", ".join(map(_first_value, others[1:]))
    title = f"{results.name}: {found.meaning}"
    figure.suptitle(f"{title}\nat {fixed}" if fixed else title, fontsize=11, parse_math=False)
    return figure


def _first_value(variation: Variation) -> str:
    """As "mass 100 kg"."""
    number = variation.numbers[0]
    shown = f"{number:g}" if isinstance(number, float) else number
    return f"{variation.name} {shown} {variation.unit}".rstrip()


def _grid_lines(results: GridResults, name: str) -> list[tuple[str, Any, str | None]]:
    found = results.figure(name)
    if len(results.variations) == 1:
        if found.per_leg is None:
            return [("machine", found.values, None)]
        names = found.labels or range(1, found.per_leg.shape[-1] + 1)
        return [
            (str(name), values, line_colour(k))
            for k, (name, values) in enumerate(zip(names, found.per_leg.T, strict=True))
        ]
    second = results.variations[1]
    table = found.values.reshape(*found.values.shape[:2], -1)[..., 0]  # the first of all others
    return [(str(value), table[:, k], line_colour(k)) for k, value in enumerate(second.numbers)]
