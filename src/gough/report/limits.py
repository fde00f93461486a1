"""The limits that charts show beside the values: of forces, strokes, speeds, joints, commands."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from gough.analysis.definition import UnitGroup
from gough.analysis.limits import MARGINS, Limit
from gough.analysis.limits import limits_of as stated_limits
from gough.analysis.quantities import table_of
from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.report.text import number_text, unit_text
from gough.robot import Robot

Line = PlainData
Limits = dict[str, list[Line]]


def limits_of(robot: Robot) -> Limits:
    """Lines to draw, by series: {value, label} each; rotary and linear joints have one each."""
    found: Limits = {name: [{"value": 0.0, "label": "limit"}] for name in MARGINS}
    for limit in (limit for limit in stated_limits(robot) if limit.reduction is None):
        groups = table_of(robot)[limit.quantity].by_unit
        for group in groups:
            series = limit.quantity if len(groups) == 1 else f"{limit.quantity}.{group.unit}"
            found[series] = _of_group(limit, group, *map(group.of, limit.ends(robot)))
    return found


def both_ways(sizes: Sequence[float | None], unit: str, names: Sequence[str] = ()) -> list[Line]:
    """Lines at plus and minus the maximum magnitudes of legs, or of joints with names."""
    return [
        {**line, "value": sign * line["value"]}
        for line in _lines(sizes, "limit", unit, names)
        for sign in (1, -1)
    ]


def _of_group(limit: Limit, group: UnitGroup, least: Array, greatest: Array) -> list[Line]:
    unit, names = group.unit, group.labels
    if unit == "rad":
        least, greatest, unit = np.degrees(least), np.degrees(greatest), "deg"
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
