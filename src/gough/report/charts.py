"""The charts of a report: which series stand together, under which titles, with which limits.

The series of a report: quantities as people look at them, in degrees, as sizes, part by part.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from gough.analysis.axes import DIRECTION, LEG, POSE
from gough.analysis.definition import QuantityDefinition, UnitGroup
from gough.analysis.figures import NOISE, with_torque
from gough.analysis.limits import MARGINS, Limit, checked_quantity, contact_force_limit
from gough.analysis.limits import limits_of as stated_limits
from gough.analysis.quantities import DEFINITIONS, in_groups, table_of
from gough.analysis.results import Quantity, Results
from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.fields.display_units import SI, DisplayUnits
from gough.poses import displace, euler
from gough.report.packing import pack, thin
from gough.report.text import as_read, heading_text, number_text, unit_text
from gough.robot import Robot, actuator_names

_XYZ = DIRECTION.labels
_DRIVEN = "actuator"  # name of the axis of driven joints
_TURNS = ("roll", "pitch", "yaw")

Chart = PlainData
Line = PlainData
Limits = dict[str, list[Line]]

_PARTS_TITLE = "What the forces are made of"
_UNKNOWN_TITLE = "Further quantities"
_SECTIONS: dict[str, tuple[str, ...]] = {
    "Recorded and computed": ("recording",),
    "Following the motion": ("following",),
    "Actuators": ("forces", "legs"),
    "Motors": ("drives",),
    "Links that bend": ("links",),
    "Compliant legs": ("connectors",),
    _UNKNOWN_TITLE: (),
    "Margins": ("margins",),
    _PARTS_TITLE: ("shares", "coupling"),
    "Closeness to singular configurations": ("singularity",),
    "Stiffness": ("stiffness",),
    "Vibration": ("vibration",),
    "Tolerances": ("tolerances",),
    "Passive joints": ("joints", "rotation"),
    "Joint reactions": ("reactions",),
    "Motion and load of the platform": ("motion",),
}
"""The groups of quantities in each section; those of other groups stand with the unknown ones."""
_PARTS = {  # charts of what the force of one actuator is made of
    "Force by cause": ("force", *in_groups("shares")),
    "Force by coupling": ("force", *in_groups("coupling"), "external_share"),
}
_BESIDE_A_STUDY = ("force", "leg_length", "actuator_position")
_BESIDE_A_SIMULATION = ("pose_error.linear", "pose_error.angular")
_OF_SLIDES = ("joint_position.m", "joint_speed.m/s", "joint_acceleration.m/s^2")
"""Series of the slides in extensible legs, equal to those of the legs' lengths."""
_MOST_BANDS = 200  # maximum number of shaded time intervals of a chart; nearer ones are joined
_LARGEST_LOGARITHM, _LARGEST = 12.0, "10¹²"


class ChartPlan(NamedTuple):
    """All charts of a page, and the numbers that they draw."""

    beside: list[Chart]  # those beside the machine
    sections: list[PlainData]  # all further ones, by subject: {id, title, charts} each
    numbers: PlainData  # numbers of each series, thinned and packed: {unit, meaning, packed}


def chart_plan(results: Results) -> ChartPlan:
    """Every series of the results in a chart, whether the page knows what it is or not."""
    series = series_of(results)
    limits = limits_of(results.robot, results.units, results.quantities) | {
        "command": command_lines(results)
    }
    size, unit = results.units.of("N")
    most = [limit / size for limit in contact_force_limit(results.summary)]
    limits["contact_force"] = _lines(most, "limit", unit)
    bands = {"command": times_at_limit(results)}
    ended_early = results.simulation is not None and results.simulation.ended_early
    may_cut = bool(results.singularities) or ended_early
    charts = {key: _chart(key, series[key], limits, bands, may_cut) for key in _drawn(series)}
    simulated = _BESIDE_A_SIMULATION[0] in charts
    first = _BESIDE_A_SIMULATION if simulated else _BESIDE_A_STUDY
    beside = [charts.pop(key) for key in first if key in charts]
    sections = dict[str, list[Chart]]()
    for title, groups in _SECTIONS.items():
        keys = [key for group in groups for key in charts if series[key].group == group]
        sections[title] = [charts.pop(key) for key in keys]
    sections[_UNKNOWN_TITLE] = list(charts.values())
    sections[_PARTS_TITLE] = [*_part_charts(series, may_cut), *sections[_PARTS_TITLE]]
    zero, drawn, numbered = _zero_series(series), [*beside], list[PlainData]()
    for k, (title, those) in enumerate(sections.items(), 1):
        kept = [chart for chart in those if chart.get("quantity") not in zero]
        empty = [chart["title"] for chart in those if chart.get("quantity") in zero]
        drawn += kept
        if those:
            numbered.append({"id": f"charts-{k}", "title": title, "charts": kept, "zero": empty})
    return ChartPlan(beside, numbered, _numbers_for(drawn, series))


