"""The limits that charts show beside the values: of forces, strokes, speeds, joints, commands."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from gough.analysis.limits import MARGINS, Limit
from gough.analysis.limits import limits_of as stated_limits
from gough.analysis.machine_table import table_of
from gough.report.text import number_text, unit_text
from gough.robot import Robot

Line = dict[str, Any]
Limits = dict[str, list[Line]]


def limits_of(robot: Robot) -> Limits:
    """Lines to draw, by series: {value, label} each."""
    found = {limit.quantity: _ends(limit, robot) for limit in stated_limits(robot)}
    return found | {name: [{"value": 0.0, "label": "limit"}] for name in MARGINS}


def both_ways(sizes: Sequence[float | None], unit: str) -> list[Line]:
    """Lines at plus and minus the largest sizes of the legs."""
    return [
        {**line, "value": sign * line["value"]}
        for line in _lines(sizes, "limit", unit)
        for sign in (1, -1)
    ]


def _ends(limit: Limit, robot: Robot) -> list[Line]:
    least, greatest = limit.ends(robot)
    unit = table_of(robot)[limit.quantity].unit
    if unit == "rad":
        least, greatest, unit = np.degrees(least), np.degrees(greatest), "deg"
    if limit.sides == "both ways":
        return both_ways(greatest.tolist(), unit)
    if limit.sides == "range":
        shortest = _lines(least.tolist(), "shortest", unit)
        return [*shortest, *_lines(greatest.tolist(), "longest", unit)]
    return _lines(greatest.tolist(), "limit", unit)


def _lines(values: Sequence[float | None], word: str, unit: str) -> list[Line]:
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
