"""Reductions of a quantity over time: extremes with their leg and time, RMS values, integrals.

Each is written once for values (..., T, n): of one motion, or of many at the same times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from math import sqrt, tau
from typing import Literal, NamedTuple

import numpy as np

from gough.analysis.axes import ENERGY, POSE_ERROR, STORED_ENERGY, Axis
from gough.arrays import AnyArray, Array

_BLOCK, _ROWS = 8192, 2048
"""Samples that are looked at together: their columns, copied each in one piece, stay near."""
BAND_SHARE = 0.99
"""Share of the energy of a signal within its bandwidth."""
_ROUNDING = 1e-12
"""Amplitude of rounding, relative to the maximum."""


@dataclass(frozen=True, eq=False)
class TimeSeries:
    """Values of a quantity (..., T), or (..., T, n) of each leg, at times (T,) [s].

    They are a function of others, which is taken of some samples at a time: a column over a long
    time is read once, and no copy of it is written.
    """

    time: Array
    source: Array
    motions: int = 0
    """Axes before time: none of one motion, one of many."""
    function: Callable[[Array], Array] = np.asarray
    """From the source at some samples (..., t, ...) to the values there."""

    def like(self, function: Callable[[Array], Array]) -> TimeSeries:
        """Return a function of the values at some samples, at the same times."""
        first = self.function
        return TimeSeries(self.time, self.source, self.motions, lambda x: function(first(x)))

    def piece(self, samples: slice) -> Array:
        """Return the values (..., t) or (..., t, n) at some samples."""
        return self.function(self.source[(slice(None),) * self.motions + (samples,)])

    @property
    def values(self) -> Array:
        """Values at all samples."""
        return self.piece(slice(None))

    @cached_property
    def of_legs(self) -> bool:
        """Whether there are values of each leg, actuator or joint."""
        return self.piece(slice(1)).ndim > self.motions + 1

    @cached_property
    def _of_blocks(self) -> tuple[Array, Array]:
        """Minimum and maximum (blocks, ...) or (blocks, ..., n) of each block of samples."""
        starts = range(0, len(self.time), _BLOCK)
        pieces = (self.piece(slice(k, k + _BLOCK)) for k in starts)
        if self.of_legs:  # NumPy is slow with short rows
            pieces = (_in_rows(piece.swapaxes(-1, -2)) for piece in pieces)
        low, high = zip(*map(_extremes_of_rows, pieces), strict=True)
        return np.array(low), np.array(high)

    @cached_property
    def extremes(self) -> tuple[Array, Array]:
        """Minimum and maximum (...), or (..., n) of each leg; NaN where there is no number."""
        low, high = self._of_blocks
        return np.asarray(np.fmin.reduce(low)), np.asarray(np.fmax.reduce(high))

    def sample(self, leg: AnyArray | None = None, least: bool = False) -> AnyArray:
        """Return the sample (...) with the extreme value, or that of a leg (...) from 0."""
        of_blocks = self._of_blocks[0 if least else 1]
        rows = of_blocks if leg is None else chosen(of_blocks, leg[None])
        block = place(np.moveaxis(rows, 0, -1), least)
        found = np.zeros_like(block)
        for k in np.unique(block):
            piece = self.piece(slice(k * _BLOCK, (k + 1) * _BLOCK))
            row = piece if leg is None else chosen(piece, leg[..., None])
            found = np.where(block == k, k * _BLOCK + place(row, least), found)
        return found

    def nearer(self, below: Array, above: Array, leg: AnyArray) -> AnyArray:
        """Return the sample (...) of a leg's minimum where `below` (..., n) is less, or maximum."""
        at_minimum = chosen(below, leg) < chosen(above, leg)
        return np.where(at_minimum, self.sample(leg, least=True), self.sample(leg))

    def integral(self, of: Callable[[Array], Array] = np.positive) -> Array:
        """Return the integral over time of a function of the values: trapezoids, in blocks."""
        time, weights = self.time, np.empty(len(self.time))
        weights[0], weights[-1] = (time[1] - time[0]) / 2, (time[-1] - time[-2]) / 2
        weights[1:-1] = (time[2:] - time[:-2]) / 2
        total: Array | float = 0.0
        for part in (slice(k, k + _ROWS) for k in range(0, len(time), _ROWS)):
            values = np.ascontiguousarray(self.piece(part))  # sums have one order
            total = total + weights[part] @ of(values if self.of_legs else values[..., None])
        return np.asarray(total) if self.of_legs else np.asarray(total)[..., 0]

    def mean(self, of: Callable[[Array], Array] = np.positive) -> Array:
        """Return the mean over time of a function of the values; of one instant, its value."""
        duration = self.time[-1] - self.time[0]
        if duration > 0:
            return np.asarray(self.integral(of) / duration)
        return of(np.asarray(self.piece(slice(1)).take(0, axis=self.motions)))


