"""Points of a machine's figure: joint centres, middles between them, places on the base."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from gough.arrays import Array

_CROSSBAR = 0.6
"""Two joints so much nearer to each other than is usual in their body are joined by a crossbar."""
_ARC_PIECES = 8
"""Bars that make a curved link."""
_APART = 1e-6
"""Points nearer than this part of the machine's extent are one."""


class ShapePoints:
    """Points by number: each a weighted mean of joint centres, or a place that stands still."""

    def __init__(self, at_home: Array) -> None:
        self.centers = at_home
        self._nearest = _APART * float(np.nanmax(np.ptp(at_home, axis=0)))
        self._weights: list[Array] = []
        self._offsets: list[Array] = []

    def center(self, row: int) -> int:
        """A joint centre, by its row."""
        return self._added(np.eye(len(self.centers))[row], np.zeros(3))

    def still(self, place: Array) -> int:
        """A place on the base [m]."""
        return self._added(np.zeros(len(self.centers)), place)

    def shifted(self, point: int, way: Array) -> int:
        """A point at a way [m], base axes, from one whose body does not turn."""
        return self._added(self._weights[point], self._offsets[point] + way)

    def middle(self, points: Sequence[int]) -> int:
        """The middle of points of one body, which moves as the body does."""
        weights = np.mean([self._weights[k] for k in points], axis=0)
        return self._added(weights, np.mean([self._offsets[k] for k in points], axis=0))

    def arc(self, start: int, end: int, centre: Array) -> list[int]:
        """Points of one body from one to another around a place that stands still [m].

        Directions from there turn evenly, and distances grow evenly.
        """
        arms = self.at_home((start, end)) - centre
        radii = np.linalg.norm(arms, axis=1)
        angle = float(np.arccos(np.clip(arms[0] @ arms[1] / radii.prod(), -1, 1)))
        inner = []
        for share in np.linspace(0, 1, _ARC_PIECES + 1)[1:-1]:
            radius = radii[0] + share * (radii[1] - radii[0])
            turned = np.sin(angle * np.array([1 - share, share])) / np.sin(angle)
            a, b = turned * radius / radii
            weights = a * self._weights[start] + b * self._weights[end]
            offset = a * self._offsets[start] + b * self._offsets[end] + (1 - a - b) * centre
            inner.append(self._added(weights, offset))
        return [start, *inner, end]

    def at_home(self, points: Sequence[int]) -> Array:
        """Where points are with the machine at home (n, 3) [m]."""
        return self.places(self.centers, points)

    def places(self, centers: Array, points: Sequence[int] | None = None) -> Array:
        """Where points, or all, are (..., n, 3) [m], from the joint centres (..., k, 3)."""
        weights, offsets = self.means(points)
        known = np.isfinite(self.centers).all(axis=1)
        return np.asarray(weights[:, known] @ centers[..., known, :] + offsets)

    def means(self, points: Sequence[int] | None = None) -> tuple[Array, Array]:
        """Return weights (n, k) and offsets (n, 3) [m] of points, or of all, from joint centres."""
        chosen = range(len(self._weights)) if points is None else points
        weights = np.reshape([self._weights[k] for k in chosen], (-1, len(self.centers)))
        return weights, np.reshape([self._offsets[k] for k in chosen], (-1, 3))

    def length(self, start: int, end: int, centers: Array) -> Array:
        """Return the distance of two points (...) [m]."""
        ends = self.places(centers, (start, end))
        return np.asarray(np.linalg.norm(ends[..., 1, :] - ends[..., 0, :], axis=-1))

    def apart(self, points: Sequence[int]) -> list[int]:
        """Those of the points that are at no other's place."""
        kept: list[int] = []
        for point in points:
            away = np.linalg.norm(self.at_home(kept) - self.at_home([point]), axis=1)
            if (away > self._nearest).all():
                kept.append(point)
        return kept

    def skeleton(self, points: Sequence[int]) -> list[tuple[int, int]]:
        """Lines that hold the points of one body together.

        The nearest two are joined by a crossbar, whose middle then stands for both; points of much
        the same distance from each other are joined to their middle.
        """
        lines: list[tuple[int, int]] = []
        left = self.apart(points)
        while len(left) > 2:
            pairs = list(combinations(left, 2))
            distances = [float(self.length(*pair, self.centers)) for pair in pairs]
            if min(distances) > _CROSSBAR * float(np.median(distances)):
                middle = self.middle(left)
                return [*lines, *((middle, point) for point in left)]
            nearest = pairs[int(np.argmin(distances))]
            lines.append(nearest)
            left = [*(k for k in left if k not in nearest), self.middle(nearest)]
        return [*lines, (left[0], left[1])] if len(left) == 2 else lines

    def _added(self, weights: Array, offset: Array) -> int:
        self._weights.append(weights)
        self._offsets.append(np.asarray(offset, dtype=float))
        return len(self._weights) - 1
