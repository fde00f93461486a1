"""Extremes of long columns of numbers, of which some may be missing."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array

_BLOCK = 32


def reduced(values: Array, extreme: np.ufunc) -> Array:
    """(n,) the extreme of each column's numbers; NaN only where a column has no number."""
    found = _by_blocks(values, extreme)
    if np.isnan(found).any():
        found = _by_blocks(values, np.fmax if extreme is np.maximum else np.fmin)
    return found


def place(values: Array, least: bool = False) -> int:
    """The place of the extreme among the numbers; 0 if there is no number."""
    choose = np.argmin if least else np.argmax
    k = int(choose(values))
    if np.isnan(values[k]):
        k = int(choose(np.where(np.isnan(values), np.inf if least else -np.inf, values)))
    return k


def _by_blocks(values: Array, extreme: np.ufunc) -> Array:
    """`extreme.reduce` over the first axis, many rows at a time: NumPy is slow with short ones."""
    count, width = len(values) // _BLOCK, values.shape[1]
    if not count:
        return np.asarray(extreme.reduce(values, axis=0))
    blocks = extreme.reduce(values[: count * _BLOCK].reshape(count, -1), axis=0)
    rows = np.concatenate([blocks.reshape(_BLOCK, width), values[count * _BLOCK :]])
    return np.asarray(extreme.reduce(rows, axis=0))
