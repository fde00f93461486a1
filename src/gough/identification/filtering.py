"""The zero-phase low-pass filter that forces and regressor both go through, and what it leaves.

Filtering only one of the two ruins the estimates: what the filter takes from the forces it must
take from their explanation, too. What is left of white noise is no longer white: `correlation` says
how it hangs together, so that the uncertainty of estimates is not taken for smaller than it is.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import signal
from scipy.interpolate import make_interp_spline

from gough.arrays import AnyArray, Array
from gough.errors import GoughError

ORDER = 4  # order of the Butterworth filter, which is applied forwards and backwards
OVERSAMPLED = 1.25  # samples that are kept, in twice the cutoff frequency
SETTLING = 8.0  # time that is left out at either end, in periods of the cutoff frequency
FAINT = 1e-4  # power beside the strongest frequency's that does not matter
SLOW = 0.05  # machines move at frequencies below this share of the rate
CUTOFF = 4.0  # the filter's frequency, over the highest one of the motion
OF_MEDIAN = 1.4826  # the standard deviation of noise, over the median of its size
_DEGREE = 5
_FREQUENCIES = 4096


@dataclass(frozen=True)
class Lowpass:
    """A filter of a cutoff frequency [Hz] for samples at a rate [Hz], of segments without gaps."""

    cutoff: float
    rate: float
    segments: tuple[slice, ...] = (slice(None),)

    def __call__(self, values: Array) -> Array:
        """The values (T, ...) without what is faster."""
        parts = [signal.sosfiltfilt(self._sections, values[s], axis=0) for s in self.segments]
        return np.concatenate(parts)

    def decimated(self, values: Array) -> Array:
        """Return the filtered values of the kept samples only, faster: by the pulse response."""
        flat, edge = values.reshape(len(values), -1), self.edge
        block = 2 * edge // self.stride + 1
        pulses = np.zeros((block, (block - 1) * self.stride + 2 * edge + 1))
        for k, row in enumerate(pulses):
            row[k * self.stride :][: 2 * edge + 1] = self._pulse
        found = []
        for rows in self._rows_of(len(values)):
            for k in range(0, len(rows), block):
                few = rows[k : k + block]
                seen = flat[few[0] - edge : few[-1] + edge + 1]
                found.append(pulses[: len(few), : len(seen)] @ seen)
        return np.concatenate(found).reshape(-1, *values.shape[1:])

    @property
    def edge(self) -> int:
        """Number of samples that are left out at either end of a segment."""
        return int(SETTLING * self.rate / self.cutoff)

    @property
    def stride(self) -> int:
        """One of so many samples is kept."""
        return max(1, int(self.rate / (2 * OVERSAMPLED * self.cutoff)))

    def rows(self, count: int) -> AnyArray:
        """Which of so many samples are kept: no ends of segments, nor what says the same again."""
        return np.concatenate(self._rows_of(count))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the samples that are left out at gaps."""
        if len(self.segments) == 1:
            return ()
        edge = f"{self.edge / self.rate:.2g} s"
        note = f"{len(self.segments)} parts: {edge} at either end of each are left out"
        short = sum(part.stop - part.start <= 2 * self.edge for part in self.segments)
        return (f"{note}, {short} of them whole" if short else note,)

    def correlation(self) -> Array:
        """Autocorrelation of filtered white noise at kept samples 0, 1, … strides apart."""
        w = np.linspace(0.0, np.pi, _FREQUENCIES)
        _, gain = signal.freqz_sos(self._sections, worN=w)
        power = np.abs(gain) ** 4
        lags = np.arange(int(4 * OVERSAMPLED) + 1) * self.stride
        found = np.trapezoid(power * np.cos(np.outer(lags, w)), w, axis=-1)
        return np.asarray(found / found[0])

    def _rows_of(self, count: int) -> list[AnyArray]:
        ends = [segment.indices(count)[:2] for segment in self.segments]
        segments = [np.arange(a + self.edge, b - self.edge, self.stride) for a, b in ends]
        if not any(map(len, segments)):
            raise GoughError(
                f"the recording has no part longer than {2 * self.edge / self.rate:.3g} s, twice "
                f"what the filter of {self.cutoff:.3g} Hz takes to settle; expected a longer one, "
                "or one with fewer gaps"
            )
        return [rows for rows in segments if len(rows)]

    @cached_property
    def _pulse(self) -> Array:
        """Pulse response of the filter, as long as it matters."""
        one = np.zeros(2 * self.edge + 1)
        one[self.edge] = 1.0
        return np.asarray(signal.sosfiltfilt(self._sections, one, padtype=None))

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
    strength = (frequency**4 * power.sum(-1))[frequency < SLOW * rate]
    strongest = int(np.argmax(strength))
    faint = strength[strongest:] < FAINT * strength[strongest]
    return float(frequency[strongest + int(np.argmax(faint))])


def derivatives(time: Array, values: Array) -> tuple[Array, Array]:
    """First and second rates of smooth values (T, n) without gaps."""
    spline = make_interp_spline(time, values, _DEGREE)
    return np.asarray(spline(time, 1)), np.asarray(spline(time, 2))
