"""Numbers small enough for a page: whole steps from one value to the next."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Packed = dict[str, Any]

_STEPS = 20_000
"""The finest that charts show is this part of a quantity's range."""


def pack(rows: Array, steps: int = _STEPS) -> Packed:
    """Rows of numbers (rows, T) as {origin, step, rows}; what is no finite number becomes null.

    A value is origin + step times the sum of its row up to it. Steps are `1 / steps` of the range.
    """
    finite = rows[np.isfinite(rows)]
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 0.0)
    step = _rounded((high - low) / steps) or 1.0
    return {"origin": float(low), "step": step, "rows": [_differences(r, low, step) for r in rows]}


def unpack(packed: Packed) -> Array:
    """The rows again, within half a step; NaN for null."""
    rows = []
    for row in packed["rows"]:
        known = np.array([change is not None for change in row], dtype=bool)
        levels = np.cumsum([change or 0 for change in row])
        rows.append(np.where(known, packed["origin"] + packed["step"] * levels, np.nan))
    return np.array(rows)


def script_json(data: Any) -> str:
    """Plain data as JSON that may stand inside a script element."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _differences(row: Array, low: float, step: float) -> list[int | None]:
    known = np.flatnonzero(np.isfinite(row))
    levels = np.round((row[known] - low) / step).astype(np.int64)
    changes: list[int | None] = [None] * len(row)
    for k, change in zip(known.tolist(), np.diff(levels, prepend=0).tolist(), strict=True):
        changes[k] = change
    return changes


def _rounded(value: float) -> float:
    """Three digits, to keep the page short."""
    return float(f"{value:.2e}")
