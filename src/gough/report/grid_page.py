"""The page of a study with variations: warnings, charts along each variation, and all points."""

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.analysis.figures import figure_of, known_of
from gough.analysis.limits import forces_include
from gough.analysis.reductions import PEAK
from gough.analysis.results import Scalar
from gough.analysis.storage import STUDY
from gough.disk.plain_data import PlainData
from gough.display.table import Cell, Head, Table, TableRow
from gough.report import tables, text
from gough.report.assembly import assembled, inputs
from gough.report.packing import pack
from gough.robot import actuator_names
from gough.sizing.envelope import envelope
from gough.studies.grid_results import GridFigure, GridResults

MAIN_FIGURES = (
    *("peak_force", "rms_force", "peak_power", "energy_spent", "minimum_force_margin"),
    *("saturated_time", "minimum_stroke_margin", "minimum_travel_margin", "minimum_speed_margin"),
    *("peak_leg_speed", "peak_actuator_speed", "maximum_condition", "samples_without_forces"),
)
"""The figures of the table, the most important first."""
_MOST_ROWS = 2000

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
    results = replace(results, figures=tables.grid_without_noise(results.figures))
    count = int(np.prod(results.shape))
    sizes = zip(results.variations, results.shape, strict=True)
    axes = " × ".join(f"{size} {variation.name}" for variation, size in sizes)
    facts = {"Robot": results.robot.name, "Points": str(count), "Grid": axes, "Date": date}
    facts |= forces_include(results.robot, results.study).texts()
    heads, columns = zip(*_columns(results, range(min(count, _MOST_ROWS))), strict=True)
    rows = [TableRow(cells, point=k) for k, cells in enumerate(zip(*columns, strict=True))]
    note = f"The first {_MOST_ROWS} of {count} points; all are in the results' own files."
    return assembled(
        "grid",
        data=_data(results, count),
        title=results.name,
        robot=results.robot.name,
        subtitle=results.notes,
        facts=facts,
        warnings=results.remarks(),
        limits=results.limits,
        cards=_cards(results, count),
        points=Table("All points", heads, rows, note if count > _MOST_ROWS else ""),
        envelope=envelope(results).tables()[0],
        has_map=len(results.shape) > 1 and max(results.shape[:2]) <= _MOST_CELLS,
        study_file=STUDY,
        inputs=inputs(results.study),
        versions=results.versions,
    )


