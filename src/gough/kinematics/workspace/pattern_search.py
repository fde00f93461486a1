"""Minima of several functions in a cube, found together from a start each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gough.arrays import AnyArray, Array

_STEP, _HALVINGS = 0.25, 24
"""First step, and the number of halvings."""
_ROUNDS = 400
"""Maximum number of steps: functions may become lower by rounding alone, on and on."""


_STARTS, _APART = 4, 1.0
"""Maximum number of starts for one function, and the distance between them."""


class Minima(NamedTuple):
    """Minima of k functions."""

    places: Array
    """(k, n) in the cube [-1, 1]."""
    values: Array
    """(k)"""
    evaluations: int


def pattern_search(value: Callable[[Array], Array], starts: Array, free: AnyArray) -> Minima:
    """Follow k functions from `starts` (k, n) to minima nearby, within the cube [-1, 1].

    `value` takes places (k, m, n), m for each function, and returns their values (k, m); `free`
    (k, n) are the axes along which each function may move. The better of two neighbours along each
    axis is taken, in steps that are halved where none is better.
    """
    places, own = starts.copy(), np.arange(len(starts))
    values, evaluations = value(places[:, None])[:, 0], len(starts)
    ways = np.concatenate([np.eye(starts.shape[1]), -np.eye(starts.shape[1])])
    ways = ways[np.tile(free.any(axis=0), 2)]
    steps = np.full(len(places), _STEP)
    for _ in range(_ROUNDS):
        if not (steps > _STEP * 0.5**_HALVINGS).any():
            break
        moved = steps[:, None, None] * ways * free[:, None]
        tried = np.clip(places[:, None] + moved, -1.0, 1.0)
        found = value(tried)
        evaluations += found.size
        best = found.argmin(axis=1)
        better = found[own, best] < values
        places[better], values[better] = tried[own, best][better], found[own, best][better]
        steps[~better] /= 2
    return Minima(places, values, evaluations)


def lowest_apart(places: Array, values: Array, below: float) -> list[int]:
    """Choose starts for a function: its lowest places (n, m) of those up to a value, apart."""
    chosen: list[int] = []
    left = values <= below
    while left.any() and len(chosen) < _STARTS:
        k = int(np.where(left, values, np.inf).argmin())
        chosen.append(k)
        left &= np.abs(places - places[k]).max(axis=1) >= _APART
        left[k] = False
    return chosen
