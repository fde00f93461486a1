"""Tables of a study's figures: leg by leg, of the whole machine, and of singular configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from math import degrees, isfinite

import numpy as np

from gough.analysis.figures import FIGURES, figure_of
from gough.analysis.results import Scalar, SingularPoint
from gough.poses import euler
from gough.report.prefixes import readable
from gough.report.text import (
    heading_text,
    number_text,
    time_button,
    unit_after,
    unit_tag,
)

Figures = Mapping[str, Scalar]


_TABLES: dict[str, tuple[str, ...]] = {
    "Following the motion": ("following",),
    "Forces, power and energy": ("forces",),
    "Motors": ("drives",),
    "Strokes, speeds and joints": ("legs", "singularity", "joints"),
    "Peak of each share of the force, by cause": ("shares",),
    "Peak of each share of the force, by coupling": ("coupling",),
    "Peak joint reactions": ("reactions",),
}
"""The groups of quantities whose figures stand in each table."""
_OTHERS = "Other figures"
_NO_FORCES = (
    "The motion meets a singular configuration: forces have no bound there, so that figures made "
    "of forces are not given."
)


def leg_tables(summary: Figures, singular: bool) -> str:
    """All tables with a row for each leg."""
    of_legs = [name for name, figure in summary.items() if figure.per_leg]
    known = [name for name in FIGURES if name in of_legs]
    columns = {
        title: [name for group in groups for name in known if _group(name) == group]
        for title, groups in _TABLES.items()
    }
    listed = {name for names in columns.values() for name in names}
    columns[_OTHERS] = [name for name in of_legs if name not in listed]
    return "\n".join(
        _leg_table(title, names, summary, singular)
        for title, names in columns.items()
        if "peak_force" in names or any(isfinite(summary[name].value) for name in names)
    )


def heading_of(name: str) -> str:
    """What a figure's column is called."""
    return heading_text(figure_of(name).heading or name)


def title_of(name: str) -> str:
    """What a figure is called where it stands by itself."""
    return heading_text(figure_of(name).title or name)


def _group(name: str) -> str:
    quantity = figure_of(name).quantity
    return quantity.group if quantity else ""


def machine_table(summary: Figures) -> str:
    """Figures of the whole machine."""
    rows = []
    for figure in summary.values():
        if not figure.per_leg:
            shown = as_shown(figure)
            rows.append(
                f'<tr><th scope="row">{escape(heading_text(shown.name))}</th>'
                f"<td>{_number(shown.name, shown.value)} {unit_after(shown.unit)}</td>"
                f"<td>{time_button(shown.time)}</td>"
                f'<td class="words">{escape(shown.meaning)}</td></tr>'
            )
    if not rows:
        return ""
    heads = '<th scope="col">Figure</th><th scope="col">Value</th><th scope="col">At</th>'
    heads += '<th scope="col" class="words">Meaning</th>'
    return table_card("The whole machine", heads, rows)


def _number(name: str, value: float) -> str:
    """The value of a figure; counts are whole."""
    return f"{value:.0f}" if figure_of(name).is_count else number_text(value)


def singularity_table(points: Sequence[SingularPoint]) -> str:
    """When and where singular configurations are met; the forces there are not numbers."""
    if not points:
        return ""
    rows = []
    for point in points:
        place = ", ".join(number_text(x) for x in point.pose[:3])
        turns = ", ".join(number_text(round(x, 3)) for x in _roll_pitch_yaw(point.pose))
        rows.append(
            f'<tr><td>{time_button(point.time)}</td><td class="words">{escape(point.words)}</td>'
            f"<td>{place}</td><td>{turns}</td>"
            '<td class="words alert">no bound, not shown as numbers</td></tr>'
        )
    heads = (
        '<th scope="col">Time <span class="unit">[s]</span></th><th scope="col" class="words">Kind'
        f'</th><th scope="col">Position x, y, z {unit_tag("m")}</th>'
        f'<th scope="col">Roll, pitch, yaw {unit_tag("deg")}</th>'
        f'<th scope="col" class="words">Actuator forces {unit_tag("N")}</th>'
    )
    note = (
        "Crossed: the determinant of J changes its sign. Touched: it reaches zero and turns. First "
        "axis: the leg stands along the first axis of its universal joint, which cannot follow it. "
        "No length: the two joints of the leg meet."
    )
    return table_card("Singular configurations on the way", heads, rows, note)


