"""Tables of a study's figures: leg by leg, of the whole machine, and of singular configurations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import NamedTuple

import numpy as np

from gough.analysis import Scalar, SingularPoint, actuator_words
from gough.analysis.axes import DIRECTION, MOTION, POSE_ERROR
from gough.analysis.figures import FIGURES, MINOR_GROUPS, figure_of, with_torque, without_noise
from gough.display import Cell, Head, Table, TableRow
from gough.fields.display_units import DisplayUnits
from gough.poses import euler
from gough.report.text import as_read, heading_text, number_text
from gough.robot.description import ActuatorNames
from gough.studies import GridFigure

Figures = Mapping[str, Scalar]


_TABLES: dict[str, tuple[str, ...]] = {
    "Recorded and computed": ("recording",),
    "Following the motion": ("following",),
    "Forces, power and energy": ("forces",),
    "Motors": ("drives",),
    "Links that bend": ("links",),
    "Compliant legs": ("connectors",),
    "Positions, speeds and joints": ("legs", "singularity", "joints", "rotation"),
    "Peak contributions to the force, by cause": ("shares",),
    "Peak contributions to the force, by coupling": ("coupling",),
    "Peak joint reactions": ("reactions",),
}
"""The groups of quantities whose figures stand in each table."""
_OTHERS = "Other figures"
_ORDER = {name: k for k, name in enumerate(FIGURES)}
_AXES = {*DIRECTION.labels, *POSE_ERROR.labels, *MOTION.labels}
COLOURS = 8  # number of colours of series before they repeat
_NO_FORCES = (
    "The motion meets a singular configuration: forces have no bound there, so that figures made "
    "of forces are not given."
)


def leg_tables(
    summary: Figures, singular: bool, actuators: ActuatorNames, units: DisplayUnits
) -> list[Table]:
    """All tables with a row for each leg, actuator or joint."""
    of_parts = [name for name, figure in summary.items() if figure.per_leg]
    in_order = sorted(of_parts, key=lambda name: _ORDER.get(figure_of(name).name, len(_ORDER)))
    columns = {
        title: [name for group in groups for name in in_order if _group(name) == group]
        for title, groups in _TABLES.items()
    }
    listed = {name for names in columns.values() for name in names}
    columns[_OTHERS] = [name for name in of_parts if name not in listed]
    return [
        _leg_table(title, alike, summary, singular, actuators, units)
        for title, names in columns.items()
        for alike in _by_rows(names, summary)
        if any(figure_of(name).name == "peak_force" for name in alike)
        or any(isfinite(summary[name].value) for name in alike)
    ]


def _by_rows(names: Sequence[str], summary: Figures) -> list[list[str]]:
    """Figures of the same legs, actuators or joints together."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        rows.setdefault(summary[name].labels, []).append(name)
    return list(rows.values())


def above_and_below_the_fold(figures: Figures) -> tuple[Figures, Figures]:
    """Return the figures that are shown at once, and the minor ones: shares and singularity."""
    minor = {name: f for name, f in figures.items() if _group(name) in MINOR_GROUPS}
    return {name: f for name, f in figures.items() if name not in minor}, minor


def heading_of(name: str, units: Mapping[str, str]) -> str:
    """Return the heading of a figure's column; `units` are those of all figures by name."""
    return actuator_words(heading_text(figure_of(name).heading or name), name, units)


def title_of(name: str, units: Mapping[str, str]) -> str:
    """Return the title of a figure by itself; `units` are those of all figures by name."""
    return actuator_words(heading_text(figure_of(name).title or name), name, units)


def units_of(figures: Mapping[str, Scalar] | Mapping[str, GridFigure]) -> dict[str, str]:
    """Return the units of figures by name."""
    return {name: figure.unit for name, figure in figures.items()}


def _group(name: str) -> str:
    quantity = figure_of(name).quantity
    return quantity.group if quantity else ""


def machine_table(summary: Figures, units: DisplayUnits) -> list[Table]:
    """Figures of the whole machine, if there are any."""
    rows = []
    for figure in (as_shown(one, units) for one in summary.values() if not one.per_leg):
        value = Cell(_number(figure.name, figure.value), unit=figure.unit)
        cells = [value, Cell(time=known_time(figure.time)), Cell(figure.meaning, kind="words")]
        rows.append(TableRow(cells, heading_text(figure.name)))
    heads = [Head("Figure"), Head("Value"), Head("At"), Head("Meaning", kind="words")]
    return [Table("The whole machine", heads, rows)] if rows else []


def _number(name: str, value: float) -> str:
    """The value of a figure; counts are whole."""
    return f"{value:.0f}" if figure_of(name).is_count else number_text(value)


