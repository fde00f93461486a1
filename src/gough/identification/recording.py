"""Recordings: what was measured of a machine that moved, from a table of columns with units.

The columns are those of Gough's own results, so that a simulation's output is a recording:
`time [s]` (or `t [s]`), `leg_length_1 [m]` and so on, and one of `motor_current_1 [A]`,
`motor_torque_1 [N m]` and `force_1 [N]`. Driven joints of other machines go by their names:
`actuator_position_hip-1 [rad]`, `force_hip-1 [N m]`. Notes say what was odd about it, and what was
done.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from scipy.ndimage import median_filter

from gough.arrays import Array, numeric
from gough.digits import short_decimal
from gough.disk.tables import read_csv, read_numbers
from gough.display.brief import brief
from gough.errors import GoughError, InputError, about_file
from gough.fields.user_files import read_content
from gough.identification.filtering import CUTOFF, OF_MEDIAN, Lowpass, highest_frequency
from gough.identification.sampling import sampled
from gough.robot import Robot

Measured = Literal["motor_current", "motor_torque", "force"]
UNITS: Mapping[str, tuple[str, str]] = {
    "motor_current": ("A", "A"), "motor_torque": ("N m", "N m"), "force": ("N", "N m"),
    "leg_length": ("m", "m"), "actuator_position": ("m", "rad"),
}  # fmt: skip
"""Units of columns, where joints slide and where they turn."""
MOST_BYTES = 2**30
NEIGHBOURS = 11
"""Samples, of whose median a spike is far away."""
FAR = 6.0
"""Distance of a spike from that median, in standard deviations of such distances."""
_ROUNDING = 1e-12
_LARGEST = 1e15
"""In units of columns: with larger numbers nothing can be reckoned."""


@dataclass(frozen=True, eq=False)
class Recording:
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

    __repr__ = brief

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
        effort = np.where(spikes, usual, self.effort)
        return replace(self, effort=effort, notes=(*self.notes, note))

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
    def of(cls, given: Any, robot: Robot) -> Recording:
        """A recording of a robot from a file (.parquet, .csv), results, or columns by name."""
        if isinstance(given, cls):
            return given
        if isinstance(given, str | Path):
            return cls.load(given, robot)
        columns = given.columns() if callable(getattr(given, "columns", None)) else given
        if not isinstance(columns, Mapping):
            raise GoughError(
                f"a recording of {given!r:.60}; expected a file, results, or columns by name"
            )
        return _made(columns, robot)

    @classmethod
    def load(cls, path: str | Path, robot: Robot) -> Recording:
        """A recording from a .parquet or .csv file."""
        file = Path(path)
        content = read_content(file, "a recording (.parquet or .csv)", MOST_BYTES)
        read = read_csv if file.suffix == ".csv" else read_numbers
        with about_file(file):
            return _made(read(content, file), robot)


def _made(columns: Mapping[str, Any], robot: Robot) -> Recording:
    time = _column(columns, "time [s]" if "time [s]" in columns else "t [s]")
    headings = {kind: _headings(robot, kind) for kind in get_args(Measured)}
    found = [kind for kind in headings if headings[kind][0] in columns]
    if not found:
        wanted = ", ".join(first for first, *_ in headings.values())
        raise InputError("no efforts in the recording", expected=f"one of the columns {wanted} …")
    legs, efforts = robot.has_extensible_legs, headings[found[0]]
    called, kind = ("lengths", "leg_length") if legs else ("positions", "actuator_position")
    positions = _headings(robot, kind)
    effort, length = (_each(columns, names, len(time)) for names in (efforts, positions))
    even = sampled(time, length, effort, called)
    fine, steps = (np.array([quantum(x) for x in values.T]) for values in (length, effort))
    notes = *_quantised(called, 1e6 * fine, positions, "µ"), *_quantised("efforts", steps, efforts)
    return Recording(*even[:3], found[0], even.segments, steps, (*even.notes, *notes))


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


def _headings(robot: Robot, quantity: str) -> list[str]:
    """Return headings of the columns of efforts, lengths or positions."""
    linear, rotary = UNITS[quantity]
    if robot.has_extensible_legs:
        return [f"{quantity}_{k} [{linear}]" for k in range(1, len(robot.actuators) + 1)]
    return [f"{quantity}_{a.name} [{rotary if a.turns else linear}]" for a in robot.actuators]


def _each(columns: Mapping[str, Any], headings: list[str], rows: int) -> Array:
    found = {heading: _column(columns, heading) for heading in headings}
    for heading, values in found.items():
        if len(values) != rows:
            expected = f"{rows} rows, as time has"
            raise InputError("another length", key=heading, value=len(values), expected=expected)
    return np.stack([*found.values()], -1)


def _column(columns: Mapping[str, Any], heading: str) -> Array:
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