class FigureValue(NamedTuple):
    """Result of a reduction: of the machine, of each leg, and its sample."""

    value: Array
    """(...)"""
    per_leg: Array | None = None
    """(..., n)"""
    leg: AnyArray | None = None
    """(...) counted from 0."""
    sample: Callable[[], AnyArray] | None = None
    """() -> (...) which sample has the value, -1 if none; looked for where it is asked for."""


@dataclass(frozen=True, eq=False)
class Reduction:
    """Reduction of a quantity to a figure, with its name and meaning."""

    name: str
    """With a place for the quantity's name."""
    meaning: str
    """With places for the quantity's name in `words` and for its `meaning`."""
    find: Callable[[TimeSeries], FigureValue]
    unit: str = ""
    """Where it is not the quantity's."""
    worst: Literal["max", "min", ""] = "max"
    """Which of the legs, and of the points of a grid, is the worst."""


_minimum = partial(Reduction, worst="min")


def of_worst_leg(
    per_leg: Array, sample: Callable[[AnyArray], AnyArray] | None = None, *, least: bool = False
) -> FigureValue:
    """Return the extreme of the legs' values for the machine, and its sample by the leg."""
    leg = place(per_leg, least)
    return FigureValue(chosen(per_leg, leg), per_leg, leg, sample and partial(sample, leg))


def _of_all(per_leg: Array) -> FigureValue:
    """Return the legs' sum for the machine."""
    return FigureValue(per_leg.sum(axis=-1), per_leg)


def _extreme(of: TimeSeries, least: bool) -> FigureValue:
    low, high = of.extremes
    found = low if least else high
    if not of.of_legs:
        return FigureValue(found, sample=partial(of.sample, least=least))
    return of_worst_leg(found, partial(of.sample, least=least), least=least)


_greatest, _least = partial(_extreme, least=False), partial(_extreme, least=True)


def _largest_size(of: TimeSeries) -> FigureValue:
    """Return the extreme of greater magnitude, leg by leg; of equals the maximum, or first."""
    if not of.of_legs:
        return _greatest(of.like(np.abs))
    low, high = of.extremes
    return of_worst_leg(np.maximum(high, -low), partial(of.nearer, low, -high))


def _longest_vector(of: TimeSeries) -> FigureValue:
    """Return the maximum length of vectors (..., T, n, 3)."""

    def squared(vectors: Array) -> Array:
        x, y, z = (np.square(vectors[..., k]) for k in range(3))
        return np.asarray(x + y + z)

    squares = of.like(squared)
    return of_worst_leg(np.sqrt(squares.extremes[1]), squares.sample)


def _range_used(of: TimeSeries) -> FigureValue:
    low, high = of.extremes
    return FigureValue(np.fmax.reduce(high - low, axis=-1), high - low)


def _energy(of: TimeSeries, sign: float = 1.0) -> Array:
    """Return what the actuators put in, or, with the sign -1, take up."""
    return of.integral(lambda power: np.maximum(sign * power, 0.0))


def _sums(values: Array) -> Array:
    """Return the sums of rows (..., n), in one order wherever they lie in memory."""
    return np.asarray(np.ascontiguousarray(values) @ np.ones(values.shape[-1]))


def _most_of(axis: Axis, *labels: str) -> Callable[[TimeSeries], FigureValue]:
    """Return the reduction to the maximum sum of some of the numbers along an axis."""
    places = [axis.labels.index(label) for label in labels]
    return lambda of: _greatest(of.like(lambda values: values[..., places].sum(axis=-1)))


def _last(of: TimeSeries) -> FigureValue:
    values = of.piece(slice(-1, None))[..., -1]
    return FigureValue(values, sample=lambda: np.full(values.shape, len(of.time) - 1))


def _mean_size(of: TimeSeries) -> FigureValue:
    per_leg = of.mean(np.abs)
    return FigureValue(per_leg.mean(axis=-1), per_leg)


def _lengths(of: TimeSeries, part: str) -> TimeSeries:
    """Return the lengths of a part of a step: translation or rotation."""
    return of.like(lambda values: np.linalg.norm(values[..., POSE_ERROR.part(part)], axis=-1))


def _longest_part(part: str) -> Callable[[TimeSeries], FigureValue]:
    return lambda of: _greatest(_lengths(of, part))


def _rms_part(part: str) -> Callable[[TimeSeries], FigureValue]:
    return lambda of: FigureValue(np.sqrt(_lengths(of, part).mean(np.square)))


