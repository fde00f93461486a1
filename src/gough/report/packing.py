"""Numbers small enough for a page: whole steps from one value to the next."""

from base64 import b64encode
from collections.abc import Mapping

import numpy as np

from gough.arrays import AnyArray, Array
from gough.disk.plain_data import PlainData

MOST_POINTS = 1600  # series with more samples are thinned to this many points at most
FINE = 1_000_000  # steps of a time axis: a millionth of the duration
_STEPS = 20_000  # the finest that is kept of a row is this part of its usual range
_EXACT = 2.0**-50
"""Minimum step, as a part of the maximum value: sums of steps stay exact in JavaScript."""
_NOISE = 2.0**-40  # no step is finer than this part of a usual value: less is rounding


def pack(rows: Array, steps: int = _STEPS) -> PlainData:
    """Rows of numbers (rows, T) as {origin, step, rows}; what is no finite number becomes null.

    A value is its row's origin plus the row's step times the sum of the row up to it. The origin
    is the first value, the step `1 / steps` of the range of the middle half of the values: peaks,
    however high, take nothing from the others.
    """
    known = np.isfinite(rows)
    sizes = np.abs(rows[known])
    usual = _NOISE * float(np.percentile(sizes, 75)) if sizes.size else 0.0
    finest = max(_EXACT * float(sizes.max(initial=0.0)), usual)
    if known.all():
        return _packed(rows, steps, finest)
    parts = [
        _packed(row[None, there], steps, finest) for row, there in zip(rows, known, strict=True)
    ]
    for part, there in zip(parts, known, strict=True):
        changes = np.full(len(there), None)
        changes[there] = part["rows"][0]
        part["rows"] = [list(changes)]
    return {key: [part[key][0] for part in parts] for key in ("origin", "step", "rows")}


def _packed(rows: Array, steps: int, finest: float) -> PlainData:
    """Pack rows of finite numbers."""
    if not rows.size:
        return {"origin": [0.0] * len(rows), "step": [1.0] * len(rows), "rows": rows.tolist()}
    below, above = np.percentile(rows, (25, 75), axis=1)
    step = np.maximum((above - below) / steps, finest)
    step = np.array([float(f"{x:.2e}") or 1.0 for x in step])  # three digits keep the page short
    levels = np.round((rows - rows[:, :1]) / step[:, None]).astype(np.int64)
    changes = np.diff(levels, prepend=0, axis=1)
    return {"origin": rows[:, 0].tolist(), "step": step.tolist(), "rows": changes.tolist()}


def charts_over_time(time: Array, charts: Mapping[str, tuple[str, Array]]) -> PlainData:
    """Charts with a line for each row (n, T), by title: unit and rows; thinned and packed."""
    return {
        "time": pack(thin_times(time)[None], FINE),
        "charts": [{"kind": "legs", "title": title, "quantity": title} for title in charts],
        "quantities": {
            title: {"unit": unit, "packed": pack(thin(rows))}
            for title, (unit, rows) in charts.items()
        },
    }


def byte_text(numbers: AnyArray, kind: str) -> str:
    """Numbers as text: the bytes of a kind such as "<f8", to the last bit."""
    return b64encode(np.ascontiguousarray(numbers, dtype=kind).tobytes()).decode()


def stretch(length: int, most: int = MOST_POINTS) -> int:
    """Return the number of samples of a stretch; 1 where no thinning is needed."""
    return 1 if length <= most else -(-2 * length // most)


def thin_times(time: Array, most: int = MOST_POINTS) -> Array:
    """The times at which thinned series stand: two for each stretch, ends kept."""
    size = stretch(len(time), most)
    if size == 1:
        return time
    starts = np.arange(0, len(time), size)
    ends = np.minimum(starts + size, len(time)) - 1
    first, last = time[starts], time[ends]
    times = np.stack([0.75 * first + 0.25 * last, 0.25 * first + 0.75 * last], axis=1).reshape(-1)
    times[0], times[-1] = time[0], time[-1]
    return times


def thin(rows: Array, most: int = MOST_POINTS) -> Array:
    """Return rows (n, T) thinned to minimum and maximum of each stretch, in their order in time.

    A stretch with a missing value is missing as a whole, so that no line is drawn across it.
    """
    count, length = rows.shape
    size = stretch(length, most)
    if size == 1:
        return rows
    padding = -length % size
    stretches = np.pad(rows, ((0, 0), (0, padding)), mode="edge").reshape(count, -1, size)
    low, high = stretches.argmin(axis=2), stretches.argmax(axis=2)  # of NaN: the first NaN
    order = np.stack([np.minimum(low, high), np.maximum(low, high)], axis=2)
    return np.take_along_axis(stretches, order, axis=2).reshape(count, -1)


def frames(count: int, most: int = MOST_POINTS) -> AnyArray:
    """Places of at most so many samples, equally spread, the ends included."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))
