"""The limits that charts show beside the values: of forces, strokes, speeds, joints, commands."""

from __future__ import annotations

from collections.abc import Sequence
from math import degrees, isfinite
from typing import Any

from gough.robot import Robot
from gough.studies.report.text import number_text, unit_text

Limit = dict[str, Any]
Limits = dict[str, list[Limit]]

_ZERO = ("force_index", "stroke_margin", "speed_margin")


def limits_of(robot: Robot) -> Limits:
    """Lines to draw, by series: {value, label} each."""
    found = {
        "force": both_ways(_of_legs(robot, "max_force"), "N"),
        "leg_speed": both_ways(_of_legs(robot, "max_speed"), "m/s"),
        "leg_length": _strokes(robot),
        "motor_current": both_ways(_of_drives(robot, "max_current"), "A"),
        "motor_voltage": both_ways(_of_drives(robot, "max_voltage"), "V"),
        "base_joint_tilt": _angles(robot, "base_joint_limit"),
        "spherical_joint_tilt": _angles(robot, "platform_joint_limit"),
    }
    return found | {name: [{"value": 0.0, "label": "limit"}] for name in _ZERO}


def both_ways(sizes: Sequence[float | None], unit: str) -> list[Limit]:
    """Lines at plus and minus the largest sizes of the legs."""
    return [
        {**line, "value": sign * line["value"]}
        for line in _lines(sizes, "limit", unit)
        for sign in (1, -1)
    ]


def _of_legs(robot: Robot, name: str) -> list[float | None]:
    return [getattr(leg, name) for leg in robot.legs]


def _of_drives(robot: Robot, name: str) -> list[float | None]:
    return [getattr(leg.drive, name, None) for leg in robot.legs]


def _strokes(robot: Robot) -> list[Limit]:
    ends = [leg.stroke or (None, None) for leg in robot.legs]
    shortest, longest = zip(*ends, strict=True)
    return [*_lines(shortest, "shortest", "m"), *_lines(longest, "longest", "m")]


def _angles(robot: Robot, name: str) -> list[Limit]:
    largest = [None if a is None else degrees(a) for a in _of_legs(robot, name)]
    return _lines(largest, "limit", "deg")


def _lines(values: Sequence[float | None], word: str, unit: str) -> list[Limit]:
    """One line for each value, labelled with the legs that have it unless all do."""
    legs: dict[float, list[str]] = {}
    for leg, value in enumerate(values, 1):
        if value is not None and isfinite(value):
            legs.setdefault(value, []).append(str(leg))
    lines = []
    for value, those in legs.items():
        of = "" if len(those) == len(values) else f" of leg {', '.join(those)}:"
        label = f"{word}{of} {number_text(value)} {unit_text(unit)}"
        lines.append({"value": value, "label": label})
    return lines
