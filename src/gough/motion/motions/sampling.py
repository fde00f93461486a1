"""Whether samples show a motion and its loads: what comes between two of them lies between them.

A motion is looked at in irregular places between its samples, so that one which comes again with
them is seen as well, and between the times at which it says that its form changes. A load is
looked at when its form changes.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from gough.arrays import Array
from gough.motion.motions.continuity import BLOCKS, JUMP, NAMES, SMALL, state_and_rate_kernel
from gough.motion.samples import Motion, MotionSamples
from gough.motion.tasks.task import Task

MISSED = 0.2
"""Fraction of the maximum value above which samples miss a peak: 4 per period do."""
LEAST_PROBES, MOST_PROBES = 1_000, 20_000
"""A motion is looked at in at least and at most so many places, if it has as many intervals."""
MOST_SAMPLES = 100_000
"""Rates that take more samples than this are not tried."""

_GOLDEN = (sqrt(5) - 1) / 2
_AT_ONCE = 4096
_OF_PLACES = BLOCKS[:2]
_OF_MOTIONS = (*BLOCKS, slice(18, 21), slice(21, 24))
_OF_LOADS = (slice(0, 3), slice(3, 6))
_MOTION_NAMES = tuple(
    name
    for name, block in zip(
        (*NAMES, ("acceleration", "m/s^2"), ("angular acceleration", "rad/s^2")),
        _OF_MOTIONS,
        strict=True,
    )
    for _ in range(block.start, block.stop)
)
"""Name and unit of each of the 24 values of a motion, and of the 6 of a load."""
_LOAD_NAMES = (*(("force", "N"),) * 3, *(("moment", "N m"),) * 3)


class Missed(NamedTuple):
    """A change between two samples that they do not show."""

    after: float
    """The time [s] of the first of the two."""
    what: str
    size: float
    """Deviation from the values that the samples show."""
    unit: str
    rate: float | None = None
    """Sampling rate that would show it [Hz]; None if none is known."""


def missed_between(motion: Motion, samples: MotionSamples, t: Array) -> Missed | None:
    """Return the first change that samples of a motion at equally spaced times [s] miss, or None.

    Between two samples place, twist and acceleration must lie between their values at both, to
    within a fraction of the maximum. And from one to the next the place must change by the mean of
    the twists times the step, to within a fraction of the maximum change.
    """
    first = _first_missed(motion, samples, t)
    return None if first is None else first._replace(rate=_sufficient_rate(motion, t))


def missed_load(task: Task, motion: Motion, samples: MotionSamples, t: Array) -> Missed | None:
    """The first peak of a load that samples at equally spaced times [s] miss; None if none."""
    corners = np.unique([c for c in task.corners if t[0] < c < t[-1]])
    if not len(corners):
        return None
    k = _interval(t, corners)
    seen = task.wrench(corners, motion(corners)).T
    ends = [task.wrench(t[i], _some(samples, i)).T for i in (k, k + 1)]
    largest = _of_blocks(np.abs([seen, *ends]).max(axis=(0, 2)), _OF_LOADS)
    first = _first(t[k], _outside(seen, *ends), np.maximum(largest, JUMP), _LOAD_NAMES)
    if first is None:
        return None
    shortest = np.diff(np.unique([t[0], *corners, t[-1]])).min()
    return first._replace(rate=float(1.0 / (MISSED * shortest)))


def _first_missed(motion: Motion, samples: MotionSamples, t: Array) -> Missed | None:
    moving = max(int(np.searchsorted(t, motion.duration * (1 + 1e-12))), 2)
    t, samples = t[:moving], _some(samples, slice(moving))  # afterwards it rests
    stretches = [slice(k, k + _AT_ONCE + 1) for k in range(0, moving - 1, _AT_ONCE)]
    extremes = (_extremes(_some(samples, some), t[some]) for some in stretches)
    low, high, change, unexplained = map(np.array, zip(*extremes, strict=True))

    probes = _probes(t, np.array(motion.corners))
    k = _interval(t, probes)
    seen, *ends = map(_values, (motion(probes), _some(samples, k), _some(samples, k + 1)))
    scale = _scale(np.hstack([low.T, high.T, seen]))
    found = [_first(t[k], _outside(seen, *ends), scale, _MOTION_NAMES)]

    scale = np.maximum(_of_blocks(change.max(axis=0), _OF_PLACES), JUMP)
    late = (unexplained > MISSED * scale).any(axis=1)
    if late.any():
        some = stretches[int(np.argmax(late))]
        _, there = _changes(*_values_and_rate(_some(samples, some)), t[some])
        found.append(_first(t[some][:-1], there, scale, _MOTION_NAMES))
    return min((one for one in found if one), key=lambda one: one.after, default=None)


def _first(
    after: Array, size: Array, scale: Array, names: tuple[tuple[str, str], ...]
) -> Missed | None:
    """The worst of the first sizes (m, n) above a share of the scales (m,), after times (n,)."""
    missed = size > MISSED * scale[:, None]
    if not missed.any():
        return None
    first = after[missed.any(axis=0)].min()
    share = np.where(after == first, size / scale[:, None], 0.0)
    row, column = np.unravel_index(np.argmax(share), share.shape)
    what, unit = names[row]
    return Missed(float(first), what, float(size[row, column]), unit)


def _sufficient_rate(motion: Motion, t: Array) -> float | None:
    """A rate [Hz], twice as high as that of some times or more, that misses nothing."""
    intervals = len(t) - 1
    while (intervals := 2 * intervals) < MOST_SAMPLES:
        finer = np.linspace(t[0], t[-1], intervals + 1)
        if _first_missed(motion, motion(finer), finer) is None:
            return float(intervals / (t[-1] - t[0]))
    return None


def _probes(t: Array, corners: Array) -> Array:
    """Irregular times inside of intervals, and inside of those that corners make of them.

    Corners themselves are such times.
    """
    count = len(t) - 1
    each = max(LEAST_PROBES // count, 1)
    chosen = np.repeat(_chosen(np.arange(count)), each)
    corners = _chosen(corners[(corners > t[0]) & (corners < t[-1])])
    k = _interval(t, corners)
    ends = np.unique(np.concatenate([corners, t[k], t[k + 1]]))
    starts = np.concatenate([t[chosen], ends[:-1]])
    lengths = np.concatenate([t[chosen + 1], ends[1:]]) - starts
    share = (_GOLDEN * np.arange(1, len(starts) + 1)) % 1.0
    return np.concatenate([starts + share * lengths, corners])


def _chosen(values: Any) -> Any:
    """All of some values or, of very many, some without any order."""
    if len(values) <= MOST_PROBES:
        return values
    return np.random.default_rng(0).choice(values, MOST_PROBES, replace=False)


def _extremes(samples: MotionSamples, t: Array) -> tuple[Array, Array, Array, Array]:
    """Return minimum and maximum values of some samples, and the maximum changes of place.

    (24,) and (12,): these are all changes, and the part of them that the twists do not explain.
    """
    values, place_rate = _values_and_rate(samples)
    change, unexplained = _changes(values, place_rate, t)
    return values.min(axis=1), values.max(axis=1), change.max(axis=1), unexplained.max(axis=1)


def _changes(values: Array, place_rate: Array, t: Array) -> tuple[Array, Array]:
    """Return changes of places between samples, (12, n), and the part not explained by twists.

    These explain the mean of both times the step.
    """
    change = np.diff(values[:12], axis=1)
    mean = (place_rate[:, 1:] + place_rate[:, :-1]) / 2
    return np.abs(change), np.abs(change - np.diff(t) * mean)


def _scale(values: Array) -> Array:
    """Return the ranges of places and the maximum twists and accelerations among values, (24,).

    What is smaller than rounding may make it counts as if it were as large as that.
    """
    places, others = np.ptp(values[:12], axis=1), np.abs(values[12:]).max(axis=1)
    scale = _of_blocks(np.append(places, others), _OF_MOTIONS)
    return np.asarray(np.maximum(scale, np.repeat([JUMP, SMALL], [18, 6])))


def _values(samples: MotionSamples) -> Array:
    """Position, rotation matrix, twist and acceleration, (24, n)."""
    return _values_and_rate(samples)[0]


def _values_and_rate(samples: MotionSamples) -> tuple[Array, Array]:
    """The values, and the rates of position and rotation matrix, (12, n)."""
    state, rate = (both.T for both in state_and_rate_kernel()(*samples))
    return np.concatenate([state, rate[12:]]), np.ascontiguousarray(rate[:12])


def _outside(values: Array, one: Array, other: Array) -> Array:
    """Return the distance of values to the range between two others; zero inside it."""
    beyond = np.maximum(values - np.maximum(one, other), np.minimum(one, other) - values)
    return np.asarray(np.maximum(beyond, 0.0))


def _of_blocks(values: Array, blocks: tuple[slice, ...]) -> Array:
    """Return for each value the maximum of its block."""
    return np.concatenate([np.full_like(values[block], values[block].max()) for block in blocks])


def _interval(t: Array, times: Array) -> Any:
    """Between which sample and the next each time is."""
    return np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)


def _some(samples: MotionSamples, which: Any) -> MotionSamples:
    return MotionSamples(*(values[which] for values in samples))
