"""Force over speed as a figure of a page: every sample, and the limits of actuators."""

from math import floor, log10
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.fields.display_units import SI, DisplayUnits
from gough.report.tables import COLOURS
from gough.report.text import short_text
from gough.sizing.force_speed import ForceSpeed

_WIDTH, _HEIGHT = 640.0, 330.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 66.0, 14.0, 10.0, 42.0
_TICKS = 6
_ROOM = 1.06  # extent of the axes, over the farthest point
_FAR = 2.5  # an outline that is farther than so many times the samples is cut off


def force_speed_drawing(chart: ForceSpeed, units: DisplayUnits = SI) -> PlainData:
    """Return parts of the figure for SVG templates: ticks, paths, outlines, in units to display."""
    (second, speed_unit), (newton, force_unit) = map(units.of, chart.units)
    across, up = _reach(chart, 0), _reach(chart, 1)

    def x(speed: Any) -> Any:
        return _LEFT + (speed / across + 1) / 2 * (_WIDTH - _LEFT - _RIGHT)

    def y(force: Any) -> Any:
        return _TOP + (1 - force / up) / 2 * (_HEIGHT - _TOP - _BOTTOM)

    samples = zip(chart.numbers, chart.names, chart.speed, chart.force, strict=True)
    return {
        "turning": chart.turning,
        "width": _WIDTH,
        "height": _HEIGHT,
        "left": _LEFT,
        "top": _TOP,
        "right": _WIDTH - _RIGHT,
        "bottom": _HEIGHT - _BOTTOM,
        "across": [(x(v * second), short_text(v)) for v in _ticks(across / second)],
        "up": [(y(v * newton), short_text(v)) for v in _ticks(up / newton)],
        "speed": f"speed [{speed_unit}]",
        "force": f"{'torque' if chart.turning else 'force'} [{force_unit}]",
        "points": [
            {"name": name, "colour": k % COLOURS + 1, "path": _dots(x(speed), y(force))}
            for k, name, speed, force in samples
        ],
        "outlines": [
            {
                "label": outline.label,
                "dashed": outline.dashed,
                "path": " ".join(_line(x(speed), y(force)) for speed, force in outline.parts()),
            }
            for outline in chart.outlines
        ],
    }


def _dots(x: Array, y: Array) -> str:
    """A dot for every sample that has numbers; those side by side are one dash."""
    known = np.isfinite(x) & np.isfinite(y)
    if not known.any():
        return ""
    places = np.stack([y[known], x[known]], axis=1)
    y, x = np.unique(np.round(places).astype(int), axis=0).T
    starts = np.flatnonzero(np.append(True, (np.diff(y) != 0) | (np.diff(x) != 1)))
    ends = np.append(starts[1:], len(x)) - 1
    dashes = np.stack([x[starts], y[starts], x[ends] - x[starts]], axis=1).tolist()
    return "".join(f"M{left} {row}h{width}" for left, row, width in dashes)


def _line(x: Array, y: Array) -> str:
    places = zip(x.tolist(), y.tolist(), strict=True)
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)


def _reach(chart: ForceSpeed, part: int) -> float:
    """Return the maximum speed, or force, of the axes: all samples, and outlines that are near."""
    samples = (chart.speed, chart.force)[part]
    far = max(float(np.nanmax(np.abs(values), initial=0.0)) for values in samples)
    for outline in chart.outlines:
        most = float(np.max((outline.speed, outline.force)[part]))
        if outline.kind == "closed" or most <= _FAR * far:
            far = max(far, most)
    return _ROOM * far or 1.0


def _ticks(reach: float) -> list[float]:
    """Round numbers from -reach to reach."""
    raw = 2 * reach / _TICKS
    power = 10.0 ** floor(log10(raw))
    step = power * next(m for m in (1, 2, 5, 10) if m * power >= raw)
    last = floor(reach / step)
    return [k * step for k in range(-last, last + 1)] if last else [0.0]
