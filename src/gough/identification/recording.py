"""Recordings: what was measured of a machine that moved, from a table of columns with units.

The columns are those of Gough's own results, so that a simulation's output is a recording:
`time [s]` (or `t [s]`), `leg_length_1 [m]` and so on, and one of `motor_current_1 [A]`,
`motor_torque_1 [N m]` and `force_1 [N]`. Driven joints of other machines go by their names:
`actuator_position_hip-1 [rad]`, `force_hip-1 [N m]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from gough.arrays import Array, numeric
from gough.disk.tables import read_csv, read_table
from gough.errors import GoughError, InputError
from gough.fields.user_files import read_content
from gough.robot import Hexapod, Robot
from gough.shown.brief import brief

Measured = Literal["motor_current", "motor_torque", "force"]
UNITS: Mapping[str, str] = {"motor_current": "A", "motor_torque": "N m", "force": "N"}
JITTER = 0.01
"""Steps of time may differ from each other by this share of a step."""
SHORTEST = 100
MOST_BYTES = 2**30


@dataclass(frozen=True, eq=False)
class Recording:
    """A motion as it was measured, in equal steps of time."""

    time: Array
    """(T) [s]"""
    length: Array
    """(T, n) of the legs [m]; of other machines positions of the actuators [rad, m]."""
    effort: Array
    """(T, n) of the actuators [A, N m or N]."""
    measured: Measured
    """What the effort is: current or torque of the motors, or force of the actuators."""

    __repr__ = brief

    @property
    def rate(self) -> float:
        """Samples a second [Hz]."""
        return (len(self.time) - 1) / float(self.time[-1] - self.time[0])

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
        read = read_csv if file.suffix == ".csv" else read_table
        try:
            return _made(read(content, file), robot)
        except InputError as error:
            raise InputError.of(error, file=file) from None


def _made(columns: Mapping[str, Any], robot: Robot) -> Recording:
    time = _column(columns, "time [s]" if "time [s]" in columns else "t [s]")
    _check_time(time)
    headings = {kind: effort_headings(robot, kind) for kind in get_args(Measured)}
    found = [kind for kind in headings if headings[kind][0] in columns]
    if not found:
        wanted = ", ".join(first for first, *_ in headings.values())
        raise InputError("no efforts in the recording", expected=f"one of the columns {wanted} …")
    effort = _each(columns, headings[found[0]], len(time))
    length = _each(columns, position_headings(robot), len(time))
    return Recording(time, length, effort, found[0])


def position_headings(robot: Robot) -> list[str]:
    """Of the columns of lengths or positions."""
    if isinstance(robot, Hexapod):
        return [f"leg_length_{k} [m]" for k in range(1, len(robot.legs) + 1)]
    return [f"actuator_position_{a.name} [{'rad' if a.turns else 'm'}]" for a in robot.actuators]


def effort_headings(robot: Robot, measured: Measured) -> list[str]:
    """Of the columns of what was measured."""
    if isinstance(robot, Hexapod):
        return [f"{measured}_{k} [{UNITS[measured]}]" for k in range(1, len(robot.legs) + 1)]
    torque = UNITS["motor_torque"]
    return [
        f"{measured}_{a.name} [{torque if a.turns and measured == 'force' else UNITS[measured]}]"
        for a in robot.actuators
    ]


def _each(columns: Mapping[str, Any], headings: list[str], rows: int) -> Array:
    found = []
    for heading in headings:
        values = _column(columns, heading)
        if len(values) != rows:
            expected = f"{rows} rows, as time has"
            raise InputError("another length", key=heading, value=len(values), expected=expected)
        found.append(values)
    return np.stack(found, -1)


def _column(columns: Mapping[str, Any], heading: str) -> Array:
    if heading not in columns:
        raise InputError("missing", key=heading, expected="a column of numbers by this heading")
    values = numeric(columns[heading])
    if values is None or values.ndim != 1:
        raise InputError("no column of numbers", key=heading, expected="a number in each row")
    values = values.astype(float)
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise InputError("no number", key=f"{heading}, row {row + 1}", expected="no gaps")
    return values


def _check_time(time: Array) -> None:
    if len(time) < SHORTEST:
        raise InputError("too short", value=len(time), expected=f"at least {SHORTEST} samples")
    steps = np.diff(time)
    step = float(np.median(np.abs(steps)))
    odd = ~(np.abs(steps - step) <= JITTER * step)
    if step == 0 or odd.any():
        k = int(np.argmax(odd))
        raise InputError(
            "time does not go on in equal steps",
            key=f"row {k + 2}",
            value=float(steps[k]),
            expected=f"{step:g} s, as most are: resample it, without gaps",
        )
