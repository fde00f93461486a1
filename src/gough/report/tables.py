"""Tables of a study's figures: leg by leg, of the whole machine, and of singular configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import degrees, isfinite
from typing import NamedTuple

import numpy as np

from gough.analysis.limits import MARGINS
from gough.analysis.results import Scalar, SingularPoint
from gough.poses import euler
from gough.report.parts import Cell, Head, Row, Table
from gough.report.prefixes import readable
from gough.report.text import heading_text, number_text

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


def leg_tables(summary: Figures, singular: bool) -> list[Table]:
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
    return tables


def machine_table(summary: Figures) -> list[Table]:
    """Figures of the whole machine, if there are any."""
    rows = [_machine_row(as_shown(figure)) for figure in summary.values() if not figure.per_leg]
    heads = [Head("Figure"), Head("Value"), Head("At"), Head("Meaning", kind="words")]
    return [Table("The whole machine", heads, rows)] if rows else []


def _machine_row(figure: Scalar) -> Row:
    value = Cell(_number(figure.name, figure.value), unit=figure.unit)
    meaning = Cell(figure.meaning, kind="words")
    return Row([value, Cell(time=known_time(figure.time)), meaning], heading_text(figure.name))


def _number(name: str, value: float) -> str:
    """The value of a figure; counts are whole."""
    return f"{value:.0f}" if name == "samples_without_forces" else number_text(value)


def singularity_table(points: Sequence[SingularPoint]) -> list[Table]:
    """When and where singular configurations are met; the forces there are not numbers."""
    heads = [
        Head("Time", "s"),
        Head("Kind", kind="words"),
        Head("Position x, y, z", "m"),
        Head("Roll, pitch, yaw", "deg"),
        Head("Actuator forces", "N", "words"),
    ]
    note = (
        "Crossed: the determinant of J changes its sign. Touched: it reaches zero and turns. First "
        "axis: the leg stands along the first axis of its universal joint, which cannot follow it. "
        "No length: the two joints of the leg meet."
    )
    rows = [_singular_row(point) for point in points]
    return [Table("Singular configurations on the way", heads, rows, note)] if rows else []


def _singular_row(point: SingularPoint) -> Row:
    return Row(
        [
            Cell(time=known_time(point.time)),
            Cell(point.words, kind="words"),
            Cell(", ".join(number_text(x) for x in point.pose[:3])),
            Cell(", ".join(number_text(round(x, 3)) for x in _roll_pitch_yaw(point.pose))),
            Cell("no bound, not shown as numbers", kind="words alert"),
        ]
    )


def known_time(time: float | None) -> float | None:
    """A time [s] to go to; none where it is no number."""
    return time if time is not None and isfinite(time) else None


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


def value_cell(figure: Scalar, value: float, *, worst: bool = False) -> Cell:
    """One number of a table."""
    if not isfinite(value):
        return Cell("–", kind="none")
    alarming = is_alarming(replace(figure, value=value))
    kinds = " ".join(kind for kind, is_so in (("alert", alarming), ("worst", worst)) if is_so)
    return Cell(("⚠ " if alarming else "") + _number(figure.name, value), kind=kinds)


def _leg_table(title: str, columns: Sequence[Column], summary: Figures, singular: bool) -> Table:
    figures = [as_shown(summary[column.name]) for column in columns]
    heads = [
        Head(column.heading, figure.unit or "1", hint=figure.meaning)
        for column, figure in zip(columns, figures, strict=True)
    ]
    worst = [_worst(column, figure) for column, figure in zip(columns, figures, strict=True)]
    rows = []
    for leg in range(1, len(figures[0].per_leg) + 1):
        cells = [
            value_cell(figure, figure.per_leg[leg - 1], worst=leg == at)
            for figure, at in zip(figures, worst, strict=True)
        ]
        rows.append(Row(cells, str(leg), leg))
    rows.append(Row([value_cell(figure, figure.value) for figure in figures], "All"))
    if any(figure.time is not None for figure in figures):
        rows.append(Row([Cell(time=known_time(figure.time)) for figure in figures], "At"))
    no_forces = singular and any(not isfinite(figure.value) for figure in figures)
    note = _NO_FORCES if no_forces else ""
    return Table(title, [Head("Leg"), *heads], rows, note, columns=len(columns))


def _worst(column: Column, figure: Scalar) -> int | None:
    """The leg with the worst value; none where all are alike."""
    values = np.array(figure.per_leg)
    if not column.worst or not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    return int((np.argmax if column.worst == "max" else np.argmin)(values)) + 1


def _roll_pitch_yaw(pose: Sequence[float]) -> list[float]:
    turns: list[float] = euler(np.array(pose), "xyz", degrees=True).tolist()
    return turns
