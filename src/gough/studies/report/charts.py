"""The charts of a report: which series stand together, under which titles, with which limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from math import degrees
from typing import Any

import numpy as np

from gough.robot import Robot
from gough.studies.report.packing import pack
from gough.studies.report.series import Series
from gough.studies.report.text import number_text, unit_text
from gough.studies.report.thinning import thin

Chart = dict[str, Any]
Limits = list[dict[str, Any]]

_XYZ = ["x", "y", "z"]
_NEAR_MACHINE = (("force", "Actuator force"), ("leg_length", "Leg length"))
_LEGS: dict[str, tuple[tuple[str, str], ...]] = {
    "Actuators": (
        ("power", "Actuator power"),
        ("leg_speed", "Leg speed"),
        ("leg_acceleration", "Leg acceleration"),
    ),
    "Margins": (
        ("force_index", "Force index: share of the force that is left"),
        ("stroke_margin", "Stroke margin"),
        ("speed_margin", "Speed margin"),
    ),
    "What the forces are made of": (
        ("gravity_only_error", "Left out by a model that knows only the legs' weight"),
    ),
    "Closeness to singular configurations": (),
    "Passive joints": (
        ("universal_joint_angle.1", "Base joint, turn about its first axis"),
        ("universal_joint_angle.2", "Base joint, turn about its second axis"),
        ("base_joint_tilt", "Base joint, tilt from home"),
        ("spherical_joint_tilt", "Platform joint, tilt from home"),
    ),
    "Joint reactions": (
        ("base_force.size", "Force in the base joint"),
        ("platform_force.size", "Force in the platform joint"),
        ("slide_force.size", "Force across the slide"),
        ("base_moment.size", "Moment in the base joint"),
        ("slide_moment.size", "Moment in the slide"),
    ),
    "Motion and load of the platform": (),
}
"""Charts with a line for each leg, by section."""
_NAMED: dict[str, tuple[tuple[str, str, list[str]], ...]] = {
    "Actuators": (("energy", "Energy of the machine", ["kinetic", "potential"]),),
    "Closeness to singular configurations": (
        ("condition", "Condition number of J", ["condition number"]),
        ("determinant", "Determinant of J", ["determinant"]),
    ),
    "Motion and load of the platform": (
        ("pose.position", "Position of the platform", _XYZ),
        ("pose.orientation", "Orientation of the platform", ["roll", "pitch", "yaw"]),
        ("twist.linear", "Velocity", _XYZ),
        ("twist.angular", "Angular velocity", _XYZ),
        ("acceleration.linear", "Acceleration", _XYZ),
        ("acceleration.angular", "Angular acceleration", _XYZ),
        ("wrench.linear", "Force of the tasks", _XYZ),
        ("wrench.angular", "Moment of the tasks", _XYZ),
    ),
}
"""Charts whose lines have names of their own, by section."""
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
_LARGEST_LOGARITHM = 12.0


def beside_the_machine(robot: Robot, series: Mapping[str, Series], singular: bool) -> list[Chart]:
    """The charts that stand beside the machine."""
    return _leg_charts(robot, series, singular, _NEAR_MACHINE)


def sections(robot: Robot, series: Mapping[str, Series], singular: bool) -> list[dict[str, Any]]:
    """All further charts, by subject."""
    found = []
    for k, (title, legs) in enumerate(_LEGS.items(), 1):
        parts = _part_charts(series, singular) if title.startswith("What the forces") else []
        charts = [
            *parts,
            *_leg_charts(robot, series, singular, legs),
            *_named_charts(series, _NAMED.get(title, ())),
        ]
        if charts:
            found.append({"id": f"charts-{k}", "title": title, "charts": charts})
    return found


def numbers_for(charts: Iterable[Chart], series: Mapping[str, Series]) -> dict[str, Any]:
    """The numbers that charts draw, thinned and packed, each series once."""
    keys = dict.fromkeys(
        key
        for chart in charts
        for key in [chart.get("quantity"), *(part["quantity"] for part in chart.get("parts", ()))]
        if key
    )
    return {key: _numbers(key, series[key]) for key in keys}


def _numbers(key: str, series: Series) -> dict[str, Any]:
    rows = np.ascontiguousarray(series.values.T, dtype=float)
    if key in _LOGARITHMIC:
        rows = np.log10(np.clip(rows, 1.0, 10.0**_LARGEST_LOGARITHM))
    packed = pack(thin(rows))
    return {"unit": unit_text(series.unit), "meaning": series.meaning, "packed": packed}


def _leg_charts(
    robot: Robot, series: Mapping[str, Series], singular: bool, wanted: Iterable[tuple[str, str]]
) -> list[Chart]:
    return [
        {
            "kind": "legs",
            "title": title,
            "quantity": key,
            "limits": _LIMITS[key](robot) if key in _LIMITS else [],
            "mayCut": singular,
        }
        for key, title in wanted
        if key in series
    ]


def _named_charts(
    series: Mapping[str, Series], wanted: Iterable[tuple[str, str, list[str]]]
) -> list[Chart]:
    return [
        {
            "kind": "named",
            "title": title,
            "quantity": key,
            "labels": labels,
            "log": key in _LOGARITHMIC,
        }
        for key, title, labels in wanted
        if key in series
    ]


def _part_charts(series: Mapping[str, Series], singular: bool) -> list[Chart]:
    charts = []
    for title, parts in _PARTS.items():
        there = [
            {"quantity": key, "label": label, "total": key == "force"}
            for key, label in parts.items()
            if key in series
        ]
        if len(there) > 1:
            charts.append({"kind": "parts", "title": title, "parts": there, "mayCut": singular})
    return charts


def _shared(robot: Robot, name: str) -> Any:
    """A limit that all legs have in common, or None."""
    values = [getattr(leg, name) for leg in robot.legs]
    return values[0] if all(a == b for a, b in pairwise(values)) else None


def _both_ways(name: str, unit: str) -> Callable[[Robot], Limits]:
    def limits(robot: Robot) -> Limits:
        limit = _shared(robot, name)
        label = "" if limit is None else f"limit {number_text(limit)} {unit}"
        return [] if limit is None else [{"value": s * limit, "label": label} for s in (1, -1)]

    return limits


def _stroke(robot: Robot) -> Limits:
    ends = _shared(robot, "stroke") or ()
    return [
        {"value": end, "label": f"{word} {number_text(end)} m"}
        for end, word in zip(ends, ("shortest", "longest"), strict=False)
    ]


def _largest_angle(name: str) -> Callable[[Robot], Limits]:
    def limits(robot: Robot) -> Limits:
        limit = _shared(robot, name)
        if limit is None:
            return []
        return [{"value": degrees(limit), "label": f"limit {number_text(degrees(limit))} deg"}]

    return limits


def _zero(_: Robot) -> Limits:
    return [{"value": 0.0, "label": "limit"}]


_LIMITS: dict[str, Callable[[Robot], Limits]] = {
    "force": _both_ways("max_force", "N"),
    "leg_speed": _both_ways("max_speed", "m/s"),
    "leg_length": _stroke,
    "force_index": _zero,
    "stroke_margin": _zero,
    "speed_margin": _zero,
    "base_joint_tilt": _largest_angle("base_joint_limit"),
    "spherical_joint_tilt": _largest_angle("platform_joint_limit"),
}
