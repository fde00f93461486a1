"""Rays from a centre: where they leave what is reachable, and how much of it lies along them.

Each ray is walked in equal steps; every step across which a pose becomes unreachable, or reachable
again, is halved until it is as short as numbers allow. All rays are walked together. Gaps shorter
than a step can be missed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.kinematics.charts import Chart
from gough.kinematics.progress import progress_bar

Array = np.ndarray[Any, np.dtype[Any]]

STEPS = 128
"""Steps along a ray."""
_HALVINGS = 40
_TOGETHER = 4096
"""Rays that are walked at once: an interruption waits for them."""


@dataclass(frozen=True)
class Rays:
    """What was found along n rays; distances in the chart's unit."""

    exits: Array
    """(n) the first distance at which something is not reachable; 0 if the centre is not."""
    farthest: Array
    """(n) the last distance at which something is reachable."""
    volume: Array
    """(n) reachable volume per solid angle along the ray, all its parts together."""
    parts: Array
    """(n) how many separate parts of the ray are reachable: more than one behind a gap."""


def walk(chart: Chart, directions: Array, *, title: str = "rays", progress: bool = False) -> Rays:
    """Follow rays (n, 3) from the chart's centre."""
    pieces = []
    with progress_bar(title, len(directions), progress) as advance:
        for first in range(0, len(directions), _TOGETHER):
            piece = directions[first : first + _TOGETHER]
            pieces.append(_walk(chart, piece))
            advance(len(piece))
    return Rays(*(np.concatenate(parts) for parts in zip(*pieces, strict=True)))


def _walk(chart: Chart, directions: Array) -> tuple[Array, Array, Array, Array]:
    n = len(directions)
    reach = chart.reach(directions)
    distances = reach[:, None] * np.linspace(0.0, 1.0, STEPS + 1)
    inside = chart.least(chart.centre, directions[:, None, :], distances) >= 0
    ray, step = np.nonzero(inside[:, 1:] != inside[:, :-1])
    edges = _halve(chart, directions[ray], distances[ray, step], distances[ray, step + 1])
    leaves = inside[ray, step]

    def summed(values: Array) -> Array:
        return np.bincount(ray, values, minlength=n).astype(float)  # also if there are none

    open_end = inside[:, -1]
    volume = summed(np.where(leaves, 1, -1) * chart.radial(edges))
    volume += open_end * chart.radial(reach)
    exits, farthest = np.where(inside[:, 0], reach, 0.0), np.where(open_end, reach, 0.0)
    np.minimum.at(exits, ray[leaves], np.where(inside[ray, 0], edges, 0.0)[leaves])
    np.maximum.at(farthest, ray[leaves], edges[leaves])
    return exits, farthest, volume, summed(leaves) + open_end


def _halve(chart: Chart, directions: Array, low: Array, high: Array) -> Array:
    """The distances between low and high at which being reachable changes."""
    starts_inside = chart.least(chart.centre, directions, low) >= 0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        as_low = (chart.least(chart.centre, directions, middle) >= 0) == starts_inside
        low, high = np.where(as_low, middle, low), np.where(as_low, high, middle)
    return (low + high) / 2