def singularity_table(points: Sequence[SingularPoint], units: DisplayUnits) -> list[Table]:
    """When and where singular configurations are met, and whether forces have a bound there."""
    (metre, length), (newton, force) = units.of("m"), units.of("N")
    angle = units.angle or "deg"
    heads = [
        Head("Time", "s"),
        Head("Kind", kind="words"),
        Head("Position x, y, z", length),
        Head("Roll, pitch, yaw", angle),
        Head("Lacking", force),
        Head("Actuator forces", kind="words"),
    ]
    note = (
        "Crossed: the determinant of J changes its sign. Touched: it reaches zero and turns. First "
        "axis: the leg stands along the first axis of its universal joint, which cannot follow it. "
        "No length: the two joints of the leg meet. Lacking: what no actuator can give along the "
        "escaping motion of a crossing, moments over the characteristic length; where it is "
        "nothing the motion can cross."
    )
    rows = []
    for point in points:
        turns, _ = as_read(euler(np.array(point.pose), "xyz"), "rad", units)
        place = ", ".join(number_text(x / metre) for x in point.pose[:3])
        turned = ", ".join(number_text(round(x, 3)) for x in turns.tolist())
        lacking = "" if point.residual is None else number_text(abs(point.residual) / newton)
        forces = Cell("no bound, not shown as numbers", kind="words alert")
        if point.bounded:
            forces = Cell("bounded, limits along the motion", kind="words")
        known = Cell(time=known_time(point.time)), Cell(point.words, kind="words")
        rows.append(TableRow([*known, Cell(place), Cell(turned), Cell(lacking), forces]))
    return [Table("Singular configurations on the way", heads, rows, note)] if rows else []


def known_time(time: float | None) -> float | None:
    """A time [s] to go to; none where it is no number."""
    return time if time is not None and isfinite(time) else None


def as_shown(figure: Scalar, units: DisplayUnits) -> Scalar:
    """Return the figure as people read it: errors in mm and mrad or less, angles in degrees."""
    quantity = figure_of(figure.name).quantity
    numbers = np.array([figure.value, *figure.per_leg])
    small = quantity is not None and quantity.small
    values, unit = as_read(numbers, figure.unit, units, small=small)
    value, *legs = values.tolist()
    return replace(figure, unit=unit, value=value, per_leg=tuple(legs))


def is_alarming(figure: Scalar) -> bool:
    """Whether a figure says that a limit is exceeded."""
    sign = {"below zero": -1, "above zero": 1}.get(figure_of(figure.name).alarming, 0)
    return sign * figure.value > 0


def value_cell(figure: Scalar, value: float, *, worst: bool = False) -> Cell:
    """One number of a table."""
    if not isfinite(value):
        return Cell("–", kind="none")
    alarming = is_alarming(replace(figure, value=value))
    kinds = " ".join(kind for kind, is_so in (("alert", alarming), ("worst", worst)) if is_so)
    return Cell(("⚠ " if alarming else "") + _number(figure.name, value), kind=kinds)


def _leg_table(
    title: str,
    names: Sequence[str],
    summary: Figures,
    singular: bool,
    actuators: ActuatorNames,
    units: DisplayUnits,
) -> Table:
    figures = [as_shown(summary[name], units) for name in names]
    labels = figures[0].labels or actuators.short
    driven = set(labels) <= set(actuators.short)
    if all(summary[name].unit == "N m" for name in names):
        title = with_torque(title)
    rows = []
    for label, cells in zip(labels, rows_of_cells(figures), strict=True):
        colour = actuators.short.index(label) % COLOURS + 1 if driven else 0
        rows.append(TableRow(cells, label, colour))
    rows.append(TableRow([value_cell(figure, figure.value) for figure in figures], "All"))
    if any(figure.time is not None for figure in figures):
        rows.append(TableRow([Cell(time=known_time(figure.time)) for figure in figures], "At"))
    no_forces = singular and any(not isfinite(figure.value) for figure in figures)
    note = _NO_FORCES if no_forces else ""
    other = "axis" if {*labels} <= _AXES else "joint"
    word = heading_text(actuators.word if driven else other)
    title = title if driven else f"{title}, by {other}"
    heads = [Head(word), *figure_heads(figures, units_of(summary))]
    return Table(title, heads, rows, note, columns=len(figures))


def figure_heads(figures: Sequence[Scalar], units: Mapping[str, str]) -> list[Head]:
    """Return the headings of columns of figures; `units` are those of all figures by name."""
    return [Head(heading_of(f.name, units), f.unit or "1", hint=f.meaning) for f in figures]


def rows_of_cells(figures: Sequence[Scalar]) -> list[list[Cell]]:
    """Return a row of figures for each leg; the worst of each column is marked."""
    columns = [
        [value_cell(figure, value, worst=k == worst) for k, value in enumerate(figure.per_leg)]
        for figure in figures
        for worst in [worst_of(figure)]
    ]
    return [list(cells) for cells in zip(*columns, strict=True)]


def worst_of(figure: Scalar) -> int | None:
    """The leg with the worst value, counted from 0; none where all are alike."""
    values, worst = np.array(figure.per_leg), figure_of(figure.name).worst
    if not worst or not np.isfinite(values).all() or np.ptp(values) == 0:
        return None
    return int((np.argmax if worst == "max" else np.argmin)(values))


def grid_without_noise(figures: Mapping[str, GridFigure]) -> dict[str, GridFigure]:
    """Return figures of a grid with zeros for values that are tiny beside the maximum of a kind."""
    numbers = {name: figure.values for name, figure in figures.items()}
    return {n: f.mapped(partial(without_noise, n, numbers)) for n, f in figures.items()}


class Card(NamedTuple):
    """A key figure: its value in large letters, and a line below it."""

    title: str
    value: str
    unit: str = ""
    below: str = ""
    time: float | None = None
    """A time [s] at the end of that line, which moves the page's cursor there."""
    hint: str = ""
    alarming: bool = False
