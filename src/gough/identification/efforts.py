"""Recorded efforts as forces at the legs, filtered, and the models that explain them.

Currents alone identify masses only as accurately as the motors' constants are known: all of them
could be larger by the same factor. A recording with a known payload separates them. The noise is
that of the currents i, beside which the regressor has little. Least squares for the constants
in K i = W x + (forces of the payload) would take that noise for a part of the current, and find
K too small. Total least squares do not [Gautier & Briot 2014]: they move the measurements, each
current by as little as its noise allows. With one noisy number a row, that is the minimum sum of
(i - (W x + …) / K)², which a Gauss-Newton iteration finds with all other numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.identification.filtering import Lowpass
from gough.identification.recording import Recording
from gough.model.actuators import drives_of
from gough.robot import Robot


class Explained(Protocol):
    """Model of the efforts of recordings, by named numbers."""

    names: list[str]
    priors: Array
    """The numbers by the robot file."""
    linear: bool
    """Whether derivatives are the same everywhere."""
    efforts: Efforts

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, k) of what values predict, and the prediction (T, n)."""


@dataclass(frozen=True)
class Efforts:
    """Filtered efforts at the legs [N], also between samples; at the samples that are kept."""

    smooth: Lowpass
    splines: list[BSpline]
    """Splines of the segments."""
    times: list[Array]
    """Times of the kept samples, of each segment [s]."""
    least: Array
    """(n) what quantised efforts have of noise, filtered [N]."""
    noise: Array
    """(n) what neighbouring samples have of noise, filtered [N]."""

    @classmethod
    def of(cls, recording: Recording, smooth: Lowpass, factor: Array) -> Efforts:
        """Those of a recording, with the force per effort of each actuator."""
        time, segments, forces = recording.time, recording.segments, recording.effort * factor
        filtered = smooth(forces)
        kept = smooth.kept(len(time))
        ends = np.searchsorted(kept, [segment.stop for segment in segments[:-1]])
        quantised = np.abs(recording.effort_step * factor) / np.sqrt(12.0)
        noise = np.maximum(recording.neighbour_noise() * factor, quantised)
        left = np.sqrt(2.0 * smooth.cutoff / smooth.rate)
        return cls(
            smooth,
            [make_interp_spline(time[s], filtered[s], 3) for s in segments],
            np.split(time[kept], ends),
            quantised * left,
            noise * left,
        )

    def at(self, lag: float, derivative: int = 0) -> Array:
        """(T, n) so much later; or their first derivative by time [N/s]."""
        pairs = zip(self.splines, self.times, strict=True)
        return np.concatenate([spline(time + lag, derivative) for spline, time in pairs])

    def reaching(self, lag: float) -> AnyArray:
        """(T) whether there are efforts so much earlier and later."""
        ends = [(spline.t[0] + lag, spline.t[-1] - lag) for spline in self.splines]
        pairs = zip(self.times, ends, strict=True)
        return np.concatenate([(time >= a) & (time <= b) for time, (a, b) in pairs])


class SeveralRecordings:
    """Model of the efforts of several recordings with common numbers, of the same filter."""

    def __init__(self, parts: Sequence[Explained]) -> None:
        first, self._parts = parts[0], parts
        self.names, self.priors, self.linear = first.names, first.priors, first.linear
        each = [part.efforts for part in parts]
        self.efforts = Efforts(
            each[0].smooth,
            [spline for one in each for spline in one.splines],
            [time for one in each for time in one.times],
            np.max([one.least for one in each], axis=0),
            np.max([one.noise for one in each], axis=0),
        )

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, k) of what values predict, and the prediction (T, n)."""
        each = [part.linearised(values) for part in self._parts]
        columns, forces = map(np.concatenate, zip(*each, strict=True))
        return columns, forces


class WithGains:
    """Model of the efforts of recordings with different payloads, with torque constants.

    Forces are those of the robot file's constants, so that the noise stays unchanged.
    """

    linear = False

    def __init__(self, forces: Explained, robot: Robot) -> None:
        self._forces, self.efforts = forces, forces.efforts
        self._by_file = np.array([float(drive.torque_constant) for drive in drives_of(robot)])
        self.names = [*forces.names, *gain_names(robot)]
        self.priors = np.append(forces.priors, self._by_file)

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, k) of what values predict, and the prediction (T, n)."""
        count = len(self._by_file)
        gain = values[-count:] / self._by_file
        columns, forces = self._forces.linearised(values[:-count])
        by_gain = -(forces / gain / values[-count:])[..., None] * np.eye(count)
        return np.concatenate([columns / gain[:, None], by_gain], -1), forces / gain


def gain_names(robot: Robot) -> list[str]:
    """Return names of the torque constants [N m/A]: one per actuator, also of identical legs."""
    return [f"actuators[{k}].torque_constant" for k in range(len(robot.actuators))]


def check_gains(unloaded: Recording, loaded: Recording) -> None:
    """GoughError where recordings do not tell drive gains."""
    for recording in (unloaded, loaded):
        if recording.measured != "motor_current":
            raise GoughError(
                f"a loaded recording identifies torque constants, but {recording.measured} "
                "was measured; expected motor_current columns without and with the payload"
            )
    check_rates(unloaded, loaded)


def check_efforts(first: Recording, other: Recording, called: str) -> None:
    """GoughError where another recording has other efforts than the first."""
    if first.measured != other.measured:
        raise GoughError(
            f"{other.measured} was measured in the {called} recording and {first.measured} in the "
            "first; expected the same in both"
        )


def check_rates(unloaded: Recording, loaded: Recording) -> None:
    """GoughError where recordings do not go through the same filter."""
    if not np.isclose(unloaded.rate, loaded.rate, rtol=0.01):
        raise GoughError(
            f"recordings at {unloaded.rate:.4g} Hz without and {loaded.rate:.4g} Hz with the "
            "payload; expected the same rate"
        )
