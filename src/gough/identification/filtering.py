"""The zero-phase low-pass filter that forces and regressor both go through, and what it leaves.

Filtering only one of the two ruins the estimates: what the filter takes from the forces it must
take from their explanation, too. What is left of white noise is no longer white: `correlation` says
how it hangs together, so that the uncertainty of estimates is not taken for smaller than it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import signal
from scipy.interpolate import make_interp_spline

from gough.arrays import Array

ORDER = 4
"""Of the Butterworth filter, which is applied forwards and backwards."""
OVERSAMPLED = 1.25
"""Samples that are kept, in twice the cutoff frequency."""
SETTLING = 8.0
"""What is left out at either end, in periods of the cutoff frequency."""
FAINT = 1e-4
"""Power beside the strongest frequency's that does not matter."""
SLOW = 0.05
"""Machines move at frequencies below this share of the rate."""
CUTOFF = 4.0
"""The filter's frequency, over the highest one of the motion."""
_DEGREE = 5
_FREQUENCIES = 4096


@dataclass(frozen=True)
class Lowpass:
    """A filter of a cutoff frequency [Hz] for samples at a rate [Hz]."""

    cutoff: float
    rate: float

    def __call__(self, values: Array) -> Array:
        """The values (T, ...) without what is faster."""
        return np.asarray(signal.sosfiltfilt(self._sections, values, axis=0))

    @property
    def stride(self) -> int:
        """One of so many samples is kept."""
        return max(1, int(self.rate / (2 * OVERSAMPLED * self.cutoff)))

    def kept(self, count: int) -> slice:
        """Which of so many samples are kept: neither the ends nor what says the same again."""
        edge = int(SETTLING * self.rate / self.cutoff)
        return slice(edge, count - edge, self.stride)

    def correlation(self) -> Array:
        """Of filtered white noise: that of kept samples which are 0, 1, … strides apart."""
        w = np.linspace(0.0, np.pi, _FREQUENCIES)
        _, gain = signal.freqz_sos(self._sections, worN=w)
        power = np.abs(gain) ** 4
        lags = np.arange(int(4 * OVERSAMPLED) + 1) * self.stride
        found = np.trapezoid(power * np.cos(np.outer(lags, w)), w, axis=-1)
        return np.asarray(found / found[0])

    @property
    def _sections(self) -> Array:
        return np.asarray(signal.butter(ORDER, self.cutoff, fs=self.rate, output="sos"))


def highest_frequency(values: Array, rate: float) -> float:
    """Up to which frequency [Hz] the accelerations of positions (T, n) matter.

    Beyond their strongest one, it is where their spectrum first is faint: from there on the noise
    of positions, which accelerations have by the square of the frequency, hides them.
    """
    frequency, power = signal.welch(
        signal.detrend(values, axis=0), rate, "blackmanharris", len(values) // 2, axis=0
    )
    slow = frequency < SLOW * rate
    strength = (frequency**4 * power.sum(-1))[slow]
    strongest = int(np.argmax(strength))
    faint = strength[strongest:] < FAINT * strength[strongest]
    return float(frequency[strongest + int(np.argmax(faint))])


def derivatives(time: Array, values: Array) -> tuple[Array, Array]:
    """First and second rates of smooth values (T, n)."""
    spline = make_interp_spline(time, values, _DEGREE)
    return np.asarray(spline(time, 1)), np.asarray(spline(time, 2))
