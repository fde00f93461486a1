"""The page of a study with variations: warnings, charts along each variation, and all points."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.figures import figure_of, known_of
from gough.analysis.included import forces_include
from gough.analysis.reductions import PEAK
from gough.analysis.results import Scalar
from gough.analysis.storage import STUDY
from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.display.table import Cell, Head, Table, TableRow
from gough.report.assembly import assembled, inputs
from gough.report.packing import pack
from gough.report.tables import (
    Card,
    grid_without_noise,
    heading_of,
    is_alarming,
    title_of,
    units_of,
    value_cell,
)
from gough.report.text import heading_text, number_text, sentence, short_text, unit_text
from gough.robot.description import actuator_names
from gough.sizing.envelope import envelope
from gough.studies.grid_results import GridFigure, GridResults

MAIN_FIGURES = (
    *("peak_force", "rms_force", "peak_power", "energy_spent", "minimum_force_margin"),
    *("saturated_time", "minimum_stroke_margin", "minimum_travel_margin", "minimum_speed_margin"),
    *("peak_leg_speed", "peak_actuator_speed", "maximum_condition", "samples_without_forces"),
)
"""The figures of the table, the most important first."""
_MOST_ROWS = 2000

Remark = tuple[str, str, Callable[[GridResults, int], Cell]]
"""A column of words on each point: heading, kind, and what makes a cell."""

_STYLES = "theme.css layout.css tables.css charts.css grid.css print.css landscape.css".split()
_KEY_FIGURES = (
    *("peak_force", "peak_power", "minimum_force_margin", "minimum_stroke_margin"),
    *("minimum_travel_margin", "minimum_speed_margin", "maximum_condition"),
)
_MOST_CELLS = 40
"""Maximum number of cells of a map, along and across."""
_MOST_NUMBERS = 250_000
"""Maximum number of numbers of figures in a page."""


def grid_page(results: GridResults, date: str = "") -> str:
    """The report as one HTML text."""
    results = replace(results, figures=grid_without_noise(results.figures))
    count = int(np.prod(results.shape))
    axes = " × ".join(f"{size} {v.name}" for v, size in _axes(results))
    facts = {"Robot": results.robot.name, "Points": str(count), "Grid": axes, "Date": date}
    facts |= forces_include(results.robot).texts()
    return assembled(
        "grid.html",
        _STYLES,
        "grid",
        data=_data(results, count),
        title=results.name,
        robot=results.robot.name,
        subtitle=results.notes,
        facts=facts,
        warnings=results.remarks(),
        limits=results.limits,
        cards=_cards(results, count),
        points=points_table(results, count),
        envelope=envelope(results).tables()[0],
        has_map=len(results.shape) > 1 and max(results.shape[:2]) <= _MOST_CELLS,
        study_file=STUDY,
        inputs=inputs(results.study),
        versions=results.versions,
    )


def _axes(results: GridResults) -> list[tuple[Any, int]]:
    return list(zip(results.variations, results.shape, strict=True))


def _data(results: GridResults, count: int) -> PlainData:
    variations = []
    for variation in results.variations:
        numeric = all(isinstance(value, int | float) for value in variation.numbers)
        variations.append(
            {
                "name": variation.name,
                "unit": unit_text(variation.unit) if variation.unit else "",
                "values": [_short(value) for value in variation.numbers],
                "numeric": numeric,
            }
        )
    order = _order(results)
    return {
        "variations": variations,
        "figures": list(_figures(results, order, count)),
        "singular": np.asarray(results.singularities).reshape(-1).astype(int).tolist(),
        "feasible": results.feasible.reshape(-1).astype(int).tolist(),
        "start": _worst_point(results.figures[order[0]]) if order else 0,
    }


def _order(results: GridResults) -> list[str]:
    """Figures in order of importance; those without a number at any point come last."""
    order = known_of(MAIN_FIGURES, results)
    order += [name for name in results.figures if name not in order]
    return sorted(order, key=lambda name: not np.isfinite(results.figures[name].values).any())


def _figures(results: GridResults, order: list[str], count: int) -> Iterator[PlainData]:
    """Yield as many figures as the page may hold; then those of each leg."""
    left = max(1, _MOST_NUMBERS // count)
    chosen = order[:left]
    with_legs = set(chosen[: (left - len(chosen)) // len(results.robot.actuators)])
    units = units_of(results.figures)
    for name in chosen:
        figure = results.figures[name]
        values, unit = shown_values(figure)
        per_leg = figure.per_leg if name in with_legs else None
        yield {
            "title": heading_of(name, units)
            if figure_of(name).name in MAIN_FIGURES
            else heading_text(name),
            "unit": unit_text(unit),
            "packed": pack(values.reshape(1, -1)),
            "best": _best_point(results, name),
            "per_leg": None if per_leg is None else pack(_rows(per_leg, figure.unit)),
            "labels": list(figure.labels or actuator_names(results.robot).titles),
        }


def _rows(per_leg: Array, unit: str) -> Array:
    """(legs, points), with angles in degrees."""
    rows = np.moveaxis(per_leg, -1, 0).reshape(per_leg.shape[-1], -1)
    return np.degrees(rows) if unit == "rad" else rows


def _worst_point(figure: GridFigure) -> int:
    """Return the flat index of the worst point of a figure: the maximum, or the minimum margin."""
    values = figure.values.reshape(-1)
    sign = -1.0 if figure_of(figure.name).worst == "min" else 1.0
    return int(np.argmax(np.where(np.isfinite(values), sign * values, -np.inf)))


def _best_point(results: GridResults, name: str) -> int | None:
    """The flat number of the feasible point where a figure is best, if one is."""
    best = results.best(name) if figure_of(name).worst else None
    return None if best is None else int(np.ravel_multi_index(best, results.shape))


def _cards(results: GridResults, count: int) -> list[Card]:
    cards, units = [], units_of(results.figures)
    for name in known_of(_KEY_FIGURES, results):
        if not np.isfinite(results[name]).any():
            continue
        figure = results.figures[name]
        k = _worst_point(figure)
        worst = Scalar(name, figure.unit, figure.meaning, float(figure.values.reshape(-1)[k]))
        cards.append(
            Card(
                f"Maximum {title_of(name, units).lower()}"
                if figure_of(name).reduction is PEAK
                else title_of(name, units),
                number_text(worst.value),
                figure.unit,
                f"at {point_name(results, k)}",
                alarming=is_alarming(worst),
            )
        )
    singular = int((results.singularities > 0).sum())
    computed = count - sum(map(bool, results.errors))
    words = f"of {count}" if computed == count else f"of {computed} that were computed"
    title = "Points with singular configurations"
    return [*cards, Card(title, str(singular), below=words, alarming=singular > 0)]


def _short(value: ArrayLike) -> Any:
    """A number without the noise of its last digits; words as they are."""
    if isinstance(value, float) and isfinite(value):
        return float(f"{value:.8g}")
    return value


def points_table(results: GridResults, count: int) -> Table:
    """A row for each point, to be sorted by any column."""
    figures = [
        results.figures[name]
        for name in known_of(MAIN_FIGURES, results)
        if results[name].any() or not figure_of(name).is_count
    ]
    units = units_of(results.figures)
    heads = [
        *(Head(variation.name, variation.unit) for variation in results.variations),
        *(Head(heading_of(figure.name, units), figure.unit or "1") for figure in figures),
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
) -> TableRow:
    places = np.unravel_index(point, results.shape)
    chosen = [along[int(k)] for along, k in zip(values, places, strict=True)]
    cells = [Cell(_words(value), kind="named", order=str(value)) for value in chosen]
    for figure in figures:
        number = float(figure.values.reshape(-1)[point])
        cell = value_cell(Scalar(figure.name, figure.unit, "", number), number)
        cells.append(cell._replace(order=repr(number) if isfinite(number) else ""))
    cells += [cell(results, point) for *_, cell in _remarks(results)]
    return TableRow(cells, point=point)


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


def _words(value: ArrayLike) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return short_text(float(value), 6)
