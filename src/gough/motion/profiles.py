"""Profiles: how far along its way a motion is, from 0 to 1, with speed and acceleration.

A profile is called with times [s] within [0, duration] and gives s, ṡ [1/s] and s̈ [1/s²].
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from types import ModuleType
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, AnyNumber, Array
from gough.display.brief import brief
from gough.equations.spatial.algebra import Value
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.piecewise import PiecewisePolynomial
from gough.motion.samples import InTime, Motion, delegated

SHORTEST_RAMP = 1e-9  # minimum fraction of the duration that a ramp may take
NO_TIME = 1e-12  # fraction of the duration below which times are left out: rounding, and the cruise
LIMITS = (1e-12, 1e12)  # between these distances and limits of speed, acceleration and jerk must be


class ProfileSamples(NamedTuple):
    """The way s, its speed [1/s] and its acceleration [1/s²] at some times."""

    s: Array
    speed: Array
    acceleration: Array

    def __repr__(self) -> str:
        return brief(self)


@dataclass(frozen=True)
class Profile(InTime):
    """A way in time. `breaks` are the times [s] at which its acceleration jumps."""

    duration: float

    def __post_init__(self) -> None:
        checked.duration(self.duration)

    @abstractmethod
    def _at(self, t: Array) -> ProfileSamples: ...

    @final
    def __call__(self, t: Array) -> ProfileSamples:
        """The way and its derivatives at times [s] within [0, duration]."""
        return self._at(t)

    @property
    def turns(self) -> tuple[float, ...]:
        """Times [s] at which it may turn back: none where it only goes on."""
        return ()

    def law(self, t: Value, at: float) -> Value:
        """Return the way as an expression of time [s]: its form between corners around `at`."""
        way: Any = self._at  # its formulas hold for expressions, too
        found: Value = way(t).s
        return found


def _waves(angle: AnyNumber) -> tuple[AnyNumber, AnyNumber]:
    """Cosine and sine of numbers, or of an expression."""
    library: ModuleType = ca if isinstance(angle, ca.SX) else np
    return library.cos(angle), library.sin(angle)


class WithProfile(Motion):
    """A motion that takes as long as its profile, and changes its form where that does."""

    profile: Profile
    duration = delegated("profile.duration")
    breaks = delegated("profile.breaks", lambda times, own: () if own._stays else times)
    corners = delegated("profile.corners")

    @property
    def _stays(self) -> bool:
        """Whether the platform stays where it is: then no acceleration jumps."""
        return False


@dataclass(frozen=True)
class Cosine(Profile):
    """Half a cosine, from rest to rest: its acceleration is not zero at the ends.

    s = (1 - cos(π t/T)) / 2                                       Baiges 3.(54)-(56), (60)-(62)
    """

    @property
    def breaks(self) -> tuple[float, ...]:
        """Both ends."""
        return (0.0, self.duration)

    def _at(self, t: Array) -> ProfileSamples:
        w = np.pi / self.duration
        cos, sin = _waves(w * t)
        return ProfileSamples((1 - cos) / 2, w / 2 * sin, w * w / 2 * cos)


@dataclass(frozen=True)
class Cycloidal(Profile):
    """A cycloid, from rest to rest, acceleration zero at the ends: s = t/T - sin(2π t/T)/(2π)."""

    def _at(self, t: Array) -> ProfileSamples:
        T = self.duration
        w = 2 * np.pi / T
        cos, sin = _waves(w * t)
        return ProfileSamples(t / T - sin / (2 * np.pi), (1 - cos) / T, w / T * sin)


@dataclass(frozen=True)
class Quintic(Profile):
    """Profile of minimum jerk from rest to rest: s = 10 x³ - 15 x⁴ + 6 x⁵, x = t/T."""

    def _at(self, t: Array) -> ProfileSamples:
        T = self.duration
        x = t / T
        y = 1 - x
        return ProfileSamples(
            x**3 * (10 - 15 * x + 6 * x * x),
            30 * x * x * y * y / T,
            60 * x * y * (1 - 2 * x) / T**2,
        )


@dataclass(frozen=True)
class Paced(Profile):
    """A quintic way at a varying pace: s = 10 u³ - 15 u⁴ + 6 u⁵, and u̇² is a spline of u.

    `squares` are the coefficients of a quadratic B-spline of u on pieces of equal length, whose
    knots are clamped at 0 and 1; a common factor of them does not matter, as the duration is given.
    In each piece ü is linear in u, so that u(t) is an exponential or a sine.
    """

    squares: tuple[float, ...] = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers = checked.array(self.squares, "squares", (-1,))
        object.__setattr__(self, "squares", tuple(numbers.tolist()))
        if len(numbers) < 3 or not (numbers > 0).all():
            problem, expected = "too few, or not above 0", "at least three numbers, all above 0"
            raise MotionError(problem, key="squares", value=self.squares, expected=expected)

    @property
    def corners(self) -> tuple[float, ...]:
        """The times [s] at which one piece ends and the next begins."""
        return tuple((self._pieces.begins / self._pieces.factor).tolist())

    @property
    def own_duration(self) -> float:
        """Duration [s] at the pace that the squares state, without a factor."""
        return float(self._pieces.begins[-1])

    def time_of(self, u: Array) -> Array:
        """Return the times [s] at which the parameter of the way has these values."""
        pieces = self._pieces
        piece = np.clip((u * pieces.count).astype(int), 0, pieces.count - 1)
        since = pieces.elapsed(piece, u - piece / pieces.count)
        return np.asarray((pieces.begins[piece] + since) / pieces.factor)

    def _at(self, t: Array) -> ProfileSamples:
        u, speed, acceleration = self._pieces(np.asarray(t))
        s, slope, bend = Quintic(1.0)(u)
        return ProfileSamples(s, slope * speed, bend * speed**2 + slope * acceleration)

    def law(self, t: Value, at: float) -> Value:
        """Return the way as an expression of time [s]: that of the piece at a time."""
        return Quintic(1.0).law(self._pieces.law(t, at), 0.0)

    @cached_property
    def _pieces(self) -> _Pieces:
        c = np.array(self.squares)
        n = len(c) - 2
        mean, slope = (c[1:] + c[:-1]) / 2, np.diff(c) * n
        mean[[0, -1]] = c[[0, -1]]
        slope[[0, -1]] *= 2
        pieces = _Pieces(np.sqrt(mean[:-1]), slope[:-1] / 2, np.diff(slope) * n / 2)
        return replace(pieces, factor=float(pieces.begins[-1] / self.duration))


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Equal pieces of u from 0 to 1, in each ü = acceleration + growth x, x from its beginning."""

    speed: Array
    acceleration: Array
    growth: Array
    factor: float = 1.0  # by which time is shortened

    @property
    def count(self) -> int:
        return len(self.speed)

    @cached_property
    def begins(self) -> Array:
        """(n + 1) times of the corners, before they are shortened."""
        taken = self.elapsed(np.arange(self.count), np.full(self.count, 1 / self.count))
        return np.concatenate([[0.0], np.cumsum(taken)])

    def elapsed(self, piece: AnyArray, x: Array) -> Array:
        """Times from the beginnings of pieces to x: tanh(ω t/2) = ω x/(u̇(0) + u̇(x))."""
        v, a, growth = self.speed[piece], self.acceleration[piece], self.growth[piece]
        y = x / (v + np.sqrt(v * v + 2 * a * x + growth * x * x))
        w = np.sqrt(growth + 0j) * y
        ratio = np.where(np.abs(w) < 1e-4, 1 + w * w / 3, np.arctanh(w) / np.where(w, w, 1))
        return np.asarray(2 * y * ratio.real)

    def law(self, t: Value, at: float) -> Value:
        """u as an expression of time: v sinh(ωt)/ω + a (t sinh(ωt/2)/(ωt/2))²/2."""
        k = int(np.clip(np.searchsorted(self.begins, at * self.factor) - 1, 0, self.count - 1))
        since, growth = t * self.factor - float(self.begins[k]), float(self.growth[k])
        if abs(growth) * float(self.begins[k + 1] - self.begins[k]) ** 2 < NO_TIME:
            whole, half = since, since  # the rest is below rounding
        else:
            w, sine = sqrt(abs(growth)), getattr(ca, "sinh" if growth > 0 else "sin")
            whole, half = sine(w * since) / w, sine(w * since / 2) / (w / 2)
        speed, acceleration = float(self.speed[k]), float(self.acceleration[k])
        return k / self.count + speed * whole + acceleration / 2 * half**2

    def __call__(self, t: Array) -> ProfileSamples:
        since = t * self.factor
        piece = np.clip(np.searchsorted(self.begins, since, side="right") - 1, 0, self.count - 1)
        since = since - self.begins[piece]
        v, a, growth = self.speed[piece], self.acceleration[piece], self.growth[piece]
        turn = 1j * np.sqrt(growth + 0j) * since / np.pi  # sinc(turn) = sinh(ω t)/(ω t)
        whole, half = np.sinc(turn).real, np.sinc(turn / 2).real
        x = v * since * whole + a * (since * half) ** 2 / 2
        speed = v * np.cos(turn * np.pi).real + a * since * whole
        u = piece / self.count + x
        return ProfileSamples(u, speed * self.factor, (a + growth * x) * self.factor**2)


