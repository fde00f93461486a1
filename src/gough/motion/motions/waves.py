"""Oscillations about a pose: Fourier series of each coordinate, and sinusoids, faded in and out."""

from abc import abstractmethod
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.equations.spatial.algebra import Value
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.motions.screws import law_of_places, motion_of_places
from gough.motion.profiles import Quintic
from gough.motion.samples import Motion, MotionSamples, with_warnings

COORDINATES = ("x", "y", "z", "about_x", "about_y", "about_z")
"""Ways [m] along base axes, and the rotation vector [rad] on the platform's axes at the start."""
_SOME = f"some of {', '.join(COORDINATES)}"
Waves = tuple[tuple[float, float], ...]  # cosine and sine of each harmonic of a coordinate


@dataclass(frozen=True, repr=False)
class _Oscillation(Motion):
    """A motion whose coordinates oscillate about a start pose."""

    start: tuple[float, ...]
    duration: float

    @abstractmethod
    def _places(self, t: Array) -> tuple[Array, Array, Array]:
        """Return coordinates (..., 6) from the start, and their two time derivatives."""

    def _at(self, t: Array) -> MotionSamples:
        place, first, second = self._places(t)
        place[..., :3] += self.start[:3]
        return motion_of_places(self.start[3:], place, first, second)

    @abstractmethod
    def _place_law(self, t: Value, at: float) -> list[Value]:
        """Return the six coordinates from the start as expressions of time."""

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time."""
        place = ca.vertcat(*self._place_law(t, at)) + ca.DM([*self.start[:3], 0, 0, 0])
        return law_of_places(self.start[3:], place)

    def _table(self, kind: str) -> PlainData:
        place = {"position": list(self.start[:3]), "quaternion": list(self.start[3:])}
        return {"kind": kind, "duration": self.duration, "start": place}


@dataclass(frozen=True, repr=False)
class FourierMotion(_Oscillation):
    """Each coordinate is Σ a_k (cos kωt - 1) + b_k sin kωt, with ω = 2π over the duration.

    It begins and ends at `start`, and goes on as it began. It is a piece of a motion that goes on:
    the speed at its ends is zero only if Σ k b_k is.
    """

    waves: tuple[Waves, ...]
    """In the order of COORDINATES."""

    @property
    def table(self) -> PlainData:
        """The [motion] table of a study that makes it."""
        named = zip(COORDINATES, self.waves, strict=True)
        waves = {name: [list(pair) for pair in own] for name, own in named if own}
        return self._table("fourier") | waves

    def _places(self, t: Array) -> tuple[Array, Array, Array]:
        each = zip_longest(*self.waves, fillvalue=(0.0, 0.0))
        factors = np.swapaxes([*each], 1, 2).reshape(-1, len(COORDINATES))
        bases = fourier_basis(len(factors) // 2, self.duration, t)
        place, first, second = (basis @ factors for basis in bases)
        return place, first, second

    def _place_law(self, t: Value, at: float) -> list[Value]:
        found = []
        for own in self.waves:
            angles = (2 * np.pi * k / self.duration * t for k in range(1, len(own) + 1))
            terms = zip(own, angles, strict=True)
            waves = (a * (ca.cos(x) - 1) + b * ca.sin(x) for (a, b), x in terms)
            found.append(sum(waves, ca.SX(0)))
        return found


@with_warnings
def fourier(start: ArrayLike, duration: float, **waves: Any) -> FourierMotion:
    """A motion of waves about a start pose, such as `x=[[0, 0.01], [0.02, 0]]`.

    Each coordinate, x, y, z [m] or about_x, about_y, about_z [rad], has pairs of what cosine and
    sine have of harmonic 1, 2, … of the duration [s]; what is left out stays. See FourierMotion.
    """
    _check_names(waves)
    pairs = {
        name: tuple((float(a), float(b)) for a, b in checked.array(given, name, (-1, 2)))
        for name, given in waves.items()
    }
    if not any(pairs.values()):
        raise MotionError("no waves", key="waves", expected=_SOME)
    ordered = tuple(pairs.get(name, ()) for name in COORDINATES)
    return FourierMotion(checked.pose(start, "start"), checked.duration(duration), ordered)


def fourier_basis(harmonics: int, duration: float, t: Array) -> tuple[Array, Array, Array]:
    """cos kωt - 1 and sin kωt of each harmonic in turn (..., 2 harmonics), and their two rates."""
    w = 2 * np.pi / duration * np.arange(1, harmonics + 1)
    phase = np.multiply.outer(t, w)
    cos, sin = np.cos(phase), np.sin(phase)
    pairs = ((cos - 1, sin), (-w * sin, w * cos), (-(w**2) * cos, -(w**2) * sin))
    place, first, second = (np.stack(pair, -1).reshape(*np.shape(t), -1) for pair in pairs)
    return place, first, second


class Wave(NamedTuple):
    """Oscillation of a coordinate: amplitude · sin(2π frequency t + phase)."""

    amplitude: float
    """Amplitude [m or rad]."""
    frequency: float
    """Frequency [Hz]."""
    phase: float = 0.0
    """Phase at t = 0 [rad]."""


@dataclass(frozen=True, repr=False)
class SinusoidMotion(_Oscillation):
    """Each coordinate is e(t) A sin(2πft + φ), where e rises from 0 to 1 and falls back to 0.

    e is the quintic of minimum jerk over `fade_in` [s] at the beginning and over `fade_out` [s] at
    the end, and 1 between: the motion begins and ends at rest at `start`, without acceleration,
    and is the pure sinusoid, with a speed amplitude of 2πfA, between the two fades.
    """

    waves: tuple[Wave | None, ...]
    """Oscillations in the order of COORDINATES; None for a coordinate that stays."""
    fade_in: float
    """Duration of the fade-in [s]."""
    fade_out: float
    """Duration of the fade-out [s]."""

    @property
    def corners(self) -> tuple[float, ...]:
        """End of the fade-in and beginning of the fade-out [s]."""
        return (self.fade_in, self.duration - self.fade_out)

    @property
    def table(self) -> PlainData:
        """Return the [motion] table of a study that makes this motion."""
        named = zip(COORDINATES, self.waves, strict=True)
        waves = {name: wave._asdict() for name, wave in named if wave is not None}
        fades = {"fade_in": self.fade_in, "fade_out": self.fade_out}
        return self._table("sinusoid") | fades | waves

    def _places(self, t: Array) -> tuple[Array, Array, Array]:
        e, e_1, e_2 = (x[..., None] for x in self._envelope(t))
        A, f, phase = np.transpose([wave or Wave(0.0, 0.0) for wave in self.waves])
        w = 2 * np.pi * f
        angle = np.multiply.outer(t, w) + phase
        s, s_1 = A * np.sin(angle), w * A * np.cos(angle)
        s_2 = -(w**2) * s
        return e * s, e_1 * s + e * s_1, e_2 * s + 2 * e_1 * s_1 + e * s_2

    def _place_law(self, t: Value, at: float) -> list[Value]:
        e: Value | float = 1.0
        for fade, since, now in (
            (self.fade_in, t, at),
            (self.fade_out, self.duration - t, self.duration - at),
        ):
            e = e * Quintic(fade).law(since, now) if now < fade else e
        waves = (wave or Wave(0.0, 0.0) for wave in self.waves)
        return [e * A * ca.sin(2 * np.pi * f * t + phase) for A, f, phase in waves]

    def _envelope(self, t: Array) -> tuple[Array, Array, Array]:
        """Return e(t) and its two time derivatives. One of the two fades is 1 at any time."""
        rise = Quintic(self.fade_in)(np.clip(t, 0.0, self.fade_in))
        fall = Quintic(self.fade_out)(np.clip(self.duration - t, 0.0, self.fade_out))
        return rise.s * fall.s, rise.speed - fall.speed, rise.acceleration + fall.acceleration


@with_warnings
def sinusoid(
    start: ArrayLike,
    duration: float,
    *,
    fade_in: float | None = None,
    fade_out: float | None = None,
    **waves: ArrayLike,
) -> SinusoidMotion:
    """Return an oscillation about a start pose, such as `z=(0.05, 0.5)`: 50 mm at 0.5 Hz.

    Each coordinate, x, y, z [m] or about_x, about_y, about_z [rad], has an amplitude, a frequency
    [Hz] and, if given, a phase [rad]; a coordinate without them stays. The fades [s] are one period
    of the lowest frequency if left out. See SinusoidMotion.

        >>> import gough
        >>> heave = sinusoid(gough.load("demo-hexapod").home, 10.0, z=(0.05, 0.5))
        >>> round(float(heave(4.0).twist[2]), 6)
        0.15708
    """
    _check_names(waves)
    moving = dict[str, Wave]()
    for key, given in waves.items():
        numbers = checked.array(given, key, (-1,)).tolist()
        if len(numbers) not in (2, 3):
            expected = "amplitude, frequency [Hz] and, if wanted, phase [rad]"
            raise MotionError(f"{len(numbers)} numbers", key=key, expected=expected)
        moving[key] = Wave(*numbers)
        checked.number(numbers[1], f"{key}.frequency", above=0.0, expected="above 0 Hz")
    if not moving:
        raise MotionError("no coordinate moves", key="waves", expected=_SOME)
    total = checked.duration(duration)
    period = 1.0 / min(wave.frequency for wave in moving.values())
    rise, fall = (
        checked.duration(period if fade is None else fade, key)
        for key, fade in (("fade_in", fade_in), ("fade_out", fade_out))
    )
    if rise + fall > total * (1.0 + 1e-12):
        problem = f"the fades take {rise:g} s and {fall:g} s, together more than the duration"
        expected = f"at least {rise + fall:g} s, or a shorter fade_in and fade_out"
        raise MotionError(problem, key="duration", value=total, expected=expected)
    ordered = tuple(moving.get(name) for name in COORDINATES)
    return SinusoidMotion(checked.pose(start, "start"), total, ordered, rise, fall)


def _check_names(waves: dict[str, Any]) -> None:
    unknown = [name for name in waves if name not in COORDINATES]
    if unknown:
        raise MotionError("not known", key=unknown[0], expected=_SOME)
