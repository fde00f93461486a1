"""Numbers small enough for a page: whole steps from one value to the next."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array

Packed = dict[str, Any]

_STEPS = 20_000
"""The finest that is kept of a row is this part of its usual range."""
_EXACT = 2.0**-50
"""No step is finer than this part of the largest value: sums of steps stay exact in JavaScript."""
_NOISE = 2.0**-40
"""No step is finer than this part of a usual value: less is rounding."""


def pack(rows: Array, steps: int = _STEPS) -> Packed:
    """Rows of numbers (rows, T) as {origin, step, rows}; what is no finite number becomes null.

    A value is its row's origin plus the row's step times the sum of the row up to it. The origin
    is the first value, the step `1 / steps` of the range of the middle half of the values: peaks,
    however high, take nothing from the others.
    """
    finest = _finest(np.abs(rows[np.isfinite(rows)]))
    scales = [_scale(row[np.isfinite(row)], steps, finest) for row in rows]
    return {
        "origin": [origin for origin, _ in scales],
        "step": [step for _, step in scales],
        "rows": [_differences(row, *scale) for row, scale in zip(rows, scales, strict=True)],
    }


def _finest(sizes: Array) -> float:
    if not sizes.size:
        return 0.0
    return max(_EXACT * float(sizes.max()), _NOISE * float(np.percentile(sizes, 75)))


def _scale(finite: Array, steps: int, finest: float) -> tuple[float, float]:
    """The origin and the step of a row with these values."""
    if not finite.size:
        return 0.0, 1.0
    below, above = np.percentile(finite, (25, 75))
    return float(finite[0]), _rounded(max((above - below) / steps, finest)) or 1.0


def _differences(row: Array, origin: float, step: float) -> list[int | None]:
    known = np.flatnonzero(np.isfinite(row))
    levels = np.round((row[known] - origin) / step).astype(np.int64)
    changes: list[int | None] = [None] * len(row)
    for k, change in zip(known.tolist(), np.diff(levels, prepend=0).tolist(), strict=True):
        changes[k] = change
    return changes


def _rounded(value: float) -> float:
    """Three digits, to keep the page short."""
    return float(f"{value:.2e}")