def energy_bandwidth(of: TimeSeries, share: float = BAND_SHARE) -> Array:
    """(..., n) frequency [Hz] below which a share of the energy of values (..., T, n) lies.

    Values are at evenly spaced times. The straight line from the first to the last of them is taken
    off; the rest is a Fourier series, whose frequencies are multiples of one over the duration, and
    whose energies are added until they make up the share. Zero of what does not change.
    """
    columns = np.swapaxes(of.values, -1, -2)
    if len(of.time) < 3:  # nothing but the straight line
        return np.where(np.isnan(columns).any(axis=-1), np.nan, 0.0)
    first, last = columns[..., :1], columns[..., -1:]
    rest = (columns - first - (last - first) * np.linspace(0.0, 1.0, len(of.time)))[..., :-1]
    energy = np.abs(np.fft.rfft(rest)[..., 1:]) ** 2
    if rest.shape[-1] % 2 == 0:
        energy[..., -1] /= 2  # the highest frequency has no conjugate
    sums = np.cumsum(energy, axis=-1)
    total = sums[..., -1:]
    noise = (_ROUNDING * np.abs(columns).max(axis=-1) * rest.shape[-1]) ** 2
    within = 1 + np.argmax(sums >= share * total, axis=-1)
    found = np.where(total[..., 0] <= noise, 0.0, within / (of.time[-1] - of.time[0]))
    return np.asarray(np.where(np.isnan(total[..., 0]), np.nan, found))


def tracking_bandwidth(of: TimeSeries, bounds: Array) -> FigureValue:
    """(n,) minimum bandwidth [Hz] with which actuators stay within bounds (n,) of their positions.

    The actuator is a first-order lag, ė + ω e = q̇ with e(0) = 0, solved exactly for speeds (T, n)
    that are straight between evenly spaced samples. As |e| ≤ max |q̇| / ω, there always is one.
    """
    from scipy.signal import lfilter  # noqa: PLC0415  (takes long, and few need it)

    step = float(of.time[1] - of.time[0])

    def largest_error(speed: Array, omega: float) -> float:
        decay = np.exp(-omega * step)
        gain = -np.expm1(-omega * step) / omega
        ahead = (step - gain) / (omega * step)
        error = lfilter([ahead, gain - ahead], [1.0, -decay], speed, zi=[-ahead * speed[0]])[0]
        return float(np.abs(error).max())

    def least(speed: Array, bound: float) -> float:
        low, high = 1e-6 / (of.time[-1] - of.time[0]), float(np.abs(speed).max() / bound)
        if not high > low or largest_error(speed, low) <= bound:
            return 0.0 if np.isfinite(high) else np.nan
        while high > (1 + 1e-9) * low:
            middle = sqrt(low * high)
            within = largest_error(speed, middle) <= bound
            low, high = (low, middle) if within else (middle, high)
        return high / tau

    return of_worst_leg(np.array([least(*one) for one in zip(of.values.T, bounds, strict=True)]))


# fmt: off
SHORTEST = _minimum("shortest_{}", "shortest {words}", _least)
LONGEST = Reduction("longest_{}", "longest {words}", _greatest)
STROKE_USED = Reduction("stroke_used", "longest minus shortest length of a leg", _range_used)
LOWEST = _minimum("lowest_{}", "lowest {words}", _least)
HIGHEST = Reduction("highest_{}", "highest {words}", _greatest)
TRAVEL_USED = Reduction("travel_used", "highest minus lowest position of an actuator", _range_used)
PEAK = Reduction("peak_{}", "maximum absolute {words}", _largest_size)
MAXIMUM = Reduction("maximum_{}", "maximum {words}", _greatest)
PEAK_LENGTH = Reduction("peak_{}", "maximum magnitude of {words}", _longest_vector)
RMS = Reduction("rms_{}", "root of the mean square of {words} over time, of the actuator with most",
    lambda of: of_worst_leg(np.sqrt(of.mean(np.square))))
SPENT = Reduction("energy_spent", "what the actuators put in, none regained",
    lambda of: _of_all(_energy(of)), "J")
RETURNED = Reduction("energy_returned", "what the actuators take up while braking",
    lambda of: _of_all(_energy(of, -1.0)), "J", worst="")
NET = Reduction("energy_net", "spent minus returned: all of it regained",
    lambda of: _of_all(_energy(of) - _energy(of, -1.0)), "J")
PEAK_TOTAL = Reduction("peak_total_{}", "maximum absolute {words} of all actuators together",
    lambda of: _greatest(of.like(lambda values: np.abs(_sums(values)))))
BANDWIDTH = Reduction("{}_bandwidth", "frequency below which 99 % of the energy of {words} lies",
    lambda of: of_worst_leg(energy_bandwidth(of)), "Hz")
