"""An image of a workspace's boundary, seen along parallel lines, one for each pixel.

Lines are followed from the viewer into the box until a pose is reachable; the surface is found by
halving. So edges are sharp, and parts that cannot be seen from the centre are shown as well.
Renderers draw meshes, whose edges are as coarse as their cells: hence this own one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler.native.kernel import Kernel
from gough.kinematics.workspace.charts import Chart
from gough.kinematics.workspace.grids import sphere
from gough.kinematics.workspace.rays import around_change
from gough.kinematics.workspace.stated import ENDS

_STEPS, _HALVINGS, _NARROWINGS = 48, 24, 16
_TOGETHER = 16384
_DIFFERENCE = 1e-5
"""Step of the differences that give normals, relative to the box."""
_FEELERS, _FELT = 4, 5e-3
"""Number of polar angles of probed directions where legs do not meet; distance (of the box)."""


@dataclass(frozen=True)
class SeenSurface:
    """First intersection of each line; lines without one have `family` -1."""

    family: Array
    """(n) active limit: an index of ENDS."""
    normal: Array
    """(n, 3) outward unit vectors."""


def look(chart: Chart, margins: Kernel, starts: Array, along: Array, box: Array) -> SeenSurface:
    """Follow lines (n) from points `starts` in the direction `along`, inside a box (3, 2).

    Points are positions, or rotation vectors from the chart's centre.
    """
    family = np.full(len(starts), -1)
    normal = np.zeros((len(starts), 3))
    near, far = _through_box(starts, along, box)
    crossing = np.flatnonzero(near < far)
    for first in range(0, len(crossing), _TOGETHER):
        part = crossing[first : first + _TOGETHER]
        hit, outer = _first_hit(chart, starts[part], along, near[part], far[part])
        points = starts[part][hit] + along * outer[:, None]
        found, outward = _faces(chart, margins, points, float(np.ptp(box, axis=1).max()))
        family[part[hit]], normal[part[hit]] = found, outward
    return SeenSurface(family, normal)


def _least(chart: Chart, points: Array) -> Array:
    origin = chart.centre[:3] if chart.kind == "position" else 0.0
    return chart.least((points - origin) @ chart.basis, np.ones(()))


def _through_box(starts: Array, along: Array, box: Array) -> tuple[Array, Array]:
    """Distances of entry and exit of the box; entry > exit for lines that miss it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        walls = (box.T[:, None, :] - starts) / along
    return np.nanmax(walls.min(0), -1), np.nanmin(walls.max(0), -1)


def _first_hit(
    chart: Chart, starts: Array, along: Array, near: Array, far: Array
) -> tuple[AnyArray, Array]:
    """Lines that meet the workspace, and the last distance before it."""
    shares = np.linspace(0.0, 1.0, _STEPS + 1)
    distances = near[:, None] + (far - near)[:, None] * shares
    least = _least(chart, starts[:, None] + along * distances[..., None])
    inside = least >= 0
    step = np.where(inside.any(1), inside.argmax(1), least.argmax(1))
    rows = np.arange(len(starts))
    left, right = np.maximum(step - 1, 0), np.minimum(step + 1, _STEPS)
    best = least[rows, step]
    slopes = best - np.minimum(least[rows, left], least[rows, right])
    hit = np.flatnonzero(best + slopes >= 0)  # also wedges that may be thinner than a step
    starts, before = starts[hit], distances[hit, left[hit]]
    summit = _summit(chart, starts, along, before, distances[hit, right[hit]])
    within = np.where(best[hit] >= 0, distances[hit, step[hit]], summit)
    behind = _least(chart, starts + along * within[:, None])
    real = behind >= 0
    hit, starts = hit[real], starts[real]
    before, _ = around_change(
        lambda some, at: _least(chart, starts[some] + along * at[:, None]),
        (before[real], within[real]),
        (least[hit, left[hit]], behind[real]),
        _HALVINGS,
    )
    return hit, before


def _summit(chart: Chart, starts: Array, along: Array, low: Array, high: Array) -> Array:
    """Distance of the maximum of the minimum margin between two distances, by ternary search."""
    for _ in range(_NARROWINGS):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        rises = _least(chart, starts + along * a[:, None]) < _least(
            chart, starts + along * b[:, None]
        )
        low, high = np.where(rises, a, low), np.where(rises, high, b)
    return (low + high) / 2


def _faces(chart: Chart, margins: Kernel, points: Array, size: float) -> tuple[Array, Array]:
    """Violated limits at points just outside, and the directions in which the violation grows."""
    origin = chart.centre[:3] if chart.kind == "position" else 0.0
    rows = np.arange(len(points))

    def at(offset: Array) -> Array:
        return np.asarray(margins(chart.at(points + offset - origin, np.ones(len(points)))))

    here = at(np.zeros(3))
    unmet, limit = np.asarray(np.isnan(here).any(-1)), here.argmin(-1)
    h = _DIFFERENCE * size * np.eye(3)
    slope = np.stack([at(d)[rows, limit] - at(-d)[rows, limit] for d in h], -1)
    if unmet.any():  # nothing has a slope there: towards where the legs do meet
        feelers = sphere(_FEELERS)[0].reshape(-1, 3)
        met = [~np.isnan(at(_FELT * size * d)).any(-1) for d in feelers]
        slope = np.where(unmet[:, None], np.array(met).T.astype(float) @ feelers, slope)
    family = np.where(unmet, ENDS.index("assembly"), limit)
    return family, -slope / np.maximum(np.linalg.norm(slope, axis=-1, keepdims=True), 1e-300)
