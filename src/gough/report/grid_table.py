"""The table of all points of a grid: the variations' values, the main figures, the warnings."""

from __future__ import annotations

from html import escape
from math import isfinite
from typing import Any

import numpy as np

from gough.analysis.figures import figure_of
from gough.analysis.results import Scalar
from gough.report.tables import heading_of, value_cell
from gough.report.text import sentence, short_text, unit_tag
from gough.studies.grid_results import GridFigure, GridResults

Array = np.ndarray[Any, np.dtype[np.float64]]

MAIN_FIGURES = (
    *("peak_force", "rms_force", "peak_power", "energy_spent", "least_force_index"),
    *("saturated_time", "least_stroke_margin", "least_speed_margin", "peak_leg_speed"),
    *("largest_condition", "samples_without_forces"),
)
"""The figures of the table, the most important first."""
_MOST_ROWS = 2000


def points_table(results: GridResults, count: int) -> str:
    """A row for each point, to be sorted by any column."""
    figures = [
        results.figures[name]
        for name in MAIN_FIGURES
        if name in results and (results[name].any() or not figure_of(name).is_count)
    ]
    heads = [_head(variation.name, variation.unit) for variation in results.variations]
    heads += [_head(heading_of(figure.name), figure.unit or "1") for figure in figures]
    heads += [_head("Singular", ""), _head("Warnings", "", "words")]
    values = [variation.numbers for variation in results.variations]
    rows = [_row(results, values, figures, k) for k in range(min(count, _MOST_ROWS))]
    note = ""
    if count > _MOST_ROWS:
        note = (
            f"<p>The first {_MOST_ROWS} of {count} points; all are in the results' own files.</p>"
        )
    return (
        f'<div class="card table-card all-points"><table class="all"><thead><tr>{"".join(heads)}'
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>{note}"
    )


def point_name(results: GridResults, point: int) -> str:
    """The point in words: "height 2 ft, period 5 s"."""
    places = np.unravel_index(point, results.shape)
    return ", ".join(
        f"{v.name} {_words(v.numbers[int(k)])} {v.unit}".strip()
        for v, k in zip(results.variations, places, strict=True)
    )


def not_computed(results: GridResults, point: int) -> str:
    """Why a point has no figures; empty if it has."""
    return results.errors[point] if point < len(results.errors) else ""


def shown_values(figure: GridFigure) -> tuple[Array, str]:
    """A figure's values and unit as people read them: angles in degrees."""
    if figure.unit == "rad":
        return np.degrees(figure.values), "deg"
    return np.asarray(figure.values, dtype=float), figure.unit


def _head(title: str, unit: str, kind: str = "") -> str:
    tag = f" {unit_tag(unit)}" if unit else ""
    return (
        f'<th scope="col" class="{kind}"><button type="button">{escape(title)}</button>{tag}</th>'
    )


def _row(
    results: GridResults, values: list[tuple[Any, ...]], figures: list[GridFigure], point: int
) -> str:
    places = np.unravel_index(point, results.shape)
    cells = []
    for along, k in zip(values, places, strict=True):
        value = along[int(k)]
        words = escape(_words(value))
        cells.append(f'<td class="named" data-value="{escape(str(value))}">{words}</td>')
    for figure in figures:
        number = float(figure.values.reshape(-1)[point])
        cell = value_cell(Scalar(figure.name, figure.unit, "", number), number)
        sortable = f' data-value="{number!r}"' if isfinite(number) else ' data-value=""'
        cells.append(cell.replace("<td", f"<td{sortable}", 1))
    cells.append(_singular_cell(results, point))
    cells.append(_warnings_cell(results, point))
    return f'<tr data-point="{point}">{"".join(cells)}</tr>'


def _singular_cell(results: GridResults, point: int) -> str:
    if not_computed(results, point):
        return '<td class="none" data-value="">–</td>'
    singular = int(results.singularities.reshape(-1)[point])
    alarm = ' class="alert"' if singular else ""
    return f'<td data-value="{singular}"{alarm}>{singular}</td>'


def _warnings_cell(results: GridResults, point: int) -> str:
    error = not_computed(results, point)
    if error:
        return f'<td class="words alert" data-value="-1">Not computed: {escape(error)}</td>'
    texts = results.warnings[point] if point < len(results.warnings) else ()
    if not texts:
        return '<td class="words none" data-value="0">–</td>'
    first, others = sentence(texts[0]), [sentence(text) for text in texts[1:]]
    tail = f' <small class="for-screen">and {len(others)} more</small>' if others else ""
    tail += f' <span class="for-paper">{" ".join(others)}</span>' if others else ""
    everything = escape("\n".join(texts))
    return f'<td class="words" data-value="{len(texts)}" title="{everything}">{first}{tail}</td>'


def _words(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return short_text(float(value), 6)
