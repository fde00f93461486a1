"""Profiles that speed up, cruise and slow down: trapezoidal and S-curve, also within limits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from gough.arrays import Array
from gough.motion.piecewise import PiecewisePolynomial
from gough.motion.problems import MotionError
from gough.motion.profiles.profiles import Profile, ProfileSamples
from gough.motion.samples import checked_number

SHORTEST_RAMP = 1e-9
"""The least share of the duration that a ramp may take."""
NO_TIME = 1e-12
"""What takes less than this share of the duration is left out: roundings, and the cruise."""
LIMITS = (1e-12, 1e12)
"""Between these distances and limits of speed, acceleration and jerk must be."""


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
        _check_share(self.ramp, "ramp", SHORTEST_RAMP)
        _check_share(self.rounding, "rounding", 0.0)

    @property
    def breaks(self) -> tuple[float, ...]:
        """The ends of the ramps, if these are not rounded."""
        T, ramp = self.duration, self.ramp * self.duration
        return (
            () if self.rounding * self.ramp > NO_TIME else tuple(sorted({0.0, ramp, T - ramp, T}))
        )

    @property
    def corners(self) -> tuple[float, ...]:
        """The ends of the ramps and of their roundings."""
        return tuple(self._polynomials[0].corners.tolist())

    def __call__(self, t: Array) -> ProfileSamples:
        """The way and its derivatives."""
        return ProfileSamples(*(polynomial(t) for polynomial in self._polynomials))

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
        kept = (
            length > SHORTEST_RAMP**2 / 2 * T
        )  # a trapezoid has no roundings, a triangle no cruise
        slope = np.diff(at_corner)[kept] / length[kept]
        acceleration = PiecewisePolynomial(
            np.append(start[kept], T), np.array([slope, at_corner[:-1][kept]])
        )
        speeds = acceleration.antiderivative()
        return speeds.antiderivative(), speeds, acceleration


def trapezoidal(duration: float, ramp: float = 1 / 3) -> Ramped:
    """A ramp in speed, a cruise and a ramp; `ramp` is the share of the duration of each ramp."""
    return Ramped(duration, ramp)


def s_curve(duration: float, ramp: float = 1 / 3, rounding: float = 0.5) -> Ramped:
    """A trapezoid with rounded ramps: the acceleration does not jump."""
    if checked_number(rounding, "rounding") == 0.0:
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
    numbers = {key: checked_number(value, key) for key, value in limits.items()}
    for key, number in numbers.items():
        if not LIMITS[0] <= number <= LIMITS[1]:
            expected = "above 0: from {:g} to {:g}".format(*LIMITS)
            raise MotionError("out of range", key=key, value=number, expected=expected)
    return tuple(numbers.values())


def _check_share(value: float, key: str, least: float) -> None:
    if not least <= checked_number(value, key) <= 0.5:
        expected = f"at least {least:g}, at most 0.5"
        raise MotionError("out of range", key=key, value=value, expected=expected)
