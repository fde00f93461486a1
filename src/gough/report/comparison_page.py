"""The page of several cases: their figures in a table, their errors and forces in charts."""

from urllib.parse import quote

import numpy as np

from gough.analysis.figures import figure_of
from gough.analysis.results import Results, Scalar
from gough.disk.plain_data import PlainData
from gough.display.table import Cell, Head, Table, TableRow
from gough.report import tables
from gough.report.assembly import about, assembled, inputs
from gough.report.packing import charts_over_time
from gough.report.text import heading_text, number_text, time_text, unit_text
from gough.studies.grid import Comparison
from gough.studies.grid_storage import REPORT

_MOST_CARDS = 6


def comparison_page(found: Comparison, date: str = "") -> str:
    """The report as one HTML text; it leads to those of the cases, in folders beside it."""
    first = next(iter(found.runs.values()))
    figures = [tables.as_shown(figure, found.units) for figure in found.compared()]
    units = {figure.name: figure.unit for figure in found.compared()}
    facts = {
        "Robot": first.robot.name,
        "Cases": str(len(found.runs)),
        "Duration": time_text(float(_longest(found).time[-1])),
        "Date": date,
    }
    return assembled(
        "comparison",
        data=_data(found),
        **about(first) | {"title": found.name},
        facts=facts,
        warnings=found.remarks(),
        cards=[_card(figure, units, list(found.runs)) for figure in figures[:_MOST_CARDS]],
        table=_table(found, figures, units),
        links={case: f"{quote(case)}/{REPORT}" for case in found.runs},
        inputs=_inputs(found),
    )


def _inputs(found: Comparison) -> dict[str, str]:
    """Return what was studied: once what is common to all cases, else for each case."""
    titled: dict[str, dict[str, str]] = {}
    for case, run in found.runs.items():
        for title, text in inputs(run.study).items():
            titled.setdefault(title, {})[case] = text
    shown: dict[str, str] = {}
    for title, texts in titled.items():
        alike = len(set(texts.values())) == 1
        shown |= {title if alike else f"{title}: {case}": text for case, text in texts.items()}
    return shown


def _card(figure: Scalar, units: dict[str, str], cases: list[str]) -> tables.Card:
    """The best case, and the worst below it."""
    values, sign = np.array(figure.per_leg), -1 if figure_of(figure.name).worst == "min" else 1
    best = int(np.argmin(np.where(np.isfinite(values), sign * values, np.inf)))
    worst = tables.worst_of(figure)
    below = cases[best]
    if worst is not None:
        below += f"; worst: {cases[worst]}, {number_text(float(values[worst]))}"
    word = "Minimum" if sign > 0 else "Maximum"
    title = f"{word} {tables.title_of(figure.name, units).removeprefix('Maximum ')}"
    first, *others = title.split(" ")
    in_small = (word if word.isupper() else word.lower() for word in others)  # RMS stays
    value = number_text(float(values[best]))
    return tables.Card(" ".join([first, *in_small]), value, figure.unit, below)


def _table(found: Comparison, figures: list[Scalar], units: dict[str, str]) -> Table:
    """A row for each case; the worst of each column is marked."""
    heads = [Head("Case"), *tables.figure_heads(figures, units), Head("Ended", kind="words")]
    both = zip(found.runs.items(), tables.rows_of_cells(figures), strict=True)
    rows = [
        TableRow([*cells, _ending(run)], case, k % tables.COLOURS + 1)
        for k, ((case, run), cells) in enumerate(both)
    ]
    return Table("All cases", heads, rows)


def _ending(run: Results) -> Cell:
    if run.simulation is None:
        return Cell("–", kind="words none")
    ended = run.simulation.ended
    return Cell(
        ended.kind, kind="words alert" * run.simulation.ended_early or "words", hint=ended.text
    )


def _data(found: Comparison) -> PlainData:
    """All cases over the times of the longest run; a run that ended earlier ends earlier."""
    time = _longest(found).time
    charts = {}
    for history in found.histories():
        rows = [
            np.interp(time, found.runs[case].time, values, right=np.nan)
            for case, values in history.values.items()
        ]
        charts[heading_text(history.title)] = unit_text(history.unit), np.stack(rows)
    return {"cases": list(found.runs), **charts_over_time(time, charts)}


def _longest(found: Comparison) -> Results:
    return max(found.runs.values(), key=lambda run: float(run.time[-1]))
