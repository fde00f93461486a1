"""The limits that charts show beside the values: of forces, strokes, speeds, joints, commands."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np

from gough.analysis.definition import Alike
from gough.analysis.limits import MARGINS, Limit
from gough.analysis.limits import limits_of as stated_limits
from gough.analysis.machine_table import table_of
from gough.report.text import number_text, unit_text
from gough.robot import Robot

Line = dict[str, Any]
Limits = dict[str, list[Line]]


def limits_of(robot: Robot) -> Limits:
    """Lines to draw, by series: {value, label} each."""
    found = {}
    for limit in stated_limits(robot):
        alike = table_of(robot)[limit.quantity].by_unit()
        for some in alike:
            key = limit.quantity if len(alike) == 1 else f"{limit.quantity}.{some.unit}"
            found[key] = _ends(limit, robot, some)
    return found | {name: [{"value": 0.0, "label": "limit"}] for name in MARGINS}


def both_ways(sizes: Sequence[float | None], unit: str, names: Sequence[str] = ()) -> list[Line]:
    """Lines at plus and minus the largest sizes of legs, or of actuators with names."""
    return [
        {**line, "value": sign * line["value"]}
        for line in _lines(sizes, "limit", unit, names)
        for sign in (1, -1)
    ]


def _ends(limit: Limit, robot: Robot, some: Alike) -> list[Line]:
    least, greatest = (some.of(ends) for ends in limit.ends(robot))
    unit, names = some.unit, some.labels
    if unit == "rad":
        least, greatest, unit = np.degrees(least), np.degrees(greatest), "deg"
    if limit.sides == "both ways":
        return both_ways(greatest.tolist(), unit, names)
    if limit.sides == "range":
        below, above = ("least", "greatest") if names else ("shortest", "longest")
        lower = _lines(least.tolist(), below, unit, names)
        return [*lower, *_lines(greatest.tolist(), above, unit, names)]
    return _lines(greatest.tolist(), "limit", unit, names)


def _lines(
    values: Sequence[float | None], word: str, unit: str, names: Sequence[str]
) -> list[Line]:
    """One line for each value, labelled with the legs or joints that have it unless all do."""
    holders: dict[float, list[str]] = {}
    for k, value in enumerate(values):
        if value is not None and isfinite(value):
            holders.setdefault(value, []).append(names[k] if names else str(k + 1))
    lines = []
    for value, those in holders.items():
        listed = f"{'' if names else 'leg '}{', '.join(those)}"
        of = "" if len(those) == len(values) else f" of {listed}:"
        label = f"{word}{of} {number_text(value)} {unit_text(unit)}"
        lines.append({"value": value, "label": label})
    return lines
