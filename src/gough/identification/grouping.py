"""Which columns of a matrix are independent, and what the others are made of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg

from gough.arrays import AnyArray, Array
from gough.digits import short_decimal

RANK = 1e-9
"""A column of length one is a sum of those before it if less than this is left of it."""
FACTOR = 1e-8
"""Factors below this share of the largest one in a sum are rounding errors."""
_DIGITS = 4


def independent(columns: Array) -> AnyArray:
    """Places of the columns that are no sum of those before them.

    Earlier columns are kept first, so that the order says which ones stand for a group.
    """
    lengths = np.linalg.norm(columns, axis=0)
    unit = columns / np.where(lengths > 0.0, lengths, 1.0)
    kept, basis = list[int](), np.empty((len(columns), 0))
    for k in np.flatnonzero(lengths > RANK * lengths.max(initial=0.0)):
        left = unit[:, k]
        for _ in range(2):  # once more, for what rounding left
            left = left - basis @ (basis.T @ left)
        if (size := np.linalg.norm(left)) > RANK:
            kept.append(int(k))
            basis = np.column_stack([basis, left / size])
    return np.array(kept, dtype=int)


def groups(columns: Array, kept: AnyArray) -> Array:
    """K (kept x all): columns = columns[:, kept] K, so that K times all numbers are the groups'."""
    if not len(kept):
        return np.zeros((0, columns.shape[1]))
    lengths = np.linalg.norm(columns[:, kept], axis=0)
    factors = linalg.lstsq(columns[:, kept] / lengths, columns)[0]
    size = np.linalg.norm(columns, axis=0)
    factors[np.abs(factors) < np.maximum(FACTOR * size, RANK * size.max())] = 0.0
    K = factors / lengths[:, None]
    K[:, kept] = np.eye(len(kept))
    return np.asarray(K)


def in_words(factors: Array, names: Sequence[str]) -> str:
    """A sum of named numbers, such as `platform.mass + 0.5 legs[0].piston.mass`."""
    terms = [_term(f, name) for f, name in zip(factors, names, strict=True) if f != 0.0]
    return " ".join(terms).removeprefix("+ ")


def _term(factor: float, name: str) -> str:
    sign, size = ("-" if factor < 0 else "+"), abs(factor)
    number = "" if abs(size - 1.0) < RANK else f"{short_decimal(size, _DIGITS)} "
    return f"{sign} {number}{name}"
