"""Shares that sum to one, evenly spread: of a front's ends, or of what objectives weigh."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from gough.arrays import Array


def steps_for(count: int, points: int) -> int:
    """In how many steps each of so many shares goes from 0 to 1, for at least so many points."""
    steps = 1
    while comb(steps + count - 1, count - 1) < points:
        steps += 1
    return steps


def lattice(count: int, steps: int) -> Array:
    """All shares (points, count) that are whole numbers of steps."""
    bars = combinations(range(1, steps + count), count - 1)
    return np.array([np.diff([0, *bar, steps + count]) - 1 for bar in bars]) / steps