def _data(results: GridResults, count: int) -> PlainData:
    order = _order(results)
    return {
        "variations": [
            {
                "name": variation.name,
                "unit": text.unit_text(variation.unit) if variation.unit else "",
                "values": [_without_last_digits(value) for value in variation.numbers],
                "numeric": all(isinstance(value, int | float) for value in variation.numbers),
            }
            for variation in results.variations
        ],
        "figures": list(_figures(results, order, count)),
        "singular": np.asarray(results.singularities).reshape(-1).astype(int).tolist(),
        "feasible": results.feasible.reshape(-1).astype(int).tolist(),
        "start": _worst_point(results.figures[order[0]])[0] if order else 0,
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
    units = tables.units_of(results.figures)
    for name in chosen:
        figure = results.figures[name]
        values, unit = text.as_read(figure.values, figure.unit, results.units)
        per_leg = figure.per_leg if name in with_legs else None
        best = results.best(name) if figure_of(name).worst else None
        yield {
            "title": tables.heading_of(name, units)
            if figure_of(name).name in MAIN_FIGURES
            else text.heading_text(name),
            "unit": text.unit_text(unit),
            "packed": pack(values.reshape(1, -1)),
            "best": None if best is None else int(np.ravel_multi_index(best, results.shape)),
            "per_leg": None
            if per_leg is None
            else pack(
                text.as_read(np.moveaxis(per_leg, -1, 0), figure.unit, results.units)[0].reshape(
                    per_leg.shape[-1], -1
                )
            ),
            "labels": list(figure.labels or actuator_names(results.robot).titles),
        }


def _worst_point(figure: GridFigure) -> tuple[int, float]:
    """Return the flat index and the value of the worst point: the maximum, or minimum margin."""
    values = figure.values.reshape(-1)
    sign = -1.0 if figure_of(figure.name).worst == "min" else 1.0
    worst = int(np.argmax(np.where(np.isfinite(values), sign * values, -np.inf)))
    return worst, float(values[worst])


def _cards(results: GridResults, count: int) -> list[tables.Card]:
    cards, units = [], tables.units_of(results.figures)
    for name in known_of(_KEY_FIGURES, results):
        if not np.isfinite(results[name]).any():
            continue
        figure = results.figures[name].in_units(results.units)
        point, worst = _worst_point(figure)
        title = tables.title_of(name, units)
        title = f"Maximum {title.lower()}" if figure_of(name).reduction is PEAK else title
        alarming = tables.is_alarming(Scalar(name, figure.unit, figure.meaning, worst))
        below = f"at {_point_name(results, point)}"
        cards.append(
            tables.Card(title, text.number_text(worst), figure.unit, below, alarming=alarming)
        )
    singular = int((results.singularities > 0).sum())
    computed = count - sum(map(bool, results.errors))
    words = f"of {count}" if computed == count else f"of {computed} that were computed"
    title = "Points with singular configurations"
    return [*cards, tables.Card(title, str(singular), below=words, alarming=singular > 0)]


def _without_last_digits(value: ArrayLike) -> Any:
    """A number without the noise of its last digits; words as they are."""
    return float(f"{value:.8g}") if isinstance(value, float) and isfinite(value) else value


def _columns(results: GridResults, points: range) -> Iterator[tuple[Head, list[Cell]]]:
    """Yield variations and main figures of points, and remarks if some point has any."""
    places = np.unravel_index(points, results.shape)
    for variation, at in zip(results.variations, places, strict=True):
        chosen = [variation.numbers[int(k)] for k in at]
        cells = [Cell(_words(value), kind="named", order=str(value)) for value in chosen]
        yield Head(variation.name, variation.unit), cells
    units = tables.units_of(results.figures)
    for name in known_of(MAIN_FIGURES, results):
        if results[name].any() or not figure_of(name).is_count:
            figure = results.figures[name].in_units(results.units)
            numbers = figure.values.reshape(-1)[points].tolist()
            head = Head(tables.heading_of(name, units), figure.unit or "1")
            yield head, [_figure_cell(figure, number) for number in numbers]
    if results.singularities.any() or any(results.errors):
        yield Head("Singular"), [_singular_cell(results, k) for k in points]
    if any(results.warnings) or any(results.errors):
        yield Head("Warnings", kind="words"), [_warnings_cell(results, k) for k in points]


def _point_name(results: GridResults, point: int) -> str:
    """The point in words: "height 2 ft, period 5 s"."""
    places = np.unravel_index(point, results.shape)
    return ", ".join(
        f"{v.name} {_words(v.numbers[int(k)])} {v.unit}".strip()
        for v, k in zip(results.variations, places, strict=True)
    )


def _figure_cell(figure: GridFigure, number: float) -> Cell:
    cell = tables.value_cell(Scalar(figure.name, figure.unit, "", number), number)
    return cell._replace(order=repr(number) if isfinite(number) else "")


def _singular_cell(results: GridResults, point: int) -> Cell:
    if results.errors[point]:
        return Cell("–", kind="none", order="")
    singular = str(int(results.singularities.reshape(-1)[point]))
    return Cell(singular, kind="" if singular == "0" else "alert", order=singular)


def _warnings_cell(results: GridResults, point: int) -> Cell:
    if results.errors[point]:
        return Cell(f"Not computed: {results.errors[point]}", kind="words alert", order="-1")
    texts = results.warnings[point] if point < len(results.warnings) else ()
    if not texts:
        return Cell("–", kind="words none", order="0")
    first, *others = map(text.sentence, texts)
    everything = "\n".join(texts)
    return Cell(first, kind="words", order=str(len(texts)), hint=everything, more=tuple(others))


def _words(value: ArrayLike) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return text.short_text(float(value), 6)
