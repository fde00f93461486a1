"""Tables of a study's figures: leg by leg, of the whole machine, and of singular configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from math import degrees, isfinite
from typing import NamedTuple

import numpy as np

from gough.analysis.limits import MARGINS
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


class Column(NamedTuple):
    """A column of a table: the figure's name, its heading, and which of the legs is the worst."""

    name: str
    heading: str
    worst: str = "max"


_TABLES: dict[str, tuple[Column, ...]] = {
    "Following the motion": (
        Column("peak_leg_length_error", "Peak length error"),
        Column("rms_leg_length_error", "RMS length error"),
        Column("mean_leg_error", "Mean length error"),
        Column("peak_command", "Peak command"),
        Column("command_at_limit", "Command at its limit"),
    ),
    "Forces, power and energy": (
        Column("peak_force", "Peak force"),
        Column("rms_force", "RMS force"),
        Column("least_force_index", "Least force index", "min"),
        Column("saturated_time", "Force above its limit"),
        Column("peak_power", "Peak power"),
        Column("energy_spent", "Energy spent"),
        Column("energy_returned", "Energy returned", ""),
        Column("energy_net", "Net energy"),
    ),
    "Motors": (
        Column("peak_motor_current", "Peak current"),
        Column("rms_motor_current", "RMS current"),
        Column("least_current_margin", "Current margin", "min"),
        Column("peak_motor_voltage", "Peak voltage"),
        Column("least_voltage_margin", "Voltage margin", "min"),
        Column("peak_motor_power", "Peak electrical power"),
        Column("peak_motor_torque", "Peak torque"),
        Column("peak_motor_speed", "Peak speed"),
    ),
    "Strokes, speeds and joints": (
        Column("shortest_leg_length", "Shortest length", "min"),
        Column("longest_leg_length", "Longest length"),
        Column("stroke_used", "Stroke used"),
        Column("least_stroke_margin", "Stroke margin", "min"),
        Column("peak_leg_speed", "Peak speed"),
        Column("least_speed_margin", "Speed margin", "min"),
        Column("peak_leg_acceleration", "Peak acceleration"),
        Column("least_universal_joint_sine", "Sine to first axis", "min"),
        Column("largest_base_joint_tilt", "Base joint tilt"),
        Column("least_base_joint_margin", "Base joint margin", "min"),
        Column("largest_spherical_joint_tilt", "Platform joint tilt"),
        Column("least_platform_joint_margin", "Platform joint margin", "min"),
    ),
    "Peak of each share of the force, by cause": (
        Column("peak_gravity_share", "Weights"),
        Column("peak_inertia_share", "Acceleration"),
        Column("peak_velocity_share", "Velocity"),
        Column("peak_external_share", "Tasks"),
    ),
    "Peak of each share of the force, by coupling": (
        Column("peak_platform_share", "Platform"),
        Column("peak_leg_gravity_share", "Legs' weight"),
        Column("peak_tangential_share", "Tangential"),
        Column("peak_coriolis_share", "Coriolis"),
        Column("peak_centrifugal_share", "Centrifugal"),
        Column("peak_gravity_only_error", "Left out by the weight-only model"),
    ),
    "Peak joint reactions": (
        Column("peak_base_force", "Base joint, force"),
        Column("peak_base_moment", "Base joint, moment"),
        Column("peak_platform_force", "Platform joint, force"),
        Column("peak_slide_force", "Slide, force"),
        Column("peak_slide_moment", "Slide, moment"),
    ),
}
_TIMES_AT_LIMITS = ("saturated_time", "command_at_limit")
_NO_FORCES = (
    "The motion meets a singular configuration: forces have no bound there, so that figures made "
    "of forces are not given."
)
_LEGS = range(1, 7)


def leg_tables(summary: Figures, singular: bool) -> str:
    """All tables with a row for each leg."""
    listed = {column.name for columns in _TABLES.values() for column in columns}
    others = tuple(
        Column(name, heading_text(name), "")
        for name, figure in summary.items()
        if figure.per_leg and name not in listed
    )
    tables = []
    for title, columns in {**_TABLES, "Other figures": others}.items():
        there = [column for column in columns if column.name in summary]
        known = any(isfinite(summary[column.name].value) for column in there)
        if there and (known or "peak_force" in [column.name for column in there]):
            tables.append(_leg_table(title, there, summary, singular))
    return "\n".join(tables)


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
    return f"{value:.0f}" if name == "samples_without_forces" else number_text(value)


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
    if figure.name.endswith("_error"):
        values, unit = readable(np.array([figure.value, *figure.per_leg]), figure.unit)
        value, *legs = values.tolist()
        return replace(figure, unit=unit, value=value, per_leg=tuple(legs))
    if figure.unit != "rad":
        return figure
    per_leg = tuple(degrees(value) for value in figure.per_leg)
    return replace(figure, unit="deg", value=degrees(figure.value), per_leg=per_leg)


def is_alarming(figure: Scalar) -> bool:
    """Whether a figure says that a limit is exceeded."""
    if figure.name in MARGINS:
        return figure.value < 0
    return figure.name in _TIMES_AT_LIMITS and figure.value > 0


def value_cell(figure: Scalar, value: float, *, worst: bool = False) -> str:
    """One number of a table."""
    if not isfinite(value):
        return '<td class="none">–</td>'
    alarming = is_alarming(replace(figure, value=value))
    kinds = " ".join(kind for kind, is_so in (("alert", alarming), ("worst", worst)) if is_so)
    sign = "⚠ " if alarming else ""
    return f'<td class="{kinds}">{sign}{_number(figure.name, value)}</td>'


def _leg_table(title: str, columns: Sequence[Column], summary: Figures, singular: bool) -> str:
    figures = [as_shown(summary[column.name]) for column in columns]
    heads = '<th scope="col">Leg</th>' + "".join(
        f'<th scope="col" title="{escape(figure.meaning)}">{escape(column.heading)} '
        f"{unit_tag(figure.unit)}</th>"
        for column, figure in zip(columns, figures, strict=True)
    )
    worst = [_worst(column, figure) for column, figure in zip(columns, figures, strict=True)]
    rows = []
    for leg in _LEGS:
        cells = "".join(
            value_cell(figure, figure.per_leg[leg - 1], worst=leg == at)
            for figure, at in zip(figures, worst, strict=True)
        )
        swatch = f'<i style="background: var(--series-{leg})"></i>'
        rows.append(f'<tr><th scope="row">{swatch}{leg}</th>{cells}</tr>')
    whole = "".join(value_cell(figure, figure.value) for figure in figures)
    times = "".join(f"<td>{time_button(figure.time)}</td>" for figure in figures)
    rows.append(f'<tr><th scope="row">All</th>{whole}</tr>')
    if any(figure.time is not None for figure in figures):
        rows.append(f'<tr><th scope="row">At</th>{times}</tr>')
    no_forces = singular and any(not isfinite(figure.value) for figure in figures)
    return table_card(title, heads, rows, _NO_FORCES if no_forces else "", columns=len(columns))


def _worst(column: Column, figure: Scalar) -> int | None:
    """The leg with the worst value; none where all are alike."""
    values = np.array(figure.per_leg)
    if not column.worst or not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    return int((np.argmax if column.worst == "max" else np.argmin)(values)) + 1


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