def _zero_series(series: Mapping[str, Series]) -> set[str]:
    """Return keys of series that are zero but for rounding, beside the maximum of their unit."""
    largest: dict[str, float] = {}
    for one in series.values():
        largest[one.unit] = max(largest.get(one.unit, 0.0), _size(one.values))
    own = ((key, one) for key, one in series.items() if not one.wanted)
    return {key for key, one in own if _size(one.values) <= NOISE * largest[one.unit]}


def _size(values: Array) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def _drawn(series: Mapping[str, Series]) -> Iterator[str]:
    """The series that have a chart of their own: no parts of the force, nothing drawn over."""
    over = {one.wanted for one in series.values()}
    parts = {key for names in _PARTS.values() for key in names if DEFINITIONS[key].part}
    return (key for key in series if key == "force" or key not in over | parts)


def _chart(
    key: str, series: Series, limits: Limits, bands: Mapping[str, list[list[float]]], may_cut: bool
) -> Chart:
    cut = series.logarithmic and (series.values > 10.0**_LARGEST_LOGARITHM).any()
    return {
        "kind": "named" if series.labels else "legs",
        "title": f"{series.title}, cut off at {_LARGEST}" if cut else series.title,
        "quantity": key,
        "labels": series.labels,
        "wanted": series.wanted,
        "over": series.over,
        "log": series.logarithmic,
        "limits": limits.get(key) or limits.get(key.partition(".")[0], []),
        "bands": bands.get(key, []),
        "mayCut": may_cut and not series.labels,
    }


def _numbers_for(charts: Iterable[Chart], series: Mapping[str, Series]) -> PlainData:
    keys = dict.fromkeys(
        key
        for chart in charts
        for key in [
            chart.get("quantity"),
            chart.get("wanted"),
            *(part["quantity"] for part in chart.get("parts", ())),
        ]
        if key
    )
    return {key: _numbers(series[key]) for key in keys}


def _numbers(series: Series) -> PlainData:
    rows = np.ascontiguousarray(series.values.T, dtype=float)
    if series.logarithmic:
        rows = np.log10(np.clip(rows, 1.0, 10.0**_LARGEST_LOGARITHM))
    packed = pack(thin(rows))
    return {"unit": unit_text(series.unit), "meaning": series.meaning, "packed": packed}


def _part_charts(series: Mapping[str, Series], may_cut: bool) -> list[Chart]:
    charts = []
    for title, names in _PARTS.items():
        there = [
            {"quantity": name, "label": DEFINITIONS[name].part, "total": name == "force"}
            for name in names
            if name in series and DEFINITIONS[name].part
        ]
        if len(there) > 1:
            charts.append({"kind": "parts", "title": title, "parts": there, "mayCut": may_cut})
    return charts


class Series(NamedTuple):
    """Lines of one chart: a column of values for each, with time as the first axis."""

    title: str
    unit: str
    meaning: str
    values: Array
    labels: tuple[str, ...] = ()
    """Labels of the lines; none where a line is a leg or actuator, all of them in order."""
    group: str = ""
    """Group of its quantity; none for one that the table of quantities does not have."""
    logarithmic: bool = False
    wanted: str = ""  # the series that is drawn over it in dashes: that which should have been
    over: str = "wanted"  # word for the series in dashes


