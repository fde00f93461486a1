"""The charts of a report: which series stand together, under which titles, with which limits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gough.analysis.results import ENERGY_PARTS, Results
from gough.report.limits import Limits, limits_of
from gough.report.packing import pack
from gough.report.series import Series, series_of
from gough.report.simulated import command_lines, ended_early, times_at_limit
from gough.report.text import heading_text, unit_text
from gough.report.thinning import thin

Chart = dict[str, Any]


class Titled(NamedTuple):
    """A series with the title of its chart; without labels, a line is a leg."""

    key: str
    title: str
    labels: tuple[str, ...] = ()
    wanted: str = ""
    """The series that should have been, drawn over it."""


_XYZ = ("x", "y", "z")
_TURNS = ("roll", "pitch", "yaw")
_POSITION_ERROR = Titled("pose_error.linear", "Position error: wanted less reached", _XYZ)
_ATTITUDE_ERROR = Titled("pose_error.angular", "Attitude error: rotation vector", _XYZ)
_FORCE = Titled("force", "Actuator force")
_LEG_LENGTH = Titled("leg_length", "Leg length")
_PARTS_TITLE = "What the forces are made of"
_UNKNOWN_TITLE = "Further quantities"

_SECTIONS: dict[str, tuple[Titled, ...]] = {
    "Following the motion": (
        _POSITION_ERROR,
        _ATTITUDE_ERROR,
        Titled("leg_length_error", "Leg length error: wanted less reached"),
        Titled("command", "Command"),
        Titled("way", "Way from the beginning, wanted and reached", _XYZ, "wanted_way"),
        Titled("pose.orientation", "Orientation, wanted and reached", _TURNS, "wanted_orientation"),
    ),
    "Actuators": (
        _FORCE,
        _LEG_LENGTH,
        Titled("power", "Actuator power"),
        Titled("leg_speed", "Leg speed"),
        Titled("leg_acceleration", "Leg acceleration"),
        Titled("energy", "Energy of the machine", ENERGY_PARTS[:2]),
        Titled("stored_energy", "Stored energy by where it is", ENERGY_PARTS),
    ),
    "Motors": (
        Titled("motor_current", "Motor current"),
        Titled("motor_voltage", "Motor voltage"),
        Titled("motor_power", "Electrical power"),
        Titled("motor_speed", "Motor speed"),
        Titled("motor_torque", "Motor torque"),
    ),
    _UNKNOWN_TITLE: (),
    "Margins": (
        Titled("force_index", "Force index: share of the force that is left"),
        Titled("stroke_margin", "Stroke margin"),
        Titled("speed_margin", "Speed margin"),
    ),
    _PARTS_TITLE: (
        Titled("gravity_only_error", "Left out by a model that knows only the legs' weight"),
    ),
    "Closeness to singular configurations": (
        Titled("condition", "Condition number of J", ("condition number",)),
        Titled("determinant", "Determinant of J", ("determinant",)),
        Titled("universal_joint_sine", "Sine between a leg and its base joint's first axis"),
    ),
    "Passive joints": (
        Titled("universal_joint_angle.1", "Base joint, turn about its first axis"),
        Titled("universal_joint_angle.2", "Base joint, turn about its second axis"),
        Titled("base_joint_tilt", "Base joint, tilt from home"),
        Titled("spherical_joint_tilt", "Platform joint, tilt from home"),
    ),
    "Joint reactions": (
        Titled("base_force.size", "Force in the base joint"),
        Titled("platform_force.size", "Force in the platform joint"),
        Titled("slide_force.size", "Force across the slide"),
        Titled("base_moment.size", "Moment in the base joint"),
        Titled("slide_moment.size", "Moment in the slide"),
    ),
    "Motion and load of the platform": (
        Titled("pose.position", "Position of the platform", _XYZ),
        Titled("pose.orientation", "Orientation of the platform", _TURNS),
        Titled("twist.linear", "Velocity", _XYZ),
        Titled("twist.angular", "Angular velocity", _XYZ),
        Titled("acceleration.linear", "Acceleration", _XYZ),
        Titled("acceleration.angular", "Angular acceleration", _XYZ),
        Titled("wrench.linear", "Force of the tasks", _XYZ),
        Titled("wrench.angular", "Moment of the tasks", _XYZ),
    ),
}
"""Charts by section; a series that could stand in several places stands in the first of them."""
_PARTS: dict[str, dict[str, str]] = {
    "Force by cause": {
        "force": "whole force",
        "gravity_share": "weights",
        "inertia_share": "acceleration",
        "velocity_share": "velocity",
        "external_share": "tasks",
    },
    "Force by coupling": {
        "force": "whole force",
        "platform_share": "platform",
        "leg_gravity_share": "legs' weight",
        "tangential_share": "tangential",
        "coriolis_share": "Coriolis",
        "centrifugal_share": "centrifugal",
        "external_share": "tasks",
    },
}
"""Charts of what the force of one leg is made of."""
_LOGARITHMIC = ("condition",)
_LARGEST_LOGARITHM, _LARGEST = 12.0, "10¹²"
_LEGS = 6
_BESIDE = "beside the machine"


class ChartPlan(NamedTuple):
    """All charts of a page, and the numbers that they draw."""

    beside: list[Chart]
    """Those beside the machine."""
    sections: list[dict[str, Any]]
    """All further ones, by subject: {id, title, charts} each."""
    numbers: dict[str, Any]
    """Of each series, thinned and packed: {unit, meaning, packed}."""


def chart_plan(results: Results) -> ChartPlan:
    """Every series of the results in a chart, whether the page knows what it is or not."""
    series = series_of(results)
    limits = limits_of(results.robot) | {"command": command_lines(results)}
    bands = {"command": times_at_limit(results)}
    may_cut = bool(results.singularities) or ended_early(results)
    charts = {
        title: [_chart(entry, limits, bands, may_cut) for entry in entries]
        for title, entries in _placed(series).items()
    }
    charts[_PARTS_TITLE] = [*_part_charts(series, may_cut), *charts[_PARTS_TITLE]]
    numbers = _numbers_for([chart for those in charts.values() for chart in those], series)
    beside = charts.pop(_BESIDE)
    sections = [
        {"id": f"charts-{k}", "title": title, "charts": those}
        for k, (title, those) in enumerate(charts.items(), 1)
        if those
    ]
    return ChartPlan(beside, sections, numbers)


def _placed(series: Mapping[str, Series]) -> dict[str, list[Titled]]:
    """What stands where: each series in the first place that wants it, unknown ones together."""
    simulated = _POSITION_ERROR.key in series
    beside = (_POSITION_ERROR, _ATTITUDE_ERROR) if simulated else (_FORCE, _LEG_LENGTH)
    placed: dict[str, list[Titled]] = {}
    taken: set[str] = set()
    for title, entries in {_BESIDE: beside, **_SECTIONS}.items():
        placed[title] = []
        for entry in entries:
            needed = {entry.key, entry.wanted or entry.key}
            if needed <= series.keys() and entry.key not in taken:
                taken |= needed
                placed[title].append(_as_drawn(entry, series[entry.key]))
    shares = {key for parts in _PARTS.values() for key in parts}
    unknown = [key for key in series if key not in taken | shares]
    placed[_UNKNOWN_TITLE] = [_under_its_own_name(key, series[key]) for key in unknown]
    return placed


def _as_drawn(entry: Titled, series: Series) -> Titled:
    """The same, under a title that says where a chart is cut off."""
    if entry.key in _LOGARITHMIC and (series.values > 10.0**_LARGEST_LOGARITHM).any():
        return entry._replace(title=f"{entry.title}, cut off at {_LARGEST}")
    return entry


def _under_its_own_name(key: str, series: Series) -> Titled:
    count, title = series.values.shape[1], heading_text(key.replace(".", ", "))
    numbers = tuple(map(str, range(1, count + 1)))
    labels: dict[int, tuple[str, ...]] = {_LEGS: (), 3: _XYZ, 1: (title,)}
    return Titled(key, title, labels.get(count, numbers))


def _chart(
    entry: Titled, limits: Limits, bands: Mapping[str, list[list[float]]], may_cut: bool
) -> Chart:
    key, title, labels, wanted = entry
    return {
        "kind": "named" if labels else "legs",
        "title": title,
        "quantity": key,
        "labels": labels,
        "wanted": wanted,
        "log": key in _LOGARITHMIC,
        "limits": limits.get(key, []),
        "bands": bands.get(key, []),
        "mayCut": may_cut and not labels,
    }


def _numbers_for(charts: Iterable[Chart], series: Mapping[str, Series]) -> dict[str, Any]:
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
    return {key: _numbers(key, series[key]) for key in keys}


def _numbers(key: str, series: Series) -> dict[str, Any]:
    rows = np.ascontiguousarray(series.values.T, dtype=float)
    if key in _LOGARITHMIC:
        rows = np.log10(np.clip(rows, 1.0, 10.0**_LARGEST_LOGARITHM))
    packed = pack(thin(rows))
    return {"unit": unit_text(series.unit), "meaning": series.meaning, "packed": packed}


def _part_charts(series: Mapping[str, Series], may_cut: bool) -> list[Chart]:
    charts = []
    for title, parts in _PARTS.items():
        there = [
            {"quantity": key, "label": label, "total": key == "force"}
            for key, label in parts.items()
            if key in series
        ]
        if len(there) > 1:
            charts.append({"kind": "parts", "title": title, "parts": there, "mayCut": may_cut})
    return charts
