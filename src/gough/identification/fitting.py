"""The fit of a model to recorded efforts, together with the lag τ of the efforts.

It is one more number, e(t + τ) = W x, found as all others are by Gauss and Newton, between the
samples and with its standard deviation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gough.arrays import Array
from gough.digits import short_decimal
from gough.errors import GoughError
from gough.identification.efforts import Efforts, Explained
from gough.identification.estimation import Estimate, estimated
from gough.identification.identified import Lag

LONGEST = 4
"""The longest lag, in periods of the cutoff frequency: filtered efforts reach so far."""
LOOKED = 16
"""Lags up to this many periods are tried, so that one that is too long is not taken for another."""
STEPS = 4
"""Lags that are tried, in such a period."""
MOST = 0.5
"""The share of samples that must be far enough from the ends to look so far."""
EXPLAINED = 0.5
"""Of how efforts vary, at least: else they are not of this motion."""
ROUNDS = 4
"""Steps of Gauss and Newton, where friction depends on the load or there is a lag."""
FAR = 3.0
"""Residuals are far above the noise, if they are so many times as large."""
SHARE = 5e-3
"""Residuals below this share of how efforts vary are small, however clean a recording is."""


def fitted(
    explained: Explained, efforts: Efforts, *, lag: float | None, robust: bool
) -> tuple[Estimate, Lag]:
    """The numbers that explain efforts best, and the lag: as it is given, or found."""
    fit = _Fit(explained, efforts, robust, 1 if explained.linear else ROUNDS)
    if lag is not None:
        check_lag(lag, efforts)
        return fit.without(explained.priors, lag), Lag(lag, 0.0)
    rough = rough_lag(explained, efforts)
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


def unexplained(found: Estimate, efforts: Efforts) -> tuple[str, ...]:
    """A warning where residuals are far above the noise between neighbouring samples."""
    noise, left = efforts.noise, found.noise
    far = (left > FAR * noise) & (left > SHARE * efforts.at(0.0).std(axis=0))
    if not far.any():
        return ()
    worst = int(np.argmax(np.where(far, left / np.maximum(noise, 1e-300), 0.0)))
    rms, expected = (short_decimal(x[worst], 3) for x in (left, noise))
    return (
        f"residuals of actuator {worst + 1} are {rms} rms, far above the noise between "
        f"neighbouring samples, {expected}: the model lacks something (friction, offsets, legs or "
        "drives that differ), or efforts were smoothed; standard deviations are too small",
    )


def impossible(
    found: Estimate, own: Array, explained: Explained, efforts: Efforts
) -> tuple[str, ...]:
    """A warning where the efforts of the robot's own numbers are far from those of the estimate.

    That is so where no bodies can have what was found, such as negative masses.
    """
    (_, by_estimate), (_, by_robot) = map(explained.linearised, (found.values, own))
    apart = np.sqrt(np.mean((by_robot - by_estimate) ** 2, axis=0))
    far = (apart > found.noise) & (apart > SHARE * efforts.at(0.0).std(axis=0))
    if not far.any():
        return ()
    worst = int(np.argmax(np.where(far, apart, 0.0)))
    rms = short_decimal(apart[worst], 3)
    return (
        "no bodies that can exist have what was found: efforts of the robot are as much as "
        f"{rms} rms (actuator {worst + 1}) from those of the estimate; look at signs and units of "
        "efforts, and at what acts besides",
    )


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
        own = replace(step, values=values + step.values[:-1], root=step.root[:-1])
        value, sigma = lag + float(step.values[-1]), float(np.linalg.norm(step.root[-1]))
        return own, Lag(value, sigma, 1 / self.efforts.smooth.rate)

    def _estimated(self, columns: Array, forces: Array) -> Estimate:
        correlation, least = self.efforts.smooth.correlation(), self.efforts.least
        return estimated(columns, forces, correlation, least=least, robust=self.robust)


def rough_lag(explained: Explained, efforts: Efforts) -> float:
    """The lag of a few at which least is not explained [s]; GoughError where it is too long.

    Efforts often come later than positions: another bus, or an amplifier's own filter. Where what
    the motion does not explain of them is least, there the lag is, within a part of a period.
    """
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
            f"efforts fit the motion best where they come {abs(lags[best]):.3g} s {later}; "
            f"expected less than {LONGEST / cutoff:.3g} s: shift the columns"
        )
    return float(lags[best])


def _check_explained(efforts: Array, left: float, longest: float) -> None:
    vary = float(((efforts - efforts.mean(0)) ** 2).sum())
    if left > (1.0 - EXPLAINED) * vary:
        share = 100 * max(0.0, 1.0 - left / max(vary, 1e-300))
        raise GoughError(
            f"the motion explains {share:.0f} % of how efforts vary, at no lag up to "
            f"{longest:.3g} s more; expected channels of one motion"
        )


def check_lag(lag: float, efforts: Efforts) -> None:
    """GoughError where a lag that is given is too long."""
    longest = LONGEST / efforts.smooth.cutoff
    if not abs(lag) <= longest:
        raise GoughError(f"lag={lag:g} s; expected at most {longest:.3g} s either way")
