"""The table of all points of a grid: the variations' values, the main figures, the warnings."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from gough.analysis.figures import figure_of, known_of
from gough.analysis.results import Scalar
from gough.arrays import Array
from gough.report.parts import Cell, Head, Row, Table
from gough.report.tables import heading_of, value_cell
from gough.report.text import sentence, short_text
from gough.studies.grid_results import GridFigure, GridResults

MAIN_FIGURES = (
    *("peak_force", "rms_force", "peak_power", "energy_spent", "least_force_index"),
    *("saturated_time", "least_stroke_margin", "least_travel_margin", "least_speed_margin"),
    *("peak_leg_speed", "peak_actuator_speed", "largest_condition", "samples_without_forces"),
)
"""The figures of the table, the most important first."""
_MOST_ROWS = 2000

Remark = tuple[str, str, Callable[[GridResults, int], Cell]]
"""A column of words on each point: heading, kind, and what makes a cell."""


def points_table(results: GridResults, count: int) -> Table:
    """A row for each point, to be sorted by any column."""
    figures = [
        results.figures[name]
        for name in known_of(MAIN_FIGURES, results)
        if results[name].any() or not figure_of(name).is_count
    ]
    heads = [
        *(Head(variation.name, variation.unit) for variation in results.variations),
        *(Head(heading_of(figure.name), figure.unit or "1") for figure in figures),
        *(Head(name, kind=kind) for name, kind, _ in _remarks(results)),
    ]
    values = [variation.numbers for variation in results.variations]
    rows = [_row(results, values, figures, k) for k in range(min(count, _MOST_ROWS))]
    note = f"The first {_MOST_ROWS} of {count} points; all are in the results' own files."
    return Table("All points", heads, rows, note if count > _MOST_ROWS else "")


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


def _row(
    results: GridResults, values: list[tuple[Any, ...]], figures: list[GridFigure], point: int
) -> Row:
    places = np.unravel_index(point, results.shape)
    chosen = [along[int(k)] for along, k in zip(values, places, strict=True)]
    cells = [Cell(_words(value), kind="named", order=str(value)) for value in chosen]
    for figure in figures:
        number = float(figure.values.reshape(-1)[point])
        cell = value_cell(Scalar(figure.name, figure.unit, "", number), number)
        cells.append(cell._replace(order=repr(number) if isfinite(number) else ""))
    cells += [cell(results, point) for *_, cell in _remarks(results)]
    return Row(cells, point=point)


def _remarks(results: GridResults) -> list[Remark]:
    """Those in which some point has something to say."""
    columns: list[Remark] = []
    if results.singularities.any() or any(results.errors):
        columns.append(("Singular", "", _singular_cell))
    if any(results.warnings) or any(results.errors):
        columns.append(("Warnings", "words", _warnings_cell))
    return columns


def _singular_cell(results: GridResults, point: int) -> Cell:
    if not_computed(results, point):
        return Cell("–", kind="none", order="")
    singular = str(int(results.singularities.reshape(-1)[point]))
    return Cell(singular, kind="" if singular == "0" else "alert", order=singular)


def _warnings_cell(results: GridResults, point: int) -> Cell:
    error = not_computed(results, point)
    if error:
        return Cell(f"Not computed: {error}", kind="words alert", order="-1")
    texts = results.warnings[point] if point < len(results.warnings) else ()
    if not texts:
        return Cell("–", kind="words none", order="0")
    first, *others = map(sentence, texts)
    everything = "\n".join(texts)
    return Cell(first, kind="words", order=str(len(texts)), hint=everything, more=tuple(others))


def _words(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return short_text(float(value), 6)
