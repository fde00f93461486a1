"""Where expressions of time are zero: every zero, however short the time between two of them.

An interval over which the bounds of an expression leave out zero has none; one over which those of
its rate do has at most one. All others are divided until nothing is left but a moment.

So nothing is missed, which no search by samples can promise (that of singular configurations, in
`gough.kinematics.singularity.search`, has nothing but samples of a kernel to go by).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.motion.motions.intervals import RATES, VALUES, Bounds, Truths
from gough.motion.problems import MotionError

MOMENT = 1e-10
"""Intervals of less than this share of the duration are not divided."""
MOST = 50_000_000
"""So many operations are spent before expressions are called too fast to be checked."""

_AT_ONCE = 4096
_PARTS = 4
_REFINING = 3
"""To refine a zero takes as long as so many bounds."""


class Zeros:
    """Finds the zeros of a column of expressions, given their rates."""

    def __init__(self, inputs: tuple[Any, ...], values: Any, rates: Any) -> None:
        self._values = Bounds(inputs, values, VALUES)
        self._rates = Bounds(inputs, rates, RATES)

    def __call__(
        self, duration: float, numbers: Array, evaluated: Callable[[Array], Array]
    ) -> Array:
        """The times [s] from 0 to a duration at which an expression begins or ceases to be zero.

        `evaluated` gives values, then rates. Of an expression that only touches zero within a
        moment it is the time at which it turns back.
        """

        def sides(t: Array) -> Truths:
            values = evaluated(t)
            return np.concatenate([values > 0.0, values < 0.0], axis=-1)

        pieces, wanted = self._around_zeros(duration, numbers)
        before, after = np.moveaxis(sides(pieces), 1, 0)
        which, columns = np.nonzero(np.tile(wanted, 2) & (before != after))
        low, high = pieces[which].T
        side = before[which, columns]
        for _ in range(60):
            middle = (low + high) / 2
            same = sides(middle)[np.arange(len(which)), columns] == side
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return np.unique(high)

    def _around_zeros(self, duration: float, numbers: Array) -> tuple[Array, Truths]:
        """Intervals (n, 2) with all zeros, and which values and rates may change sign in them."""
        found, wanted = [], []
        operations = len(self._values.steps) + len(self._rates.steps)
        pieces, spent = np.array([[0.0, duration]]), 0
        while len(pieces):
            now, later = pieces[:_AT_ONCE], pieces[_AT_ONCE:]
            if spent > MOST:
                raise MotionError(
                    f"it switches too fast to be checked, at t = {now[0, 0]:.6g} s and later",
                    expected="conditions, roots and quotients that are zero less often",
                )
            one, several = self._possible(now, numbers)
            divide = several.any(axis=-1) & (now[:, 1] - now[:, 0] > MOMENT * duration)
            keep = ~divide & (one | several).any(axis=-1)
            found.append(now[keep])
            wanted.append(np.concatenate([one | several, several], axis=-1)[keep])
            spent += operations * (len(now) + _REFINING * int(wanted[-1].sum()))
            pieces = np.concatenate([divided(now[divide], _PARTS), later])
        return np.concatenate(found), np.concatenate(wanted)

    def _possible(self, pieces: Array, numbers: Array) -> tuple[Truths, Truths]:
        """Which expressions may have one zero in each interval, and which several, (n, size)."""
        interval = pieces[:, 0], pieces[:, 1]
        low, high = self._values(interval, numbers)
        least, most = self._rates(interval, numbers)
        zero = (low <= 0.0) & (high >= 0.0) & (low < high)
        steady = np.isfinite([low, high, least, most]).all(axis=0) & ((least > 0.0) | (most < 0.0))
        return zero & steady, zero & ~steady


def divided(pieces: Array, parts: int) -> Array:
    """Each interval as several equal ones, in the order of time."""
    ends = np.linspace(pieces[:, 0], pieces[:, 1], parts + 1, axis=-1)
    return np.stack([ends[:, :-1], ends[:, 1:]], axis=-1).reshape(-1, 2)
