"""Profiles: how far along its way a motion is, from 0 to 1, with speed and acceleration.

A profile is called with times [s] within [0, duration] and gives s, ṡ [1/s] and s̈ [1/s²].
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.motion.problems import MotionError
from gough.motion.samples import checked_array, checked_duration, checked_number
from gough.shown.brief import brief

NOTHING = 1e-9
"""Of the largest coefficient of a polynomial: what is rounding in its sums."""


class ProfileSamples(NamedTuple):
    """The way s, its speed [1/s] and its acceleration [1/s²] at some times."""

    s: Array
    speed: Array
    acceleration: Array

    def __repr__(self) -> str:
        return brief(self)


@dataclass(frozen=True)
class Profile(ABC):
    """A way in time. `breaks` are the times [s] at which its acceleration jumps."""

    duration: float

    def __post_init__(self) -> None:
        checked_duration(self.duration)

    @property
    def breaks(self) -> tuple[float, ...]:
        """The times [s] where the acceleration jumps; at rest before and after, it is zero."""
        return ()

    @property
    def corners(self) -> tuple[float, ...]:
        """The times [s] at which its form changes."""
        return self.breaks

    @abstractmethod
    def __call__(self, t: Array) -> ProfileSamples:
        """The way and its derivatives at times [s] within [0, duration]."""


@dataclass(frozen=True)
class Cosine(Profile):
    """Half a cosine, from rest to rest: its acceleration is not zero at the ends.

    s = (1 - cos(π t/T)) / 2                                       Baiges 3.(54)-(56), (60)-(62)
    """

    @property
    def breaks(self) -> tuple[float, ...]:
        """Both ends."""
        return (0.0, self.duration)

    def __call__(self, t: Array) -> ProfileSamples:
        """The way and its derivatives."""
        w = np.pi / self.duration
        cos, sin = np.cos(w * t), np.sin(w * t)
        return ProfileSamples((1 - cos) / 2, w / 2 * sin, w * w / 2 * cos)


@dataclass(frozen=True)
class Cycloidal(Profile):
    """A cycloid, from rest to rest, acceleration zero at the ends: s = t/T - sin(2π t/T)/(2π)."""

    def __call__(self, t: Array) -> ProfileSamples:
        """The way and its derivatives."""
        T = self.duration
        w = 2 * np.pi / T
        cos, sin = np.cos(w * t), np.sin(w * t)
        return ProfileSamples(t / T - sin / (2 * np.pi), (1 - cos) / T, w / T * sin)


@dataclass(frozen=True)
class Quintic(Profile):
    """The way of least jerk from rest to rest: s = 10 x³ - 15 x⁴ + 6 x⁵, x = t/T."""

    def __call__(self, t: Array) -> ProfileSamples:
        """The way and its derivatives."""
        T = self.duration
        x = t / T
        y = 1 - x
        return ProfileSamples(
            x**3 * (10 - 15 * x + 6 * x * x),
            30 * x * x * y * y / T,
            60 * x * y * (1 - 2 * x) / T**2,
        )


@dataclass(frozen=True)
class Polynomial(Profile):
    """A polynomial of the time: s = c₀ + c₁ x + c₂ x² + …, x = t/T."""

    coefficients: tuple[float, ...] = (0.0, 1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers = checked_array(self.coefficients, "coefficients", (-1,))
        object.__setattr__(self, "coefficients", tuple(numbers.tolist()))
        if len(numbers) < 2:
            problem, expected = f"{len(numbers)} coefficients", "at least two: c0, c1"
            raise MotionError(problem, key="coefficients", expected=expected)

    @property
    def breaks(self) -> tuple[float, ...]:
        """The ends at which the acceleration is not zero."""
        ends = np.array([0.0, self.duration])
        size = np.abs(self.coefficients).max() / self.duration**2
        return tuple(ends[np.abs(self(ends).acceleration) > NOTHING * size].tolist())

    def __call__(self, t: Array) -> ProfileSamples:
        """The way and its derivatives."""
        way = np.polynomial.Polynomial(self.coefficients)
        x, rates = np.asarray(t) / self.duration, (way, way.deriv(), way.deriv(2))
        return ProfileSamples(*(rate(x) / self.duration**k for k, rate in enumerate(rates)))


@dataclass(frozen=True)
class Sine(Profile):
    """To and fro: s = sin(2π n t/T + φ), with n cycles and a phase φ [rad].

    It is a piece of an oscillation that goes on: in general it does not begin or end at rest.
    """

    cycles: float = 1.0
    phase: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if checked_number(self.cycles, "cycles") <= 0.0:
            raise MotionError("out of range", key="cycles", value=self.cycles, expected="above 0")
        checked_number(self.phase, "phase")

    def __call__(self, t: Array) -> ProfileSamples:
        """The way and its derivatives."""
        w = 2 * np.pi * self.cycles / self.duration
        cos, sin = np.cos(w * t + self.phase), np.sin(w * t + self.phase)
        return ProfileSamples(sin, w * cos, -w * w * sin)


@dataclass(frozen=True)
class Rest(Profile):
    """No way at all: s = 0."""

    def __call__(self, t: Array) -> ProfileSamples:
        """Zero, three times."""
        return ProfileSamples(np.zeros_like(t), np.zeros_like(t), np.zeros_like(t))
