"""The charts of a report: which series stand together, under which titles, with which limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from gough.analysis.quantities import DEFINITIONS, in_groups
from gough.analysis.results import Results
from gough.report.limits import Limits, limits_of
from gough.report.packing import pack
from gough.report.series import Series, series_of
from gough.report.simulated import command_lines, times_at_limit
from gough.report.text import unit_text
from gough.report.thinning import thin

Chart = dict[str, Any]

_PARTS_TITLE = "What the forces are made of"
_UNKNOWN_TITLE = "Further quantities"
_SECTIONS: dict[str, tuple[str, ...]] = {
    "Following the motion": ("following",),
    "Actuators": ("forces", "legs"),
    "Motors": ("drives",),
    "Links that bend": ("links",),
    _UNKNOWN_TITLE: (),
    "Margins": ("margins",),
    _PARTS_TITLE: ("shares", "coupling"),
    "Closeness to singular configurations": ("singularity",),
    "Stiffness": ("stiffness",),
    "Vibration": ("vibration",),
    "Tolerances": ("tolerances",),
    "Passive joints": ("joints",),
    "Joint reactions": ("reactions",),
    "Motion and load of the platform": ("motion",),
}
"""The groups of quantities in each section; those of other groups stand with the unknown ones."""
_PARTS = {
    "Force by cause": ("force", *in_groups("shares")),
    "Force by coupling": ("force", *in_groups("coupling"), "external_share"),
}
"""Charts of what the force of one actuator is made of."""
_BESIDE_A_STUDY = ("force", "leg_length", "actuator_position")
_BESIDE_A_SIMULATION = ("pose_error.linear", "pose_error.angular")
_LARGEST_LOGARITHM, _LARGEST = 12.0, "10¹²"


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
    ended_early = results.simulation is not None and results.simulation.ended_early
    may_cut = bool(results.singularities) or ended_early
    charts = {key: _chart(key, series[key], limits, bands, may_cut) for key in _drawn(series)}
    simulated = _BESIDE_A_SIMULATION[0] in charts
    beside = [
        charts.pop(key)
        for key in (_BESIDE_A_SIMULATION if simulated else _BESIDE_A_STUDY)
        if key in charts
    ]
    sections = {
        title: [charts.pop(key) for group in groups for key in _of_group(group, series, charts)]
        for title, groups in _SECTIONS.items()
    }
    sections[_UNKNOWN_TITLE] = list(charts.values())
    sections[_PARTS_TITLE] = [*_part_charts(series, may_cut), *sections[_PARTS_TITLE]]
    numbers = _numbers_for([*beside, *(c for those in sections.values() for c in those)], series)
    numbered = [
        {"id": f"charts-{k}", "title": title, "charts": those}
        for k, (title, those) in enumerate(sections.items(), 1)
        if those
    ]
    return ChartPlan(beside, numbered, numbers)


def _drawn(series: Mapping[str, Series]) -> Iterator[str]:
    """The series that have a chart of their own: no parts of the force, nothing drawn over."""
    over = {one.wanted for one in series.values()}
    parts = {key for names in _PARTS.values() for key in names if DEFINITIONS[key].part}
    return (key for key in series if key == "force" or key not in over | parts)


def _of_group(group: str, series: Mapping[str, Series], left: Iterable[str]) -> list[str]:
    return [key for key in left if series[key].group == group]


def _chart(
    key: str,
    series: Series,
    limits: Limits,
    bands: Mapping[str, list[list[float]]],
    may_cut: bool,
) -> Chart:
    cut = series.logarithmic and (series.values > 10.0**_LARGEST_LOGARITHM).any()
    return {
        "kind": "named" if series.labels else "legs",
        "title": f"{series.title}, cut off at {_LARGEST}" if cut else series.title,
        "quantity": key,
        "labels": series.labels,
        "wanted": series.wanted,
        "log": series.logarithmic,
        "limits": limits.get(key) or limits.get(key.partition(".")[0], []),
        "bands": bands.get(key, []),
        "mayCut": may_cut and not series.labels,
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
    return {key: _numbers(series[key]) for key in keys}


def _numbers(series: Series) -> dict[str, Any]:
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
