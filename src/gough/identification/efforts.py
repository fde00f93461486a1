"""Recorded efforts as forces at the legs, filtered, and what explains them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from gough.arrays import AnyArray, Array
from gough.identification.filtering import Lowpass
from gough.identification.recording import Recording


class Explained(Protocol):
    """What explains efforts, by numbers."""

    @property
    def priors(self) -> Array:
        """The numbers by the robot file."""

    @property
    def linear(self) -> bool:
        """Whether derivatives are the same everywhere."""

    def linearised(self, values: Array) -> tuple[Array, Array]:
        """Derivatives (T, n, k) of what values predict, and the prediction (T, n)."""


@dataclass(frozen=True)
class Efforts:
    """Filtered efforts at the legs [N], also between samples; at the samples that are kept."""

    smooth: Lowpass
    splines: list[BSpline]
    """Of each segment."""
    times: list[Array]
    """Of the samples that are kept, of each segment [s]."""
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

    def at(self, lag: float) -> Array:
        """(T, n) so much later."""
        return _each(self.splines, self.times, lag)

    def rates(self, lag: float) -> Array:
        """(T, n) by time [N/s]."""
        return _each([spline.derivative() for spline in self.splines], self.times, lag)

    def reaching(self, lag: float) -> AnyArray:
        """(T) whether there are efforts so much earlier and later."""
        ends = [(spline.t[0] + lag, spline.t[-1] - lag) for spline in self.splines]
        pairs = zip(self.times, ends, strict=True)
        return np.concatenate([(time >= a) & (time <= b) for time, (a, b) in pairs])


def joined(efforts: Sequence[Efforts]) -> Efforts:
    """Those of several recordings that went through the same filter."""
    return Efforts(
        efforts[0].smooth,
        [spline for each in efforts for spline in each.splines],
        [time for each in efforts for time in each.times],
        np.max([each.least for each in efforts], axis=0),
        np.max([each.noise for each in efforts], axis=0),
    )


def _each(splines: list[BSpline], times: list[Array], lag: float) -> Array:
    pairs = zip(splines, times, strict=True)
    return np.concatenate([spline(time + lag) for spline, time in pairs])
