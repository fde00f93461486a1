"""Long series made short without losing a peak: the least and greatest of equal stretches."""

from __future__ import annotations

import numpy as np

from gough.arrays import AnyArray, Array

MOST_POINTS = 1600
"""Series with more samples are thinned to this many points at most."""


def stretch(length: int, most: int = MOST_POINTS) -> int:
    """How many samples a stretch has; 1 where nothing needs to be thinned."""
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
    """Rows (n, T): the least and greatest of each stretch, in the order in which they come.

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
