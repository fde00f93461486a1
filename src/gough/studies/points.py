"""One point of a grid of variations: its figures, as an object and as a line of text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gough.analysis.results import Results, Scalar

Definitions = dict[str, tuple[str, str, tuple[str, ...]]]
"""Unit, meaning and names of places of each figure, which all points share."""


@dataclass(frozen=True)
class Point:
    """What one point of the grid came to; `error` says why it came to nothing."""

    index: int
    summary: Mapping[str, Scalar] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    singular_times: tuple[float, ...] = ()
    error: str = ""
    series: str = ""
    """The checksum of the file with its quantities over time, where that is kept."""

    @classmethod
    def of(cls, index: int, results: Results, series: str) -> Point:
        """The point of its results."""
        times = tuple(point.time for point in results.singularities)
        return cls(index, results.summary, results.warnings, times, series=series)


def as_lines(point: Point, known: Definitions) -> list[str]:
    """The point as a line; before it, a line with the figures that are not known yet."""
    new = {n: (s.unit, s.meaning, s.labels) for n, s in point.summary.items() if n not in known}
    known |= new
    lines = [json.dumps({"figures": new})] if new else []
    data = {
        "index": point.index,
        "summary": {n: [s.value, s.leg, s.time, s.per_leg] for n, s in point.summary.items()},
        "warnings": point.warnings,
        "singular_times": point.singular_times,
        "error": point.error,
        "series": point.series,
    }
    return [*lines, json.dumps(data)]


def from_line(line: str, known: Definitions) -> Point | None:
    """The point of a line, or None for a line that only makes figures known."""
    data: dict[str, Any] = json.loads(line)
    if "figures" in data:
        known |= {
            name: (unit, meaning, tuple(labels))
            for name, (unit, meaning, labels) in data["figures"].items()
        }
        return None
    summary = {
        name: Scalar(name, *known[name][:2], value, tuple(per_leg), leg, time, known[name][2])
        for name, (value, leg, time, per_leg) in data["summary"].items()
    }
    return Point(
        data["index"],
        summary,
        tuple(data["warnings"]),
        tuple(data["singular_times"]),
        data["error"],
        data["series"],
    )