def series_of(results: Results) -> dict[str, Series]:
    """All series by key: those of a quantity in several parts are called `name.part`."""
    found: dict[str, Series] = {}
    for quantity in results.quantities.values():
        found |= _series(quantity, results.units)
    for key in [key for key in found if key.startswith("recorded_")]:
        recorded, computed = found[key], found[key.removeprefix("recorded_")]
        labels, over = recorded.labels or actuator_names(results.robot).titles, f"over_{key}"
        title = f"{computed.title}, recorded and computed"
        drawn = recorded._replace(title=title, labels=labels, wanted=over, over="computed")
        found |= {key: drawn, over: computed._replace(labels=labels, wanted="", group="recording")}
    if results.robot.has_extensible_legs:
        for repeated in _OF_SLIDES:
            found.pop(repeated, None)
    if "pose" in results and "pose_error" in results:
        found |= _of_following(results, found.pop("pose.orientation"))
    return found


def _series(quantity: Quantity, units: DisplayUnits) -> dict[str, Series]:
    """The parts of a quantity, under the titles that the table has for them."""
    name = quantity.name
    known = DEFINITIONS.get(name) or QuantityDefinition(name, "", quantity.unit, quantity.meaning)
    drawn = _drawn_values(quantity)
    titles: Sequence[str] = known.titles
    if len(titles) != len(drawn):  # its name, and the part
        parts = [key.removeprefix(name).removeprefix(".") for key in drawn]
        words = ("" if part in quantity.units else part for part in parts)  # units stand beside
        own = titles[0] if titles else name
        titles = [heading_text(", ".join(filter(None, (own, word)))) for word in words]
    found = {}
    for title, (key, (unit, values, labels)) in zip(titles, drawn.items(), strict=True):
        shown, read_in = as_read(values, unit, units, small=known.small)
        names = (title,) if not quantity.axes else labels
        rotary = unit == known.turning == "N m"
        found[key] = Series(
            with_torque(title) if rotary else title,
            read_in,
            quantity.meaning,
            shown,
            names,
            known.group,
            known.logarithmic,
        )
    if quantity.axes == (POSE,):
        return found | _of_pose(found, quantity.values, units)
    return {key: series for key, series in found.items() if np.isfinite(series.values).any()}


def _drawn_values(quantity: Quantity) -> dict[str, tuple[str, Array, tuple[str, ...]]]:
    """By key: unit, columns of values, and labels of lines that are not the legs or actuators."""
    name, values, axes = quantity.name, quantity.values, quantity.axes
    if axes[1:] == (DIRECTION,):
        size = np.sqrt(np.einsum("tij,tij->ti", values, values))
        return {f"{name}.size": (quantity.unit, size, axes[0].labels)}
    lines, own = quantity.lines(), axes == (LEG,) or [a.name for a in axes] == [_DRIVEN]
    if len(lines) == 1:
        (_, unit, labels, columns) = lines[0]
        return {name: (unit, columns, () if own else labels)}
    return {
        f"{name}.{part or unit}": (unit, columns, _XYZ if part else labels)
        for part, unit, labels, columns in lines
    }


def _of_pose(found: dict[str, Series], pose: Array, units: DisplayUnits) -> dict[str, Series]:
    """Position, and turns in the place of quaternions."""
    (first, position), (second, orientation) = found.items()
    meaning = "turns about the base frame's x, y, z in turn"
    turns, unit = _turns(pose, units)
    return {
        first: position._replace(meaning="of the platform's origin"),
        second: orientation._replace(unit=unit, meaning=meaning, values=turns, labels=_TURNS),
    }


def _turns(pose: Array, units: DisplayUnits) -> tuple[Array, str]:
    """(T, 3) without leaps, and their unit."""
    return as_read(np.unwrap(euler(pose, "xyz"), axis=0), "rad", units)


def _of_following(results: Results, orientation: Series) -> dict[str, Series]:
    """The way that a simulated machine went and that it should have gone, and its turns."""
    pose = results["pose"]
    wanted = displace(pose, results["pose_error"])
    meaning = "from the wanted position at the beginning, base axes"
    gone, should = pose[:, :3] - wanted[0, :3], wanted[:, :3] - wanted[0, :3]
    size, unit = results.units.of("m")
    title = "Way from the beginning, wanted and reached"
    way = Series(title, unit, meaning, gone / size, _XYZ, "following")
    turned = orientation._replace(title="Orientation, wanted and reached", group="following")
    return {
        "way": way._replace(wanted="wanted_way"),
        "wanted_way": way._replace(values=should / size),
        "pose.orientation": turned._replace(wanted="wanted_orientation"),
        "wanted_orientation": turned._replace(values=_turns(wanted, results.units)[0]),
    }


