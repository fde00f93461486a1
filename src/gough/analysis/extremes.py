"""Extremes of long columns of numbers, of which some may be missing."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array

_BLOCK = 32


def reduced(values: Array, extreme: np.ufunc) -> Array:
    """(..., n) the extreme of each column's numbers, of values (..., T, n).

    It is NaN only where a column has no number.
    """
    found = _by_blocks(values, extreme)
    if np.isnan(found).any():
        found = _by_blocks(values, np.fmax if extreme is np.maximum else np.fmin)
    return found


def reduced_rows(values: Array, extreme: np.ufunc) -> Array:
    """(...) the same of values (..., T), whose rows lie in one piece."""
    found = np.asarray(extreme.reduce(values, axis=-1))
    if np.isnan(found).any():
        known = np.fmax if extreme is np.maximum else np.fmin
        found = np.asarray(known.reduce(values, axis=-1))
    return found


def place(values: Array, least: bool = False) -> int:
    """The place of the extreme among the numbers; 0 if there is no number."""
    choose = np.argmin if least else np.argmax
    k = int(choose(values))
    if np.isnan(values[k]):
        k = int(choose(np.where(np.isnan(values), np.inf if least else -np.inf, values)))
    return k


def _by_blocks(values: Array, extreme: np.ufunc) -> Array:
    """`extreme.reduce` over rows, many rows at a time: NumPy is slow with short ones."""
    *points, length, width = values.shape
    count = length // _BLOCK
    if not count:
        return np.asarray(extreme.reduce(values, axis=-2))
    whole = values[..., : count * _BLOCK, :].reshape(*points, count, _BLOCK * width)
    blocks = extreme.reduce(whole, axis=-2).reshape(*points, _BLOCK, width)
    rows = np.concatenate([blocks, values[..., count * _BLOCK :, :]], axis=-2)
    return np.asarray(extreme.reduce(rows, axis=-2))