@dataclass(frozen=True)
class Sine(Profile):
    """To and fro: s = sin(2π n t/T + φ), with n cycles and a phase φ [rad].

    It is a piece of an oscillation that goes on: in general it does not begin or end at rest.
    """

    cycles: float = 1.0
    phase: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checked.numbers(self, "cycles", above=0.0)
        checked.numbers(self, "phase")

    @property
    def turns(self) -> tuple[float, ...]:
        """The first crest and the first trough."""
        w = 2 * np.pi * self.cycles / self.duration
        crests = (np.pi / 2 - self.phase) % np.pi + np.pi * np.arange(2)
        return tuple(np.clip(crests / w, 0.0, self.duration).tolist())

    def _at(self, t: Array) -> ProfileSamples:
        w = 2 * np.pi * self.cycles / self.duration
        cos, sin = _waves(w * t + self.phase)
        return ProfileSamples(sin, w * cos, -w * w * sin)


@dataclass(frozen=True)
class Ramped(Profile):
    """From rest to rest: a ramp up, a steady cruise, the same ramp down.

    `ramp` is the share of the duration that each ramp takes, up to 1/2. `rounding` is the share of
    a ramp in which the acceleration rises, and again falls, at a steady rate, up to 1/2: zero is
    the trapezoidal profile, whose acceleration jumps; anything above it an S-curve.
    """

    ramp: float = 1 / 3
    rounding: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        checked.numbers(self, "ramp", least=SHORTEST_RAMP, most=0.5)
        checked.numbers(self, "rounding", least=0.0, most=0.5)

    @property
    def breaks(self) -> tuple[float, ...]:
        """The ends of the ramps, if these are not rounded."""
        T, ramp = self.duration, self.ramp * self.duration
        rounded = self.rounding * self.ramp > NO_TIME
        return () if rounded else tuple(sorted({0.0, ramp, T - ramp, T}))

    @property
    def corners(self) -> tuple[float, ...]:
        """The ends of the ramps and of their roundings."""
        return tuple(self._polynomials[0].corners.tolist())

    def _at(self, t: Array) -> ProfileSamples:
        return ProfileSamples(*(polynomial(t) for polynomial in self._polynomials))

    def law(self, t: Value, at: float) -> Value:
        """Return the way as an expression of time [s]: that of the piece at a time."""
        return self._polynomials[0].law(t, at)

    @cached_property
    def _polynomials(self) -> tuple[PiecewisePolynomial, PiecewisePolynomial, PiecewisePolynomial]:
        """Way, speed and acceleration."""
        T = self.duration
        ramp = self.ramp * T
        rise = self.rounding * ramp
        up = np.array([0.0, rise, ramp - rise, ramp])
        corners = np.concatenate([up, (T - up)[::-1]])
        speed = 1.0 / (T - ramp)
        a = speed / (ramp - rise)
        at_corner = np.array([0.0, a, a, 0.0, 0.0, -a, -a, 0.0])
        start, length = corners[:-1], np.diff(corners)
        lasting = length > SHORTEST_RAMP**2 / 2 * T  # of a triangle there is no cruise
        slope = np.diff(at_corner)[lasting] / length[lasting]
        acceleration = PiecewisePolynomial(
            np.append(start[lasting], T), np.array([slope, at_corner[:-1][lasting]])
        )
        speeds = acceleration.antiderivative()
        return speeds.antiderivative(), speeds, acceleration


