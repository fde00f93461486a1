"""The fit of a model to recorded efforts, together with the lag τ of the efforts.

It is one more number, e(t + τ) = W x, found as all others are by Gauss and Newton, between the
samples and with its standard deviation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gough.arrays import Array
from gough.digits import short_decimal
from gough.errors import GoughError
from gough.identification.filtering import OF_MEDIAN
from gough.identification.identified import Lag
from gough.identification.measured import Efforts, Explained

LEAST = 1e-13  # minimum square of singular values, relative to the maximum: less is rounding error
HUBER, TUKEY = 1.345, 4.685
"""Where weights begin to fall, and where they are zero, in standard deviations: of noise without
outliers, the estimate is then worth 95 % of what least squares are [Huber & Ronchetti 2009]."""
CONVEX, FALLING = 4, 12
"""Rounds with Huber's weights, which need no good start, and Tukey's, which forget outliers."""

LONGEST = 4  # the longest lag, in periods of the cutoff frequency: filtered efforts reach so far
LOOKED = 16  # lags up to this many periods are tried, so that a longer one is not taken for another
STEPS = 4  # lags that are tried, in such a period
MOST = 0.5  # the share of samples that must be far enough from the ends to look so far
EXPLAINED = 0.5  # minimum explained share of the efforts' variation: else of another motion
ROUNDS = 4  # steps of Gauss and Newton, where friction depends on the load or there is a lag
FAR = 3.0  # residuals are far above the noise, if they are so many times as large
SHARE = 5e-3  # residuals below this share of how efforts vary are small, in clean recordings too


def fitted(explained: Explained, *, lag: float | None, robust: bool) -> tuple[EffortEstimate, Lag]:
    """The numbers that explain efforts best, and the lag: as it is given, or found.

    All are found by steps of Gauss and Newton.
    """
    efforts, smooth = explained.efforts, explained.efforts.smooth
    noise = {"correlation": smooth.correlation(), "least": efforts.least}

    def at_lag(values: Array, lag: float) -> EffortEstimate:
        forces = efforts.at(lag)
        for _ in range(1 if explained.linear else ROUNDS):
            columns, predicted = explained.linearised(values, lag)
            step = estimated(columns, forces - predicted, **noise, robust=robust)
            values = values + step.values
        return replace(step, values=values)

    def with_lag(values: Array, lag: float) -> tuple[EffortEstimate, Lag]:
        """A step of the numbers and the lag; its covariance is that of the numbers beside a lag."""
        columns, predicted = explained.linearised(values, lag)
        rate = explained.by_lag(values, lag) if explained.by_lag else efforts.at(lag, 1)
        both = np.concatenate([columns, -rate[..., None]], -1)
        step = estimated(both, efforts.at(lag) - predicted, **noise, robust=robust)
        own = replace(step, values=values + step.values[:-1], root=step.root[:-1])
        value, sigma = lag + float(step.values[-1]), float(np.linalg.norm(step.root[-1]))
        return own, Lag(value, sigma, 1 / smooth.rate)

    if lag is not None:
        longest = LONGEST / smooth.cutoff
        if not abs(lag) <= longest:
            raise GoughError(f"lag={lag:g} s; expected at most {longest:.3g} s either way")
        return at_lag(explained.priors, lag), Lag(lag, 0.0)
    rough = rough_lag(explained)
    found = at_lag(explained.priors, rough)
    checked, late = with_lag(found.values, rough)
    if not (rough or late.certain):
        return found, late
    for _ in range(ROUNDS):
        checked, late = with_lag(checked.values, late.value)
    return (checked, late) if late.certain else (at_lag(checked.values, 0.0), late)


def weighted_down(found: EffortEstimate) -> tuple[str, ...]:
    """Return the notes of samples that a robust estimate gives less weight."""
    few = int((found.weights == 0.0).sum())
    note = f"{few} of {found.weights.size} filtered samples are outliers: they do not count"
    return (note,) if few else ()


def unexplained(found: EffortEstimate, efforts: Efforts, rows: Sequence[str]) -> tuple[str, ...]:
    """A warning where residuals, of forces by name, are far above neighbouring samples' noise."""
    noise, left = efforts.noise, found.noise
    far = (left > FAR * noise) & (left > SHARE * efforts.at(0.0).std(axis=0))
    if not far.any():
        return ()
    worst = int(np.argmax(np.where(far, left / np.maximum(noise, 1e-300), 0.0)))
    rms, expected = (short_decimal(x[worst], 3) for x in (left, noise))
    return (
        f"residuals of {rows[worst]} are {rms} rms, far above the noise between "
        f"neighbouring samples, {expected}: the model lacks something (friction, offsets, legs or "
        "drives that differ), or efforts were smoothed; standard deviations are too small",
    )