WORST = Reduction("maximum_{}", "{meaning}", _greatest)
MINIMUM_SIZE = _minimum("minimum_{}", "{meaning}", lambda of: _least(of.like(np.abs)))
MINIMUM = _minimum("minimum_{}", "minimum {words}", _least)
PEAK_KINETIC = Reduction("peak_kinetic_energy", "maximum kinetic energy of the machine",
    _most_of(ENERGY, "kinetic"))
PEAK_KINETIC_WITH_DRIVES = Reduction("peak_kinetic_energy",
    "maximum kinetic energy of platform, legs and drives",
    _most_of(STORED_ENERGY, "kinetic", "rotors"))
PEAK_POSITION, PEAK_ORIENTATION = (Reduction(f"peak_{word}_error",
    f"maximum error of the platform's {word}", _longest_part(part), unit)
    for word, part, unit in (("position", "linear", "m"), ("orientation", "angular", "rad")))
RMS_POSITION, RMS_ORIENTATION = (Reduction(f"rms_{word}_error",
    f"root of the mean square of the {word} error over time", _rms_part(part), unit)
    for word, part, unit in (("position", "linear", "m"), ("orientation", "angular", "rad")))
PEAK_TRANSLATION = Reduction("peak_{}", "maximum translation of the platform under the tasks",
    _longest_part("linear"), "m")
PEAK_ROTATION = Reduction("peak_{}_angle", "maximum rotation of the platform under the tasks",
    _longest_part("angular"), "rad")
FIRST = _minimum("first_{}", "lowest {words} on the way",
    lambda of: _least(of.like(lambda values: values[..., 0])))
DEVIATION_TRANSLATION = Reduction("maximum_{}", "maximum RMS position error",
    _longest_part("linear"), "m")
DEVIATION_ROTATION = Reduction("maximum_{}_angle", "maximum RMS orientation error",
    _longest_part("angular"), "rad")
ITS_MINIMUM = _minimum("{}", "{meaning}", _least)
MEAN_ERROR = Reduction("mean_leg_error",
    "mean size of the legs' length errors, over time and over the legs", _mean_size)
MEAN_ACTUATOR_ERROR = Reduction("mean_actuator_error",
    "mean size of the actuators' position errors, over time and over the actuators", _mean_size)
FINAL = Reduction("final_{}", "at the end: {meaning}", _last)
# fmt: on

OF_LEGS = (
    *(SHORTEST, LONGEST, STROKE_USED, LOWEST, HIGHEST, TRAVEL_USED, PEAK, MAXIMUM, PEAK_LENGTH),
    *(RMS, SPENT, RETURNED, NET, PEAK_TOTAL, BANDWIDTH),
)
OF_MACHINE = (
    *(WORST, MINIMUM_SIZE, MINIMUM, PEAK_KINETIC, PEAK_POSITION, RMS_POSITION, ITS_MINIMUM, FIRST),
    *(PEAK_TRANSLATION, PEAK_ROTATION, DEVIATION_TRANSLATION, DEVIATION_ROTATION),
    *(PEAK_ORIENTATION, RMS_ORIENTATION, MEAN_ERROR, MEAN_ACTUATOR_ERROR, PEAK_KINETIC_WITH_DRIVES),
    FINAL,
)
"""All reductions, in the order of their figures: first those of the legs and their actuators."""


def extremes(values: Array) -> tuple[Array, Array]:
    """Return minimum and maximum (..., n) of columns (..., T, n); NaN where one has no number."""
    return TimeSeries(np.arange(float(values.shape[-2])), values, values.ndim - 2).extremes


def _in_rows(values: Array) -> Array:
    """Return values with those of the last axis side by side in memory."""
    return values if values.strides[-1] == values.itemsize else np.ascontiguousarray(values)


def _extremes_of_rows(values: Array) -> tuple[Array, Array]:
    """Return the minimum and the maximum (...) of each row of values (..., T)."""
    low, high = np.minimum.reduce(values, axis=-1), np.maximum.reduce(values, axis=-1)
    if np.isnan(low).any():
        low, high = np.fmin.reduce(values, axis=-1), np.fmax.reduce(values, axis=-1)
    return np.asarray(low), np.asarray(high)


def place(values: Array, least: bool = False) -> AnyArray:
    """Return the place (...) of the extreme among the numbers of each row; 0 if it has none."""
    choose = np.argmin if least else np.argmax
    found = np.asarray(choose(values, axis=-1))
    if np.isnan(chosen(values, found)).any():
        known = np.where(np.isnan(values), np.inf if least else -np.inf, values)
        found = np.asarray(choose(known, axis=-1))
    return found


def chosen(values: Array, places: AnyArray) -> Array:
    """Return the value (...) at a place (...) of each row of values (..., n)."""
    return np.asarray(np.take_along_axis(values, places[..., None], axis=-1)[..., 0])