def trapezoidal(duration: float, ramp: float = 1 / 3) -> Ramped:
    """A ramp in speed, a cruise and a ramp; `ramp` is the share of the duration of each ramp."""
    return Ramped(duration, ramp)


def s_curve(duration: float, ramp: float = 1 / 3, rounding: float = 0.5) -> Ramped:
    """A trapezoid with rounded ramps: the acceleration does not jump."""
    if checked.number(rounding, "rounding") == 0.0:
        raise MotionError("no rounding", key="rounding", value=rounding, expected="above 0")
    return Ramped(duration, ramp, rounding)


def trapezoidal_within(distance: float, speed: float, acceleration: float) -> Ramped:
    """The shortest trapezoidal profile over a distance [m or rad] within limits.

    Speed [m/s or rad/s] and acceleration [m/s² or rad/s²]. A short distance gives a triangle.
    """
    D, v, a = _limits(distance=distance, speed=speed, acceleration=acceleration)
    v = min(v, sqrt(D * a))
    duration = D / v + v / a
    return Ramped(duration, min(v / a / duration, 0.5))


def s_curve_within(distance: float, speed: float, acceleration: float, jerk: float) -> Ramped:
    """The shortest S-curve over a distance [m or rad] within limits.

    Speed, acceleration and jerk are those of the distance, per s, s² and s³. Where the distance
    or a limit is too small for another one to be reached, that is not reached.
    """
    D, v, a, j = _limits(distance=distance, speed=speed, acceleration=acceleration, jerk=jerk)
    a = min(a, sqrt(v * j), (D * j * j / 2) ** (1 / 3))
    v = min(v, (sqrt(a**4 / j**2 + 4 * a * D) - a**2 / j) / 2)
    rise, ramp = a / j, v / a + a / j
    duration = D / v + ramp
    return Ramped(duration, min(ramp / duration, 0.5), min(rise / ramp, 0.5))


def _limits(**limits: float) -> tuple[float, ...]:
    least, most = LIMITS
    return tuple(checked.number(x, key, least=least, most=most) for key, x in limits.items())
