"""The page of several simulations: their figures in a table, their errors and forces in charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import numpy as np

from gough.analysis.figures import figure_of
from gough.analysis.results import Results, Scalar
from gough.arrays import Array
from gough.report.assembly import assembled, inputs
from gough.report.packing import pack
from gough.report.parts import Card, Cell, Head, Row, Table
from gough.report.scene import FINE
from gough.report.tables import as_shown, heading_of, title_of, value_cell, worst_of
from gough.report.text import heading_text, number_text, time_text, unit_text
from gough.report.thinning import thin, thin_times
from gough.studies.comparison import Comparison
from gough.studies.file_names import REPORT

_STYLES = "theme.css layout.css tables.css charts.css grid.css print.css landscape.css".split()
_MOST_CARDS = 6


def comparison_page(found: Comparison, date: str = "") -> str:
    """The report as one HTML text; it leads to those of the cases, in folders beside it."""
    first = next(iter(found.values()))
    figures = [as_shown(figure) for figure in found.figures()]
    facts = {
        "Robot": first.robot.name,
        "Cases": str(len(found)),
        "Duration": time_text(float(_longest(found).time[-1])),
        "Date": date,
    }
    return assembled(
        "comparison.html",
        _STYLES,
        "comparison",
        data=_data(found),
        title=found.name,
        robot=first.robot.name,
        subtitle=first.notes,
        facts=facts,
        warnings=list(_warnings(found)),
        limits=first.limits,
        cards=[_card(figure, list(found)) for figure in figures[:_MOST_CARDS]],
        table=_table(found, figures),
        links={case: f"{quote(case)}/{REPORT}" for case in found},
        inputs=_inputs(found),
        versions=first.versions,
    )


def _inputs(found: Comparison) -> dict[str, str]:
    """What was studied: once what is the same in all cases, and else of each case."""
    titled: dict[str, dict[str, str]] = {}
    for case, run in found.items():
        for title, text in inputs(run.study).items():
            titled.setdefault(title, {})[case] = text
    shown: dict[str, str] = {}
    for title, texts in titled.items():
        alike = len(set(texts.values())) == 1
        shown |= {title if alike else f"{title}: {case}": text for case, text in texts.items()}
    return shown


def _warnings(found: Comparison) -> Iterator[str]:
    for case, words in found.failures.items():
        yield f"{case} gave no results: {words}"
    for case, run in found.items():
        yield from (f"{case}: {words}" for words in run.warnings)


def _card(figure: Scalar, cases: list[str]) -> Card:
    """The best case, and the worst below it."""
    values, sign = np.array(figure.per_leg), -1 if figure_of(figure.name).worst == "min" else 1
    best = int(np.argmin(np.where(np.isfinite(values), sign * values, np.inf)))
    worst = worst_of(figure)
    below = cases[best]
    if worst is not None:
        below += f"; worst: {cases[worst]}, {number_text(float(values[worst]))}"
    word = "Least" if sign > 0 else "Largest"
    title = f"{word} {title_of(figure.name).removeprefix('Largest ')}"
    return Card(_one_capital(title), number_text(float(values[best])), figure.unit, below)


def _one_capital(title: str) -> str:
    """With its first word's only, as a sentence has; RMS stays."""
    first, *others = title.split(" ")
    return " ".join([first, *(word if word.isupper() else word.lower() for word in others)])


def _table(found: Comparison, figures: list[Scalar]) -> Table:
    """A row for each case; the worst of each column is marked."""
    heads = [
        Head("Case"),
        *(Head(heading_of(f.name), f.unit or "1", hint=f.meaning) for f in figures),
        Head("Ended", kind="words"),
    ]
    worst = [worst_of(figure) for figure in figures]
    rows = []
    for k, (case, run) in enumerate(found.items()):
        cells = [
            value_cell(figure, figure.per_leg[k], worst=k == at)
            for figure, at in zip(figures, worst, strict=True)
        ]
        rows.append(Row([*cells, _ending(run)], case, k % 8 + 1))
    return Table("All cases", heads, rows)


def _ending(run: Results) -> Cell:
    if run.simulation is None:
        return Cell("–", kind="words none")
    ended = run.simulation.ended
    return Cell(
        ended.kind, kind="words alert" * run.simulation.ended_early or "words", hint=ended.text
    )


def _data(found: Comparison) -> dict[str, Any]:
    """All cases over the times of the longest run; a run that ended earlier ends earlier."""
    time = _longest(found).time
    charts, quantities = [], {}
    for history in found.histories():
        rows = np.stack([_over(time, found[case].time, v) for case, v in history.values.items()])
        title = heading_text(history.title)
        charts.append({"kind": "legs", "title": title, "quantity": title})
        quantities[title] = {"unit": unit_text(history.unit), "packed": pack(thin(rows))}
    return {
        "time": pack(thin_times(time)[None], FINE),
        "cases": list(found),
        "charts": charts,
        "quantities": quantities,
    }


def _longest(found: Comparison) -> Results:
    return max(found.values(), key=lambda run: float(run.time[-1]))


def _over(time: Array, own: Array, values: Array) -> Array:
    """Values at other times than their own; none after their end."""
    return np.asarray(np.interp(time, own, values, right=np.nan))