def limits_of(robot: Robot, units: DisplayUnits = SI, known: Container[str] = ()) -> Limits:
    """Lines to draw, by series: {value, label} each; rotary and linear joints have one each.

    `known` are the quantities of the results.
    """
    found: Limits = {name: [{"value": 0.0, "label": "limit"}] for name in MARGINS}
    for limit in (limit for limit in stated_limits(robot) if limit.reduction is None):
        groups = table_of(robot)[limit.quantity].by_unit
        for group in groups:
            name = checked_quantity(limit, known)
            series = name if len(groups) == 1 else f"{name}.{group.unit}"
            found[series] = _of_group(limit, group, units, *map(group.of, limit.ends(robot)))
    return found


def both_ways(sizes: Sequence[float | None], unit: str, names: Sequence[str] = ()) -> list[Line]:
    """Lines at plus and minus the maximum magnitudes of legs, or of joints with names."""
    lines = _lines(sizes, "limit", unit, names)
    return [{**line, "value": sign * line["value"]} for line in lines for sign in (1, -1)]


def _of_group(
    limit: Limit, group: UnitGroup, units: DisplayUnits, least: Array, greatest: Array
) -> list[Line]:
    names = group.labels
    (least, unit), (greatest, _) = (as_read(e, group.unit, units) for e in (least, greatest))
    if limit.sides == "both ways":
        return both_ways(greatest.tolist(), unit, names)
    if limit.sides == "range":
        words = ("shortest", "longest") if limit.quantity == "leg_length" else ("lowest", "highest")
        ends = zip((least, greatest), words, strict=True)
        return [line for end, word in ends for line in _lines(end.tolist(), word, unit, names)]
    return _lines(greatest.tolist(), "limit", unit, names)


def _lines(
    values: Sequence[float | None], word: str, unit: str, names: Sequence[str] = ()
) -> list[Line]:
    """One line for each value, labelled with the legs or joints that have it unless all do."""
    places: dict[float, list[str]] = {}
    for name, value in zip(names or map(str, range(1, len(values) + 1)), values, strict=True):
        if value is not None and isfinite(value):
            places.setdefault(value, []).append(name)
    lines = []
    for value, those in places.items():
        listed = f" of {'' if names else 'leg '}{', '.join(those)}:"
        of = "" if len(those) == len(values) else listed
        label = f"{word}{of} {number_text(value)} {unit_text(unit)}"
        lines.append({"value": value, "label": label})
    return lines


def command_limits(results: Results) -> Array:
    """Return the maximum command of each leg, in the command's unit; infinite without limit."""
    limits = results.simulation.limits if results.simulation else ()
    return np.array(limits or [np.inf] * len(results.robot.actuators))


def command_lines(results: Results) -> list[Line]:
    """The limits of the commands, to be drawn."""
    if "command" not in results:
        return []
    command, units = results.quantity("command"), results.units
    limits = command_limits(results) / [units.of(unit)[0] for unit in command.units]
    return both_ways(limits.tolist(), units.name(command.unit), command.axes[0].labels)


def times_at_limit(results: Results) -> list[list[float]]:
    """Stretches of time [s] in which a command is at its limit, as [from, to]."""
    if "command" not in results or not at_limit(results).any():
        return []
    bounds = np.diff(at_limit(results).any(axis=1).astype(int), prepend=0, append=0)
    time = results.time[[*range(len(results)), -1]]  # what is at its limit to the end ends there
    start, end = time[bounds > 0], time[bounds < 0]
    apart = start[1:] - end[:-1] >= (time[-1] - time[0]) / _MOST_BANDS
    start, end = start[np.append(True, apart)], end[np.append(apart, True)]
    return [list(pair) for pair in zip(start.tolist(), end.tolist(), strict=True)]


def at_limit(results: Results) -> Any:
    """(T, legs): whether each command is at its limit."""
    return np.abs(results["command"]) >= command_limits(results) * (1 - 1e-9)
