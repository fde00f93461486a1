"""The page of a study with variations: warnings, charts along each variation, and all points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from gough.analysis.axes import SUFFIXES
from gough.analysis.figures import figure_of, known_of
from gough.analysis.included import forces_include
from gough.analysis.limits import limits_of
from gough.analysis.results import Scalar
from gough.analysis.storage import STUDY
from gough.analysis.ways import PEAK
from gough.arrays import Array
from gough.plots.names import actuator_names
from gough.report.assembly import assembled, inputs
from gough.report.envelope_table import envelope_table
from gough.report.grid_table import MAIN_FIGURES, point_name, points_table, shown_values
from gough.report.noise import grid_without_noise
from gough.report.packing import pack
from gough.report.parts import Card
from gough.report.tables import heading_of, is_alarming, title_of
from gough.report.text import heading_text, number_text, unit_text
from gough.sizing.envelope import envelope
from gough.studies.grid_results import GridFigure, GridResults

_STYLES = "theme.css layout.css tables.css charts.css grid.css print.css landscape.css".split()
_KEY_FIGURES = (
    *("peak_force", "peak_power", "least_force_index", "least_stroke_margin"),
    *("least_travel_margin", "least_speed_margin", "largest_condition"),
)
_MOST_CELLS = 40
"""So many cells a map may have, along and across."""
_MOST_NUMBERS = 250_000
"""How many numbers of figures a page may hold."""


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
        warnings=list(grid_warnings(results)),
        limits=results.limits,
        cards=_cards(results, count),
        points=points_table(results, count),
        envelope=envelope_table(envelope(results)),
        has_map=len(results.shape) > 1 and max(results.shape[:2]) <= _MOST_CELLS,
        study_file=STUDY,
        inputs=inputs(results.study),
        versions=results.versions,
    )


def grid_warnings(results: GridResults) -> Iterator[str]:
    """What a reader must know of all points together, the gravest first."""
    count = int(np.prod(results.shape))
    grave = list(_grave_warnings(results, count))
    yield from grave
    each = [set(texts) for texts in results.warnings]
    shared = set.intersection(*each) if each else set()
    yield from sorted(shared)
    others = sum(bool(texts - shared) for texts in each)
    if others and not grave:
        yield f"{others} of {count} points have warnings of their own: see the table of all points"


def _grave_warnings(results: GridResults, count: int) -> Iterator[str]:
    """How many points failed, are singular, or exceed a limit."""
    failed = [error for error in results.errors if error]
    if failed:
        yield f"{len(failed)} of {count} points could not be computed, the first: {failed[0]}"
    singular = int((results.singularities > 0).sum())
    if singular:
        yield (
            f"{singular} of {count} points meet singular configurations: forces have no bound "
            "there, and no figures of forces are given for these points"
        )
    name = "samples_without_forces"
    lost = int((results[name] > 0).sum()) if name in results else 0
    if lost:
        yield f"{lost} of {count} points have samples without forces: see the table of all points"
    for limit in limits_of(results.robot):
        figures = [limit.figure + kind for kind in SUFFIXES if limit.figure + kind in results]
        beyond = np.any([results[name] < 0 for name in figures], axis=0).sum() if figures else 0
        if beyond:
            yield f"{beyond} of {count} points {limit.passed_by_points}"


def _axes(results: GridResults) -> list[tuple[Any, int]]:
    return list(zip(results.variations, results.shape, strict=True))


def _data(results: GridResults, count: int) -> dict[str, Any]:
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


def _figures(results: GridResults, order: list[str], count: int) -> Iterator[dict[str, Any]]:
    """As many figures as the page may hold; then those of each leg."""
    left = max(1, _MOST_NUMBERS // count)
    chosen = order[:left]
    with_legs = set(chosen[: (left - len(chosen)) // len(results.robot.actuators)])
    for name in chosen:
        figure = results.figures[name]
        values, unit = shown_values(figure)
        per_leg = figure.per_leg if name in with_legs else None
        yield {
            "title": heading_of(name)
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
    """The flat number of the point where a figure is worst: the largest, or the least margin."""
    values = figure.values.reshape(-1)
    sign = -1.0 if figure_of(figure.name).worst == "min" else 1.0
    return int(np.argmax(np.where(np.isfinite(values), sign * values, -np.inf)))


def _best_point(results: GridResults, name: str) -> int | None:
    """The flat number of the feasible point where a figure is best, if one is."""
    best = results.best(name) if figure_of(name).worst else None
    return None if best is None else int(np.ravel_multi_index(best, results.shape))


def _cards(results: GridResults, count: int) -> list[Card]:
    cards = []
    for name in known_of(_KEY_FIGURES, results):
        if not np.isfinite(results[name]).any():
            continue
        figure = results.figures[name]
        k = _worst_point(figure)
        worst = Scalar(name, figure.unit, figure.meaning, float(figure.values.reshape(-1)[k]))
        cards.append(
            Card(
                f"Largest {title_of(name).lower()}"
                if figure_of(name).way is PEAK
                else title_of(name),
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


def _short(value: Any) -> Any:
    """A number without the noise of its last digits; words as they are."""
    if isinstance(value, float) and isfinite(value):
        return float(f"{value:.8g}")
    return value