def impossible(
    found: EffortEstimate, own: Array, explained: Explained, rows: Sequence[str]
) -> tuple[str, ...]:
    """A warning where no bodies can have what was found: efforts of the robot's own are far off."""
    by_estimate, by_robot = (explained.linearised(x, 0.0)[1] for x in (found.values, own))
    apart = np.sqrt(np.mean((by_robot - by_estimate) ** 2, axis=0))
    far = (apart > found.noise) & (apart > SHARE * explained.efforts.at(0.0).std(axis=0))
    if not far.any():
        return ()
    worst = int(np.argmax(np.where(far, apart, 0.0)))
    rms = short_decimal(apart[worst], 3)
    return (
        "no bodies that can exist have what was found, or springs and friction that are not "
        f"negative: efforts of the robot are as much as {rms} rms ({rows[worst]}) from those of "
        "the estimate; look at signs and units of efforts, and at what acts besides",
    )


def rough_lag(explained: Explained) -> float:
    """Return the lag of a few with the minimum residual [s]; GoughError where it is too long.

    Efforts often come later than positions: another bus, or an amplifier's own filter.
    """
    efforts = explained.efforts
    cutoff = efforts.smooth.cutoff
    rows, reach = efforts.reaching(LOOKED / cutoff), LOOKED
    if rows.mean() < MOST:
        rows, reach = np.ones_like(rows), LONGEST
    columns, predicted = (values[rows] for values in explained.linearised(explained.priors, 0.0))
    lags = np.arange(-reach * STEPS, reach * STEPS + 1) / (STEPS * cutoff)
    flat = columns.reshape(-1, columns.shape[-1])
    lengths = np.linalg.norm(flat, axis=0)
    Q = np.linalg.qr(flat / np.where(lengths, lengths, 1.0))[0]
    forces = np.stack([(efforts.at(lag)[rows] - predicted).ravel() for lag in lags], -1)
    left = (forces**2).sum(0) - ((Q.T @ forces) ** 2).sum(0)
    best = int(np.argmin(left))
    still = efforts.at(0.0)[rows]
    vary = float(((still - still.mean(0)) ** 2).sum())
    if left[best] > (1.0 - EXPLAINED) * vary:
        share = 100 * max(0.0, 1.0 - left[best] / max(vary, 1e-300))
        raise GoughError(
            f"the motion explains {share:.0f} % of how efforts vary, at no lag up to "
            f"{lags[-1]:.3g} s more; expected channels of one motion"
        )
    if abs(lags[best]) >= LONGEST / cutoff:
        later = "later" if lags[best] > 0.0 else "earlier"
        raise GoughError(
            f"efforts fit the motion best where they come {abs(lags[best]):.3g} s {later}; "
            f"expected less than {LONGEST / cutoff:.3g} s: shift the columns"
        )
    return float(lags[best])