def as_shown(figure: Scalar) -> Scalar:
    """The figure as people read it: errors in mm and mrad or less, other angles in degrees."""
    quantity = figure_of(figure.name).quantity
    if quantity is not None and quantity.small:
        values, unit = readable(np.array([figure.value, *figure.per_leg]), figure.unit)
        value, *legs = values.tolist()
        return replace(figure, unit=unit, value=value, per_leg=tuple(legs))
    if figure.unit != "rad":
        return figure
    per_leg = tuple(degrees(value) for value in figure.per_leg)
    return replace(figure, unit="deg", value=degrees(figure.value), per_leg=per_leg)


def is_alarming(figure: Scalar) -> bool:
    """Whether a figure says that a limit is exceeded."""
    side = figure_of(figure.name).alarming
    return (side == "below zero" and figure.value < 0) or (
        side == "above zero" and figure.value > 0
    )


def value_cell(figure: Scalar, value: float, *, worst: bool = False) -> str:
    """One number of a table."""
    if not isfinite(value):
        return '<td class="none">–</td>'
    alarming = is_alarming(replace(figure, value=value))
    kinds = " ".join(kind for kind, is_so in (("alert", alarming), ("worst", worst)) if is_so)
    sign = "⚠ " if alarming else ""
    return f'<td class="{kinds}">{sign}{_number(figure.name, value)}</td>'


def _leg_table(title: str, names: Sequence[str], summary: Figures, singular: bool) -> str:
    figures = [as_shown(summary[name]) for name in names]
    heads = '<th scope="col">Leg</th>' + "".join(
        f'<th scope="col" title="{escape(figure.meaning)}">{escape(heading_of(figure.name))} '
        f"{unit_tag(figure.unit)}</th>"
        for figure in figures
    )
    worst = [_worst(figure) for figure in figures]
    rows = []
    for k in range(len(figures[0].per_leg)):
        cells = "".join(
            value_cell(figure, figure.per_leg[k], worst=k == at)
            for figure, at in zip(figures, worst, strict=True)
        )
        swatch = f'<i style="background: var(--series-{k + 1})"></i>'
        rows.append(f'<tr><th scope="row">{swatch}{k + 1}</th>{cells}</tr>')
    whole = "".join(value_cell(figure, figure.value) for figure in figures)
    times = "".join(f"<td>{time_button(figure.time)}</td>" for figure in figures)
    rows.append(f'<tr><th scope="row">All</th>{whole}</tr>')
    if any(figure.time is not None for figure in figures):
        rows.append(f'<tr><th scope="row">At</th>{times}</tr>')
    no_forces = singular and any(not isfinite(figure.value) for figure in figures)
    return table_card(title, heads, rows, _NO_FORCES if no_forces else "", columns=len(figures))


def _worst(figure: Scalar) -> int | None:
    """The leg with the worst value, counted from 0; none where all are alike."""
    values, worst = np.array(figure.per_leg), figure_of(figure.name).worst
    if not worst or not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    return int((np.argmax if worst == "max" else np.argmin)(values))


def _roll_pitch_yaw(pose: Sequence[float]) -> list[float]:
    turns: list[float] = euler(np.array(pose), "xyz", degrees=True).tolist()
    return turns


def table_card(
    title: str, heads: str, rows: Sequence[str], note: str = "", columns: int = 0
) -> str:
    """A table under its title; one of so many columns besides the first has them equally wide."""
    below = f"<p>{escape(note)}</p>" if note else ""
    even = f' class="even" style="--columns: {columns}"' if columns else ""
    return (
        f'<div class="card table-card"><h3>{escape(title)}</h3><table{even}><thead><tr>{heads}</tr>'
        f"</thead><tbody>{''.join(rows)}</tbody></table>{below}</div>"
    )
