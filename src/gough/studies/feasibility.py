"""Which points of a grid are feasible, and which of these is the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gough.analysis.figures import SAMPLES_WITHOUT_FORCES, figure_of
from gough.arrays import AnyArray, Array
from gough.errors import GoughError

if TYPE_CHECKING:
    from gough.studies.grid_results import GridResults

_ALARMS = {"below zero": np.less, "above zero": np.greater}


def feasible_points(results: GridResults) -> AnyArray:
    """(grid) whether a point was computed, passes no limit and has forces all along."""
    feasible = np.array([not error for error in results.errors]).reshape(results.shape)
    for name, figure in results.figures.items():
        alarm = figure_of(name).alarming
        if alarm:
            feasible &= ~_ALARMS[alarm](figure.values, 0)
    without = SAMPLES_WITHOUT_FORCES.name
    return feasible & (results[without] == 0) if without in results else feasible


def best_place(name: str, values: Array, feasible: AnyArray) -> tuple[int, ...] | None:
    """Where a figure is best among feasible points; None if it has a number at none of them."""
    worst = figure_of(name).worst
    if not worst:
        raise GoughError(
            f"{name}: neither more nor less of it is better; expected a figure such as peak_force"
        )
    known = feasible & np.isfinite(values)
    if not known.any():
        return None
    sign = -1.0 if worst == "min" else 1.0
    best = np.argmin(np.where(known, sign * values, np.inf))
    return tuple(int(k) for k in np.unravel_index(best, values.shape))