@dataclass(frozen=True, eq=False)
class EffortEstimate:
    """Estimate of the numbers that explain forces."""

    values: Array
    root: Array  # R of the covariance R Rᵀ: keeps the digits of well identified numbers
    residuals: Array  # (T, n) forces that are not explained [N]
    noise: Array  # (n) standard deviation of each actuator's [N]
    condition: float  # condition number of the weighted columns, each of length one
    weights: Array  # (T, n) by which samples count, 0 to 1

    @property
    def covariance(self) -> Array:
        """Covariance of the values."""
        return np.asarray(self.root @ self.root.T)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Columns (n, T, k) and forces (n, T) of each actuator, and how the noise hangs together."""

    columns: Array
    forces: Array
    correlated: Array
    least: Array

    def solved(self, noise: Array, weights: Array) -> tuple[Array, Array, float]:
        """The numbers, B of the inverse B Bᵀ of their normal matrix, and the condition number."""
        each = zip(self.columns, self.forces, weights / noise[:, None] ** 2, strict=True)
        pairs = [(W.T @ (w[:, None] * W), W.T @ (w * f)) for W, f, w in each]
        normal, seen = (sum(part) for part in zip(*pairs, strict=True))
        lengths = np.sqrt(np.diag(normal))
        if not lengths.all():
            raise GoughError("the recording does not move all that is to be estimated")
        sizes, axes = np.linalg.eigh(normal / np.outer(lengths, lengths))
        if sizes[0] <= LEAST * sizes[-1]:
            raise GoughError("the motion does not tell its parameters apart; expected a richer one")
        B = axes / lengths[:, None] / np.sqrt(sizes)
        return B @ (B.T @ seen), B, float(np.sqrt(sizes[-1] / sizes[0]))

    def left(self, x: Array) -> Array:
        """Forces that numbers do not explain."""
        return np.asarray(self.forces - self.columns @ x)

    def freedom(self, B: Array, noise: Array) -> Array:
        """(n) samples, less what the numbers take of them."""
        taken = noise**-2.0 * np.einsum("jk,nkj->n", B @ B.T, self.correlated)
        return np.asarray(np.maximum(self.forces.shape[1] - taken, 1.0))

    def estimate(
        self, x: Array, B: Array, spread: Array, noise: Array, condition: float, weights: Array
    ) -> EffortEstimate:
        """Return the estimate x, of noise whose spread is that of each actuator's residuals (n).

        R Rᵀ = B Bᵀ S B Bᵀ is the covariance, where S sums the noise as actuators count.
        """
        S = np.tensordot(spread**2, self.correlated, 1)
        sizes, axes = np.linalg.eigh(B.T @ S @ B)
        root = B @ (axes * np.sqrt(np.maximum(sizes, 0.0)))
        return EffortEstimate(x, root, self.left(x).T, noise, condition, weights.T)


def estimated(
    columns: Array,
    forces: Array,
    correlation: Array,
    *,
    least: Array | float = 0.0,
    robust: bool = False,
) -> EffortEstimate:
    """Return the estimate x of forces (T, n) = columns (T, n, k) x.

    Each actuator counts by its own noise, which is estimated, and is `least` (n) or more.
    `correlation` is that of the noise of samples 0, 1, … apart: least squares would have the same x
    without it, but too small standard deviations. A `robust` estimate gives less weight to samples
    that are far from all others' explanation, down to not at all.
    """
    each = np.ascontiguousarray(np.moveaxis(columns, 1, 0))
    correlated = np.array([_correlated(W, correlation) for W in each])
    own = np.ascontiguousarray(forces.T), correlated, np.broadcast_to(least, len(each))
    rows = _Rows(each, *own)
    if robust:
        return _robust(rows)
    noise, equal = np.ones(len(rows.forces)), np.ones_like(rows.forces)
    for _ in range(2):
        before = noise
        x, B, condition = rows.solved(before, equal)
        squares = (rows.left(x) ** 2).sum(-1)
        noise = np.maximum(np.sqrt(squares / rows.freedom(B, before)), rows.least)
    return rows.estimate(x, B, noise / before**2, noise, condition, equal)


def _robust(rows: _Rows) -> EffortEstimate:
    """By weights that follow the residuals, beside noise that their median says.

    The covariance is that of such estimates: noise ψ of the residuals u, over the mean slope of ψ.
    """
    noise, weights = np.ones(len(rows.forces)), np.ones_like(rows.forces)
    for k in range(CONVEX + FALLING):
        x, B, _ = rows.solved(noise, weights)
        left, count = rows.left(x), rows.forces.shape[1]
        median = OF_MEDIAN * np.median(np.abs(left), axis=-1)
        least = np.maximum(rows.least, 1e-300)
        noise = np.maximum(median * np.sqrt(count / rows.freedom(B, noise)), least)
        u = left / noise[:, None]
        huber = HUBER / np.maximum(np.abs(u), HUBER)
        weights = huber if k < CONVEX else np.maximum(1.0 - (u / TUKEY) ** 2, 0.0) ** 2
    x, _, _ = rows.solved(noise, weights)
    _, B, condition = rows.solved(noise, np.ones_like(weights))
    inside = np.sqrt(weights)  # 1 - (u / c)²
    slope = np.where(inside > 0.0, inside * (5.0 * inside - 4.0), 0.0).mean(-1)
    psi = noise * np.sqrt(np.mean((weights * u) ** 2, axis=-1)) / slope
    return rows.estimate(x, B, psi / noise**2, noise, condition, weights)


def _correlated(columns: Array, correlation: Array) -> Array:
    """Wᵀ C W of columns (T, k), where C has the noise's correlation along time."""
    together = columns.copy()
    for lag, rho in enumerate(correlation[1:], 1):
        together[lag:] += rho * columns[:-lag]
        together[:-lag] += rho * columns[lag:]
    return np.asarray(columns.T @ together)
