"""Recordings: what was measured of a machine that moved, from a table of columns with units.

The columns are those of Gough's own results, so that a simulation's output is a recording:
`time [s]` (or `t [s]`), `leg_length_1 [m]` and so on, and one of `motor_current_1 [A]`,
`motor_torque_1 [N m]` and `force_1 [N]`. Driven joints of other machines go by their names:
`actuator_position_hip-1 [rad]`, `force_hip-1 [N m]`. Notes say what was odd about it, and what was
done.

Rows are resampled to equal time steps. Machines drop samples, stamp them late, and write channels
at several rates. A few missing samples are interpolated. Across a longer gap nothing is: it cuts
the recording into segments. The steps are those of the efforts, so that friction that changes its
sign is seen by forces and their explanation at the same moments.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from scipy import signal
from scipy.interpolate import make_interp_spline
from scipy.ndimage import median_filter

from gough.arrays import AnyArray, Array, numeric
from gough.digits import short_decimal
from gough.disk.plain_data import PlainMapping
from gough.disk.tables import read_csv, read_numbers
from gough.display.brief import Brief
from gough.errors import GoughError, InputError, about_file
from gough.fields.user_files import read_content
from gough.identification.filtering import CUTOFF, OF_MEDIAN, Lowpass, highest_frequency
from gough.robot import Robot

Measured = Literal["motor_current", "motor_torque", "force"]
UNITS: Mapping[str, tuple[str, str]] = {
    "motor_current": ("A", "A"), "motor_torque": ("N m", "N m"), "force": ("N", "N m"),
    "leg_length": ("m", "m"), "actuator_position": ("m", "rad"),
}  # fmt: skip
"""Units of columns, where joints slide and where they turn."""
MOST_BYTES, _FORMS = 2**30, "a recording (.parquet or .csv)"
NEIGHBOURS = 11  # samples, of whose median a spike is far away
FAR = 6.0  # distance of a spike from that median, in standard deviations of such distances
_ROUNDING = 1e-12
_LARGEST = 1e15  # in units of columns: with larger numbers nothing can be reckoned

JITTER = 0.01  # steps of time that differ by less than this share of a step are equal
FILLED = 5  # maximum number of consecutive missing samples that are interpolated
CLOSE = 0.5  # distance of samples, as a fraction of a step, below which the second one is left out
SHORTEST = 100  # samples of a recording, and of a segment, at least
COUNTABLE = 0.1  # maximum unevenness of steps, as a share of one, for counting missing samples
FASTER = 0.75  # a channel whose steps are below this share of a step is filtered, then thinned
PASSED = 0.4  # passband of that filter, relative to the sampling frequency
_NAMED = 3
_OF_A_CUBIC = 3
Run = tuple[float, float]  # from when to when there is no long gap [s]


@dataclass(frozen=True, eq=False, repr=False)
class Recording(Brief):
    """A motion as it was measured, in equal steps of time within each segment.

    >>> import gough
    >>> robot = gough.load("delta")
    >>> motion = gough.excitation(robot, duration=2.0, starts=1)
    >>> round(gough.Recording.of(gough.run(gough.Study(robot, motion, rate=500.0)), robot).rate)
    500
    """

    time: Array
    """(T) [s]"""
    length: Array
    """(T, n) of the legs [m]; of other machines positions of the actuators [rad, m]."""
    effort: Array
    """(T, n) of the actuators [A, N m or N]."""
    measured: Measured
    """Type of the effort: current or torque of the motors, or force of the actuators."""
    segments: tuple[slice, ...] = (slice(None),)
    """Rows without a gap between them."""
    effort_step: Array | float = 0.0
    """(n) in which efforts are quantised; zero where they are not."""
    notes: tuple[str, ...] = ()
    """Notes of irregularities of the recording, and their treatment."""

    @property
    def longest(self) -> slice:
        """The segment of most samples."""
        return max(self.segments, key=lambda rows: len(self.time[rows]))

    @property
    def rate(self) -> float:
        """Samples a second [Hz]."""
        time = self.time[self.longest]
        return (len(time) - 1) / float(time[-1] - time[0])

    def neighbour_noise(self) -> Array:
        """(n) standard deviation of the efforts' noise, by differences of neighbouring samples.

        Third differences of white noise have 1 + 9 + 9 + 1 times its variance, those of a slow
        motion next to nothing; their median does not see jumps of dry friction.
        """
        thirds = np.concatenate([np.diff(self.effort[s], 3, axis=0) for s in self.segments])
        if not len(thirds):
            return np.zeros(self.effort.shape[1])
        return np.asarray(OF_MEDIAN * np.median(np.abs(thirds), axis=0) / np.sqrt(20.0))

    def without_spikes(self) -> Recording:
        """Efforts that are far from those before and after replaced by their median [Hampel]."""
        usual = np.concatenate(
            [median_filter(self.effort[s], (NEIGHBOURS, 1), mode="nearest") for s in self.segments]
        )
        distance = np.abs(self.effort - usual)
        noise = np.maximum(OF_MEDIAN * np.median(distance, axis=0), self.effort_step)
        spikes = distance > FAR * noise
        if not spikes.any():
            return self
        note = f"{spikes.sum()} spikes of efforts: replaced by the median of their neighbours"
        return replace(self, effort=np.where(spikes, usual, self.effort), notes=(*self.notes, note))

    def lowpass(self, cutoff: float | None) -> Lowpass:
        """The filter of a cutoff frequency [Hz], or of one that suits the recorded motion."""
        if cutoff is None:
            cutoff = CUTOFF * highest_frequency(self.length[self.longest], self.rate)
        if not 0.0 < cutoff < self.rate / 2:
            raise GoughError(
                f"a cutoff of {cutoff:g} Hz; expected more than 0 and less than half the "
                f"recording's rate of {self.rate:g} Hz"
            )
        return Lowpass(cutoff, self.rate, self.segments)

    @classmethod
    def of(cls, given: object, robot: Robot) -> Recording:
        """A recording of a robot from a file (.parquet, .csv), results, or columns by name."""
        if isinstance(given, cls):
            return given
        with about_recording(given):
            return _made(recorded_columns(given), robot)


def about_recording(given: object) -> AbstractContextManager[None]:
    """Name the file of a recording, if it is one, in complaints about its content."""
    return about_file(Path(given)) if isinstance(given, str | Path) else nullcontext()


def recorded_columns(given: Any) -> PlainMapping:
    """Return the columns of a recording: a file (.parquet, .csv), results, or columns by name."""
    if isinstance(given, str | Path):
        file = Path(given)
        content, form = read_content(file, _FORMS, MOST_BYTES), file.suffix.lower()
        if form not in (".csv", ".parquet"):
            raise InputError("neither CSV nor Parquet by its name", file=file, expected=_FORMS)
        return (read_csv if form == ".csv" else read_numbers)(content, file)
    columns = given.columns() if callable(getattr(given, "columns", None)) else given
    if not isinstance(columns, Mapping):
        expected = "a file, results, or columns by name"
        raise GoughError(f"a recording of {given!r:.60}; expected {expected}")
    return columns


def time_of(columns: PlainMapping) -> Array:
    """Return the times of a recording [s], as they are written."""
    return _column(columns, "time [s]" if "time [s]" in columns else "t [s]")


def _made(columns: PlainMapping, robot: Robot) -> Recording:
    time = time_of(columns)
    headings = {kind: headings_of(robot, kind) for kind in get_args(Measured)}
    found = [kind for kind in headings if headings[kind][0] in columns]
    if not found:
        wanted = ", ".join(first for first, *_ in headings.values())
        raise InputError("no efforts in the recording", expected=f"one of the columns {wanted} …")
    legs, efforts = robot.has_extensible_legs, headings[found[0]]
    called, kind = ("lengths", "leg_length") if legs else ("positions", "actuator_position")
    positions = headings_of(robot, kind)
    effort, length = (columns_of(columns, names, len(time)) for names in (efforts, positions))
    fine, steps = (np.array([quantum(x) for x in values.T]) for values in (length, effort))
    notes = *_quantised(called, 1e6 * fine, positions, "µ"), *_quantised("efforts", steps, efforts)
    raw = Recording(time, length, effort, found[0], effort_step=steps, notes=notes)
    return _in_equal_steps(raw, called)


def quantum(values: Array) -> float:
    """The step in which values (T) are quantised; zero where they are not."""
    levels = np.unique(values[np.isfinite(values)])
    rounding = _ROUNDING * np.abs(levels).max()
    between = np.diff(levels)
    between = between[between > rounding]
    if not len(between):
        return 0.0
    step = float(between.min())
    odd = np.abs(between / step - np.round(between / step)) * step
    return step if (odd <= np.maximum(0.01 * step, rounding)).all() else 0.0


def _quantised(name: str, steps: Array, headings: list[str], prefix: str = "") -> tuple[str, ...]:
    """Return the minimum and the maximum step of each unit, where there is one."""
    found = dict[str, list[float]]()
    for step, heading in zip(steps.tolist(), headings, strict=True):
        if step:
            unit = prefix + heading.partition("[")[2].rstrip("]")
            found.setdefault(unit, []).append(step)
    ranges = [
        " to ".join(dict.fromkeys(f"{short_decimal(s, 3)} {unit}" for s in (min(own), max(own))))
        for unit, own in found.items()
    ]
    return (f"{name} in steps of {' and '.join(ranges)}",) if ranges else ()


def headings_of(robot: Robot, quantity: str) -> list[str]:
    """Return headings of the columns of efforts, lengths or positions."""
    linear, rotary = UNITS[quantity]
    if robot.has_extensible_legs:
        return [f"{quantity}_{k} [{linear}]" for k in range(1, len(robot.actuators) + 1)]
    return [f"{quantity}_{a.name} [{rotary if a.turns else linear}]" for a in robot.actuators]


def columns_of(columns: PlainMapping, headings: list[str], rows: int) -> Array:
    """Return columns (T, n) of a recording by their headings; a missing one is refused."""
    found = {heading: _column(columns, heading) for heading in headings}
    for heading, values in found.items():
        if len(values) != rows:
            expected = f"{rows} rows, as time has"
            raise InputError("another length", key=heading, value=len(values), expected=expected)
    return np.stack([*found.values()], -1)


def _column(columns: PlainMapping, heading: str) -> Array:
    if heading not in columns:
        raise InputError("missing", key=heading, expected="a column of numbers by this heading")
    values = numeric(columns[heading])
    if values is None or values.ndim != 1:
        raise InputError("no column of numbers", key=heading, expected="a number in each row")
    values = values.astype(float)
    finite = values[np.isfinite(values)]
    if not len(finite):
        raise InputError("no numbers at all", key=heading, expected="a number in most rows")
    if (largest := np.abs(finite).max()) > _LARGEST:
        expected = f"numbers up to {_LARGEST:g}"
        raise InputError("out of range", key=heading, value=float(largest), expected=expected)
    return values


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

    def grid(self, start: float, end: float) -> Array:
        """Equal steps from the first time between two others [s]."""
        first = self.time[np.searchsorted(self.time, start)]
        count = int((end - first) / self.step + 0.01) + 1
        return np.asarray(first + self.step * np.arange(count), dtype=float)

    def at(self, times: Array) -> Array:
        """Interpolated, without what is too fast for these times."""
        step, channel = float(times[1] - times[0]), self
        if self.step < FASTER * step:
            own = np.arange(self.time[0], self.time[-1], self.step)
            filtered = signal.butter(4, PASSED / step, fs=1.0 / self.step, output="sos")
            slow = signal.sosfiltfilt(filtered, interpolated(self, own), axis=0)
            channel = Channel(self.name, own, slow)
        return interpolated(channel, times)

    def on(self, times: Array) -> Array:
        """Interpolated at times in equal steps (T); NaN in long gaps, and before and behind all."""
        found = np.full((len(times), self.values.shape[1]), np.nan)
        near = JITTER * float(times[1] - times[0])
        for start, end in self.runs:
            part = self.within(start, end)
            inside = (times >= start - near) & (times <= end + near)
            if inside.sum() > 1 and len(part.time) > _OF_A_CUBIC:
                found[inside] = interpolated(part, times[inside])
        return found


def _in_equal_steps(raw: Recording, called: str) -> Recording:
    """Rows as written in equal steps, without what is no number; `called` is a word for lengths."""
    rows, notes = rows_of(raw.time)
    time, length, effort = raw.time[rows], raw.length[rows], raw.effort[rows]
    lengths, efforts = channel_of(called, time, length), channel_of("efforts", time, effort)
    steps, usual = np.diff(time), np.median(np.diff(time))
    complete = len(lengths.time) == len(efforts.time) == len(time)
    if complete and (np.abs(steps - usual) <= JITTER * usual).all():
        segments, notes = (slice(0, len(time)),), (*notes, *raw.notes)
        return Recording(time, length, effort, raw.measured, segments, raw.effort_step, notes)
    runs = _common(lengths.runs, efforts.runs)
    shortest = (SHORTEST - 1.5) * max(lengths.step, efforts.step)
    parts = [run for run in runs if run[1] - run[0] >= shortest]
    if not parts:
        expected = f"{SHORTEST} samples in a row with at most {FILLED} missing at once"
        raise InputError("too many gaps", value=len(runs) - 1, expected=expected)
    grids = [efforts.grid(*part) for part in parts]
    ends = np.cumsum([0, *map(len, grids)]).tolist()
    pairs = list(zip(parts, grids, strict=True))
    return replace(
        raw,
        time=np.concatenate(grids),
        length=np.concatenate([lengths.within(*part).at(grid) for part, grid in pairs]),
        effort=np.concatenate([efforts.within(*part).at(grid) for part, grid in pairs]),
        segments=tuple(slice(a, b) for a, b in pairwise(ends)),
        notes=(*notes, *_what_was_done(lengths, efforts, runs, parts), *raw.notes),
    )


def rows_of(time: Array) -> tuple[AnyArray, tuple[str, ...]]:
    """The rows whose time goes on, and how many do not have one or repeat it."""
    stated = np.flatnonzero(np.isfinite(time))
    if len(stated) < SHORTEST:
        raise InputError("too short", value=len(stated), expected=f"at least {SHORTEST} samples")
    steps = np.diff(time[stated])
    usual = float(np.median(np.abs(steps)))
    back = np.flatnonzero(steps < 0.0)
    if len(back) or usual == 0.0:
        k = int(back[0]) if len(back) else 0
        problem, key = "time does not go on from row to row", f"row {stated[k + 1] + 1}"
        expected = f"{usual:g} s later, as most are" if usual else "later times in later rows"
        raise InputError(problem, key=key, value=float(steps[k]), expected=expected)
    timed = stated[np.append(True, steps > 0.0)]
    left_out = (
        (len(time) - len(stated), "without a time"),
        (len(stated) - len(timed), "with the time of the row before"),
    )
    notes = (f"{n} row{'s' * (n > 1)} {why}: left out" for n, why in left_out if n)
    return timed, tuple(notes)


def channel_of(name: str, time: Array, values: Array) -> Channel:
    """The rows that have all values."""
    there = np.isfinite(values).all(-1)
    if (count := int(there.sum())) < SHORTEST:
        expected = f"at least {SHORTEST}: others count as missing"
        raise InputError(f"rows with all {name}", value=count, expected=expected)
    return Channel(name, time[there], values[there])


def interpolated(channel: Channel, times: Array) -> Array:
    """Return values of a channel at other times, nothing filtered."""
    far = np.append(True, np.diff(channel.time) >= CLOSE * channel.step)
    return np.asarray(make_interp_spline(channel.time[far], channel.values[far], 3)(times))


def _common(first: list[Run], second: list[Run]) -> list[Run]:
    """Where runs of both channels overlap."""
    found, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        (a, b), (c, d) = first[i], second[j]
        if max(a, c) < min(b, d):
            found.append((max(a, c), min(b, d)))
        i, j = (i + 1, j) if b < d else (i, j + 1)
    return found


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
    counts = np.maximum(np.round(steps), 1.0)
    uneven = float(np.sqrt(np.mean((steps - counts) ** 2)))
    notes = []
    if uneven < COUNTABLE and (lost := int((counts - 1.0).sum())):
        most = int(counts.max()) - 1
        notes.append(f"{lost} {channel.name} missing, {most} in a row at most: interpolated")
    if (np.abs(steps - counts) > JITTER).any():
        spread = _short(1e3 * channel.step * uneven)
        notes.append(f"steps of {channel.name} differ by {spread} ms rms: interpolated at {rate}")
    return notes


def _short(value: float) -> str:
    return short_decimal(value, 3)
