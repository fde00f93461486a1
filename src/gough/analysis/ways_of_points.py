"""The same ways to sum up quantities over time, of many motions at once.

They give the numbers of `gough.analysis.ways`, bit by bit, but neither the leg nor the time of an
extreme.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.analysis import ways
from gough.analysis.axes import ENERGY, POSE_ERROR
from gough.analysis.extremes import reduced_rows
from gough.analysis.ways import Way, weighted
from gough.arrays import Array


@dataclass(frozen=True, eq=False)
class Courses:
    """A quantity along N motions at the same times."""

    time: Array
    """(T,) [s]"""
    values: Array
    """(N, T), or (N, T, legs, ...) of each leg."""

    def like(self, values: Array) -> Courses:
        """Other values at the same times."""
        return Courses(self.time, values)

    @cached_property
    def low(self) -> Array:
        """(N,) or (N, legs) the least of each."""
        return reduced_rows(self._turned, np.minimum)

    @cached_property
    def high(self) -> Array:
        """(N,) or (N, legs) the greatest of each."""
        return reduced_rows(self._turned, np.maximum)

    @cached_property
    def _turned(self) -> Array:
        """(N, T) or (N, legs, T): extremes are found quicker in one piece."""
        return np.ascontiguousarray(np.moveaxis(self.values, 1, -1))


class Sums(NamedTuple):
    """What one way of summing up comes to at N points: of the machine, and of each leg."""

    values: Array
    """(N,)"""
    per_leg: Array | None = None
    """(N, legs)"""


Find = Callable[[Courses], Sums]


def most(per_leg: Array, least: bool = False) -> Sums:
    """The value of the leg with the extreme one, for the machine."""
    worst = np.inf if least else -np.inf
    known = np.where(np.isnan(per_leg), worst, per_leg)
    leg = (np.argmin if least else np.argmax)(known, axis=-1)
    return Sums(np.take_along_axis(per_leg, leg[:, None], axis=-1)[:, 0], per_leg)


def _together(per_leg: Array) -> Sums:
    return Sums(per_leg.sum(axis=-1), per_leg)


def _greatest(of: Courses) -> Sums:
    return Sums(of.high) if of.high.ndim == 1 else most(of.high)


def _least(of: Courses) -> Sums:
    return Sums(of.low) if of.low.ndim == 1 else most(of.low, least=True)


def _largest_size(of: Courses) -> Sums:
    per_leg = np.maximum(of.high, -of.low)
    return Sums(per_leg) if per_leg.ndim == 1 else most(per_leg)


def _least_size(of: Courses) -> Sums:
    return _least(of.like(np.abs(of.values)))


def _longest_vector(of: Courses) -> Sums:
    square = np.square(of.values)
    return most(np.sqrt(of.like(square[..., 0] + square[..., 1] + square[..., 2]).high))


def _integral(of: Courses, function: Callable[[Array], Array]) -> Array:
    """(N, legs) integrals over time of a function of values."""
    parts = (weights @ function(of.values[:, part]) for part, weights in weighted(of.time))
    return np.asarray(sum(parts))


def _root_mean_square(of: Courses) -> Sums:
    return most(np.sqrt(_integral(of, np.square) / (of.time[-1] - of.time[0])))


def _used(of: Courses) -> Sums:
    used = of.high - of.low
    return Sums(used.max(axis=-1), used)


def _spent(of: Courses) -> Sums:
    return _together(_integral(of, lambda power: np.maximum(power, 0.0)))


def _returned(of: Courses) -> Sums:
    return _together(_integral(of, lambda power: np.maximum(-power, 0.0)))


def _net(of: Courses) -> Sums:
    spent, returned = _spent(of).per_leg, _returned(of).per_leg
    assert spent is not None
    assert returned is not None
    return _together(spent - returned)


def _of_all_legs(of: Courses) -> Sums:
    return _greatest(of.like(np.abs(of.values @ np.ones(of.values.shape[-1]))))


def _kinetic(of: Courses) -> Sums:
    places = [ENERGY.labels.index("kinetic")]
    return _greatest(of.like(of.values[..., places].sum(axis=-1)))


def _longest_part(part: str) -> Find:
    places = POSE_ERROR.part(part)

    def find(of: Courses) -> Sums:
        return _greatest(of.like(np.linalg.norm(of.values[..., places], axis=-1)))

    return find


def _least_of_first(of: Courses) -> Sums:
    return _least(of.like(of.values[..., 0]))


FIND: dict[Way, Find] = {
    **dict.fromkeys((ways.SHORTEST, ways.LOWEST, ways.LEAST, ways.SOFTEST), _least),
    **dict.fromkeys((ways.LONGEST, ways.HIGHEST, ways.LARGEST, ways.WORST), _greatest),
    **dict.fromkeys((ways.STROKE_USED, ways.TRAVEL_USED), _used),
    ways.PEAK: _largest_size,
    ways.PEAK_LENGTH: _longest_vector,
    ways.RMS: _root_mean_square,
    ways.SPENT: _spent,
    ways.RETURNED: _returned,
    ways.NET: _net,
    ways.PEAK_TOTAL: _of_all_legs,
    ways.LEAST_SIZE: _least_size,
    ways.PEAK_KINETIC: _kinetic,
    ways.FIRST: _least_of_first,
    ways.PEAK_WAY: _longest_part("linear"),
    ways.PEAK_TURN: _longest_part("angular"),
}
"""The ways that are known for many motions at once."""
