"""The fit of a model to recorded efforts, together with the lag between efforts and lengths.

Efforts often come later than lengths: another bus, or an amplifier's own filter. The lag τ is one
more number, e(t + τ) = W x, found as all others are: first roughly, where what is not explained is
least among many lags, then by Gauss and Newton between the samples, with its standard deviation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import Protocol

import numpy as np
from scipy.interpolate import BSpline, make_interp_spline

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.identification.estimation import Estimate, estimated
from gough.identification.filtering import Lowpass
from gough.identification.recording import Recording

ROUNDS = 4
"""Steps of Gauss and Newton, where friction depends on the load or there is a lag."""
LONGEST = 4
"""The longest lag, in periods of the cutoff frequency: filtered efforts reach so far."""
LOOKED = 16
"""Lags up to this many periods are tried, so that one that is too long is not taken for another."""
STEPS = 4
"""Lags that are tried, in such a period."""
MOST = 0.5
"""The share of samples that must be far enough from the ends to look so far."""
EXPLAINED = 0.5
"""Of how efforts vary, at least: else they are not of the motion of the lengths."""
CERTAIN = 3.0
"""A lag of less than so many standard deviations counts as none."""


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
class Lag:
    """By how much efforts come later than lengths."""

    value: float
    """[s]"""
    sigma: float
    """Its standard deviation [s]; zero where it was given."""

    @property
    def certain(self) -> bool:
        """Whether there is one, so that it was taken into account."""
        return abs(self.value) > CERTAIN * self.sigma

    @property
    def applied(self) -> float:
        """What was taken into account [s]."""
        return self.value if self.certain else 0.0

    @property
    def text(self) -> str:
        """In milliseconds, and what was done."""
        if not self.sigma:
            return f"{1e3 * self.value:.3g} ms, as given"
        places = max(0, 1 - floor(log10(1e3 * self.sigma)))
        found = f"{1e3 * self.value:.{places}f} ± {1e3 * self.sigma:.{places}f} ms"
        return f"{found}: {'taken into account' if self.certain else 'none'}"


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

    @classmethod
    def of(cls, recording: Recording, smooth: Lowpass, factor: Array) -> Efforts:
        """Those of a recording, with the force per effort of each actuator."""
        time, segments, forces = recording.time, recording.segments, recording.effort * factor
        filtered = smooth(forces)
        kept = smooth.kept(len(time))
        ends = np.searchsorted(kept, [segment.stop for segment in segments[:-1]])
        variance = (recording.effort_step * factor) ** 2 / 12.0
        return cls(
            smooth,
            [make_interp_spline(time[s], filtered[s], 3) for s in segments],
            np.split(time[kept], ends),
            np.sqrt(variance * 2.0 * smooth.cutoff / smooth.rate),
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
    )


def _each(splines: list[BSpline], times: list[Array], lag: float) -> Array:
    pairs = zip(splines, times, strict=True)
    return np.concatenate([spline(time + lag) for spline, time in pairs])


def fitted(
    explained: Explained, efforts: Efforts, *, lag: float | None, robust: bool
) -> tuple[Estimate, Lag]:
    """The numbers that explain efforts best, and the lag: as it is given, or found."""
    fit = _Fit(explained, efforts, robust, 1 if explained.linear else ROUNDS)
    if lag is not None:
        _check(lag, efforts)
        return fit.without(explained.priors, lag), Lag(lag, 0.0)
    rough = _rough_lag(explained, efforts)
    found = fit.without(explained.priors, rough)
    checked, late = fit.once(found.values, rough)
    if not (rough or late.certain):
        return found, late
    for _ in range(ROUNDS):
        checked, late = fit.once(checked.values, late.value)
    return (checked, late) if late.certain else (fit.without(checked.values, 0.0), late)


def weighted_down(found: Estimate) -> tuple[str, ...]:
    """How many samples a robust estimate does not believe."""
    few = int((found.weights == 0.0).sum())
    if not few:
        return ()
    return (f"{few} of {found.weights.size} filtered samples are outliers: they do not count",)


@dataclass(frozen=True)
class _Fit:
    explained: Explained
    efforts: Efforts
    robust: bool
    rounds: int

    def without(self, values: Array, lag: float) -> Estimate:
        """The estimate at a lag that is known."""
        forces = self.efforts.at(lag)
        for _ in range(self.rounds):
            columns, predicted = self.explained.linearised(values)
            step = self._estimated(columns, forces - predicted)
            values = values + step.values
        return replace(step, values=values)

    def once(self, values: Array, lag: float) -> tuple[Estimate, Lag]:
        """A step of the numbers and the lag; its covariance is that of the numbers beside a lag."""
        columns, predicted = self.explained.linearised(values)
        later = -self.efforts.rates(lag)[..., None]
        step = self._estimated(
            np.concatenate([columns, later], -1), self.efforts.at(lag) - predicted
        )
        own = replace(step, values=values + step.values[:-1], covariance=step.covariance[:-1, :-1])
        return own, Lag(lag + float(step.values[-1]), float(np.sqrt(step.covariance[-1, -1])))

    def _estimated(self, columns: Array, forces: Array) -> Estimate:
        correlation, least = self.efforts.smooth.correlation(), self.efforts.least
        return estimated(columns, forces, correlation, least=least, robust=self.robust)


def _rough_lag(explained: Explained, efforts: Efforts) -> float:
    """The lag of a few at which least is not explained [s]; GoughError where it is too long."""
    cutoff = efforts.smooth.cutoff
    rows, reach = efforts.reaching(LOOKED / cutoff), LOOKED
    if rows.mean() < MOST:
        rows, reach = np.ones_like(rows), LONGEST
    columns, predicted = (values[rows] for values in explained.linearised(explained.priors))
    lags = np.arange(-reach * STEPS, reach * STEPS + 1) / (STEPS * cutoff)
    flat = columns.reshape(-1, columns.shape[-1])
    lengths = np.linalg.norm(flat, axis=0)
    Q = np.linalg.qr(flat / np.where(lengths, lengths, 1.0))[0]
    forces = np.stack([(efforts.at(lag)[rows] - predicted).ravel() for lag in lags], -1)
    left = (forces**2).sum(0) - ((Q.T @ forces) ** 2).sum(0)
    best = int(np.argmin(left))
    _check_explained(efforts.at(0.0)[rows], float(left[best]), lags[-1])
    if abs(lags[best]) >= LONGEST / cutoff:
        later = "later" if lags[best] > 0.0 else "earlier"
        raise GoughError(
            f"efforts fit lengths best where they come {abs(lags[best]):.3g} s {later}; expected "
            f"less than {LONGEST / cutoff:.3g} s: shift the columns"
        )
    return float(lags[best])


def _check_explained(efforts: Array, left: float, longest: float) -> None:
    vary = float(((efforts - efforts.mean(0)) ** 2).sum())
    if left > (1.0 - EXPLAINED) * vary:
        share = 100 * max(0.0, 1.0 - left / max(vary, 1e-300))
        raise GoughError(
            f"lengths explain {share:.0f} % of how efforts vary, at no lag up to {longest:.3g} s "
            "more; expected channels of one motion"
        )


def _check(lag: float, efforts: Efforts) -> None:
    longest = LONGEST / efforts.smooth.cutoff
    if not abs(lag) <= longest:
        raise GoughError(f"lag={lag:g} s; expected at most {longest:.3g} s either way")
