"""Recorded rows resampled to equal time steps; notes list the corrections.

Machines drop samples, stamp them late, and write channels at several rates. A few missing samples
are interpolated. Across a longer gap nothing is: it cuts the recording into segments. The steps are
those of the efforts, so that friction that changes its sign is seen by forces and their explanation
at the same moments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy import signal
from scipy.interpolate import make_interp_spline

from gough.arrays import AnyArray, Array
from gough.digits import short_decimal
from gough.errors import InputError

JITTER = 0.01
"""Steps of time that differ by less than this share of a step are equal."""
FILLED = 5
"""Maximum number of consecutive missing samples that are interpolated."""
CLOSE = 0.5
"""Distance of samples, as a fraction of a step, below which the second one is left out."""
SHORTEST = 100
"""Samples of a recording, and of a segment, at least."""
COUNTABLE = 0.1
"""Maximum unevenness of steps, as a fraction of a step, for counting missing samples."""
FASTER = 0.75
"""A channel whose steps are shorter than this share of a step is filtered before it is thinned."""
PASSED = 0.4
"""Passband of that filter, relative to the sampling frequency."""
_NAMED = 3
Run = tuple[float, float]
"""From when to when there is no long gap [s]."""


@dataclass(frozen=True, eq=False)
class Channel:
    """Measurements of all actuators (T, n), at their own times."""

    name: str
    time: Array
    values: Array

    @property
    def step(self) -> float:
        """The usual one [s], where none is missing."""
        steps = np.diff(self.time)
        return float(steps.sum() / np.round(steps / np.median(steps)).sum())

    @property
    def runs(self) -> list[Run]:
        """From when to when there is no long gap [s]."""
        cuts = np.flatnonzero(np.diff(self.time) > (FILLED + 1.5) * self.step)
        first, last = np.append(0, cuts + 1), np.append(cuts, len(self.time) - 1)
        return list(zip(self.time[first].tolist(), self.time[last].tolist(), strict=True))

    def within(self, start: float, end: float) -> Channel:
        """The part between two times, with a step beyond either."""
        first, last = np.searchsorted(self.time, (start - self.step, end + self.step))
        return Channel(self.name, self.time[first:last], self.values[first:last])

    def at(self, times: Array) -> Array:
        """Interpolated, without what is too fast for these times."""
        step, channel = float(times[1] - times[0]), self
        if self.step < FASTER * step:
            own = np.arange(self.time[0], self.time[-1], self.step)
            filtered = signal.butter(4, PASSED / step, fs=1.0 / self.step, output="sos")
            slow = signal.sosfiltfilt(filtered, _interpolated(self, own), axis=0)
            channel = Channel(self.name, own, slow)
        return _interpolated(channel, times)


class Sampled(NamedTuple):
    """Lengths and efforts in equal steps within each segment."""

    time: Array
    length: Array
    effort: Array
    segments: tuple[slice, ...]
    notes: tuple[str, ...]


def sampled(time: Array, length: Array, effort: Array, called: str) -> Sampled:
    """Lengths and efforts (T, n) of rows with times (T) [s], in equal steps.

    What is no number is missing. GoughError where time does not go on. Notes say what lengths are
    `called`: those of machines that have none are positions.
    """
    rows, notes = _rows(time)
    time, length, effort = time[rows], length[rows], effort[rows]
    lengths, efforts = _channel(called, time, length), _channel("efforts", time, effort)
    steps, usual = np.diff(time), np.median(np.diff(time))
    whole = len(lengths.time) == len(efforts.time) == len(time)
    if whole and (np.abs(steps - usual) <= JITTER * usual).all():
        return Sampled(time, length, effort, (slice(0, len(time)),), notes)
    runs = _common(lengths.runs, efforts.runs)
    shortest = (SHORTEST - 1.5) * max(lengths.step, efforts.step)
    parts = [run for run in runs if run[1] - run[0] >= shortest]
    if not parts:
        expected = f"{SHORTEST} samples in a row with at most {FILLED} missing at once"
        raise InputError("too many gaps", value=len(runs) - 1, expected=expected)
    grids = [_grid(efforts, *part) for part in parts]
    ends = np.cumsum([0, *map(len, grids)]).tolist()
    return Sampled(
        np.concatenate(grids),
        np.concatenate([lengths.within(*p).at(g) for p, g in zip(parts, grids, strict=True)]),
        np.concatenate([efforts.within(*p).at(g) for p, g in zip(parts, grids, strict=True)]),
        tuple(slice(a, b) for a, b in pairwise(ends)),
        (*notes, *_what_was_done(lengths, efforts, runs, parts)),
    )


def _rows(time: Array) -> tuple[AnyArray, tuple[str, ...]]:
    """The rows whose time goes on, and how many do not have one or repeat it."""
    stated = np.flatnonzero(np.isfinite(time))
    if len(stated) < SHORTEST:
        raise InputError("too short", value=len(stated), expected=f"at least {SHORTEST} samples")
    steps = np.diff(time[stated])
    usual = float(np.median(np.abs(steps)))
    back = np.flatnonzero(steps < 0.0)
    if len(back) or usual == 0.0:
        k = int(back[0]) if len(back) else 0
        raise InputError(
            "time does not go on from row to row",
            key=f"row {stated[k + 1] + 1}",
            value=float(steps[k]),
            expected=f"{usual:g} s later, as most are" if usual else "later times in later rows",
        )
    kept = stated[np.append(True, steps > 0.0)]
    left_out = (
        (len(time) - len(stated), "without a time"),
        (len(stated) - len(kept), "with the time of the row before"),
    )
    notes = (f"{n} row{'s' * (n > 1)} {why}: left out" for n, why in left_out if n)
    return kept, tuple(notes)


def _channel(name: str, time: Array, values: Array) -> Channel:
    """The rows that have all values."""
    there = np.isfinite(values).all(-1)
    if (count := int(there.sum())) < SHORTEST:
        expected = f"at least {SHORTEST}: others count as missing"
        raise InputError(f"rows with all {name}", value=count, expected=expected)
    return Channel(name, time[there], values[there])


def _grid(efforts: Channel, start: float, end: float) -> Array:
    """Equal steps from the first effort between two times."""
    first = efforts.time[np.searchsorted(efforts.time, start)]
    count = int((end - first) / efforts.step + 0.01) + 1
    return np.asarray(first + efforts.step * np.arange(count), dtype=float)


def _interpolated(channel: Channel, times: Array) -> Array:
    far = np.append(True, np.diff(channel.time) >= CLOSE * channel.step)
    spline = make_interp_spline(channel.time[far], channel.values[far], 3)
    return np.asarray(spline(times))


def _common(first: list[Run], second: list[Run]) -> list[Run]:
    """Where runs of both channels overlap."""
    both = ((max(a, c), min(b, d)) for a, b in first for c, d in second)
    return [(start, end) for start, end in both if start < end]


def _what_was_done(
    lengths: Channel, efforts: Channel, runs: list[Run], parts: list[Run]
) -> tuple[str, ...]:
    notes = []
    rate = f"{_short(1.0 / efforts.step)} Hz"
    if not np.isclose(lengths.step, efforts.step, rtol=JITTER):
        how = "filtered and thinned" if lengths.step < FASTER * efforts.step else "interpolated"
        notes.append(f"{lengths.name} at {_short(1.0 / lengths.step)} Hz: {how} to {rate}")
    if np.array_equal(lengths.time, efforts.time):
        notes += _irregular(replace(efforts, name="samples"), rate)
    else:
        notes += _irregular(lengths, rate) + _irregular(efforts, rate)
    ends = np.concatenate([lengths.time[[0, -1]], efforts.time[[0, -1]]])
    early, late = runs[0][0] - ends.min(), ends.max() - runs[-1][1]
    for silent, where in ((early, "first"), (late, "last")):
        if silent > FILLED * efforts.step:
            either = f"without {lengths.name} or efforts"
            notes.append(f"the {where} {_short(silent)} s {either}: left out")
    gaps = [(b, c - b) for (_, b), (c, _) in pairwise(runs)]
    for at, long in gaps[:_NAMED]:
        notes.append(f"a gap of {_short(long)} s at {_short(at)} s: cut there")
    if len(gaps) > _NAMED:
        most = max(long for _, long in gaps)
        notes.append(f"{len(gaps) - _NAMED} more gaps, the longest of {_short(most)} s: cut there")
    if len(parts) < len(runs):
        lost = sum(b - a for a, b in runs) - sum(b - a for a, b in parts)
        notes.append(f"{_short(lost)} s in parts of less than {SHORTEST} samples: left out")
    return tuple(notes)


def _irregular(channel: Channel, rate: str) -> list[str]:
    """Return notes on irregular steps of a channel."""
    steps = np.diff(channel.time) / channel.step
    steps = steps[steps <= FILLED + 1.5]
    whole = np.maximum(np.round(steps), 1.0)
    uneven = float(np.sqrt(np.mean((steps - whole) ** 2)))
    notes = []
    if uneven < COUNTABLE and (lost := int((whole - 1.0).sum())):
        most = int(whole.max()) - 1
        notes.append(f"{lost} {channel.name} missing, {most} in a row at most: interpolated")
    if (np.abs(steps - whole) > JITTER).any():
        spread = _short(1e3 * channel.step * uneven)
        notes.append(f"steps of {channel.name} differ by {spread} ms rms: interpolated at {rate}")
    return notes


def _short(value: float) -> str:
    return short_decimal(value, 3)
