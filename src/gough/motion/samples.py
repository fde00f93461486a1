"""Motions: a pose over time, with its twist and acceleration."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from operator import attrgetter
from typing import Any, NamedTuple, ParamSpec, TypeVar, final

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, numeric
from gough.display.brief import brief
from gough.errors import InputError
from gough.memory import require_memory
from gough.poses.quaternions import unit

LARGEST = 1e15
"""Numbers up to this, in SI units, are taken: what is made of them stays finite."""
MANY = 100_000
BYTES_A_SAMPLE = 2 * 8 * (7 + 6 + 6)
"""Number of samples from which memory is checked, and memory per sample [bytes]."""
DURATIONS = (1e-9, 1e9)
"""The shortest and the longest duration [s] that is taken."""


class MotionSamples(NamedTuple):
    """A motion at some times, base axes, of the platform's origin."""

    pose: Array
    """(..., 7): x y z [m] qw qx qy qz."""
    twist: Array
    """(..., 6): velocity [m/s] and angular velocity [rad/s]."""
    acceleration: Array
    """(..., 6): their time derivatives [m/s^2, rad/s^2]."""

    def __repr__(self) -> str:
        return brief(self)


class Motion(ABC):
    """A pose for every time from 0 to `duration` [s]; before and after it rests at its ends.

    `motion(t)` takes any array of times. `breaks` are the times [s] where the acceleration jumps.
    """

    duration: float
    __repr__ = brief

    @property
    def breaks(self) -> tuple[float, ...]:
        """The times [s] where the acceleration jumps."""
        return ()

    @property
    def corners(self) -> tuple[float, ...]:
        """The times [s] at which its form changes: what is short may hide between two of them."""
        return self.breaks

    @property
    def waypoint_times(self) -> tuple[float, ...] | None:
        """The times [s] of the poses it was made from, if it only leads from one to the next."""
        return None

    @property
    def cautions(self) -> tuple[str, ...]:
        """Warnings about the motion that should be read before it is used."""
        return ()

    @abstractmethod
    def _at(self, t: Array) -> MotionSamples:
        """The motion at times within [0, duration]."""

    @final
    def __call__(self, t: ArrayLike) -> MotionSamples:
        """Pose, twist and acceleration at any array of times [s]."""
        times = checked_any_times(t)
        samples = self._at(np.clip(times, 0.0, self.duration))
        resting = (times < 0.0) | (times > self.duration)
        if resting.any():
            moving = np.where(resting, 0.0, 1.0)[..., None]
            return MotionSamples(samples.pose, samples.twist * moving, moving * samples[2])
        return samples


def delegated(path: str) -> Any:
    """Return a property whose value is that of a part, such as "profile.breaks"."""
    return property(attrgetter(path), doc=f"The same as `{path}`.")


class Derived(Motion):
    """A motion that another one becomes, at the same times: what jumps there jumps here."""

    given: Motion
    duration = delegated("given.duration")
    breaks = delegated("given.breaks")
    corners = delegated("given.corners")
    cautions = delegated("given.cautions")


def checked_any_times(t: ArrayLike) -> Array:
    """Times in any shape as floats, if what is made of them has room in memory."""
    times = numeric(t)
    if times is None:
        raise MotionError("not numeric", key="t", value=t, expected="times [s], in any shape")
    if times.size > MANY:
        require_memory(BYTES_A_SAMPLE * times.size, f"{times.size:,} samples of a motion")
    return times.astype(float, copy=False)


def checked_duration(duration: ArrayLike, key: str = "duration") -> float:
    """A duration [s], or an error if it is not positive."""
    seconds = checked_number(duration, key)
    if not DURATIONS[0] <= seconds <= DURATIONS[1]:
        problem = "not a duration" if seconds <= 0.0 else "out of range"
        expected = "seconds, above 0: from {:g} to {:g}".format(*DURATIONS)
        raise MotionError(problem, key=key, value=duration, expected=expected)
    return seconds


def checked_number(
    value: ArrayLike,
    key: str,
    *,
    above: float = -np.inf,
    least: float = -np.inf,
    most: float = np.inf,
    expected: str = "",
) -> float:
    """A finite float within bounds, which `expected` states if they do not state themselves."""
    number = float(checked_array(value, key, ()))
    if not (above < number and least <= number <= most):
        low = f"above {above:g}" if above > -np.inf else f"at least {least:g}"
        bounds = low if most == np.inf else f"from {max(least, above):g} to {most:g}"
        raise MotionError("out of range", key=key, value=value, expected=expected or bounds)
    return number


def checked_array(value: ArrayLike, key: str, shape: tuple[int, ...]) -> Array:
    """An array of finite numbers of this shape; -1 stands for any length."""
    given = numeric(value)
    if given is None:
        raise MotionError("not numeric", key=key, value=value, expected=_shape_in_words(shape))
    numbers = given.astype(float)
    fits = numbers.ndim == len(shape) and all(
        n in (-1, m) for n, m in zip(shape, numbers.shape, strict=True)
    )
    if not fits:
        raise MotionError(f"has shape {numbers.shape}", key=key, expected=_shape_in_words(shape))
    if not np.isfinite(numbers).all():
        raise MotionError("not finite", key=key, value=value, expected="finite numbers")
    if numbers.size and np.abs(numbers).max() > LARGEST:
        raise MotionError("too large", key=key, value=value, expected=f"at most {LARGEST:g}")
    return numbers


def checked_direction(value: ArrayLike, key: str) -> tuple[float, ...]:
    """A vector of length one along the given one, or an error if that is zero."""
    vector = checked_array(value, key, (3,))
    if not vector.any():
        raise MotionError("the zero vector has no direction", key=key, expected="a direction")
    return tuple(unit(vector).tolist())


def checked_choice(value: object, key: str, *known: str) -> None:
    """Refuse all but some words."""
    if not isinstance(value, str) or value not in known:
        *others, last = (f'"{word}"' for word in known)
        expected = f"{', '.join(others)} or {last}"
        raise MotionError("not known", key=key, value=value, expected=expected)


def checked_frame(frame: str, key: str) -> None:
    """Refuse all but the two frames."""
    checked_choice(frame, key, "base", "platform")


def checked_pose(value: ArrayLike, key: str) -> tuple[float, ...]:
    """A pose with a quaternion of length one."""
    pose = checked_array(value, key, (7,))
    return (*pose[:3].tolist(), *checked_quaternion(pose[3:], key))


def checked_type(value: object, kind: Any, key: str, example: str) -> None:
    """Refuse what is not of a kind; the example says what is."""
    if not isinstance(value, kind):
        raise MotionError(f"a {type(value).__name__}", key=key, expected=example)


def checked_quaternion(value: ArrayLike, key: str) -> tuple[float, ...]:
    """A quaternion of length one."""
    quaternion = checked_array(value, key, (4,))
    if not quaternion.any():
        raise MotionError("the quaternion is zero", key=key, expected="any other one")
    return tuple(unit(quaternion).tolist())


def checked_times(times: ArrayLike, key: str, at_least: int = 2) -> Array:
    """Times [s] that increase."""
    values = checked_array(times, key, (-1,))
    if len(values) < at_least:
        raise MotionError(f"{len(values)} times", key=key, expected=f"at least {at_least}")
    steps = np.diff(values)
    if (steps <= 0.0).any():
        k = int(np.argmax(steps <= 0.0)) + 1
        raise MotionError(
            "the time is not after the one before it",
            key=f"{key}[{k}]",
            value=float(values[k]),
            expected=f"more than {values[k - 1]:g} s",
        )
    return values


_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings about motions that this thread makes: a study lists its own."""
    before = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(before)


def issue_warnings(motion: Motion) -> None:
    """Warn about the times where the acceleration jumps, and of what else is to be looked at."""
    if _QUIET.get():
        return
    listed = ", ".join(f"{t:.6g} s" for t in motion.breaks[:6])
    listed += f" and {len(motion.breaks) - 6} more times" if len(motion.breaks) > 6 else ""
    jumps = f"the acceleration jumps at t = {listed}: no drive can follow exactly"
    for words in (*motion.cautions, *([jumps] if motion.breaks else [])):
        warnings.warn(words, MotionWarning, stacklevel=3)


P = ParamSpec("P")
M = TypeVar("M", bound=Motion)


def with_warnings(make: Callable[P, M]) -> Callable[P, M]:
    """Decorate a maker of motions: it warns about the motion that it made, not about its parts."""

    @wraps(make)
    def maker(*args: P.args, **kwargs: P.kwargs) -> M:
        with quiet():
            motion = make(*args, **kwargs)
        issue_warnings(motion)
        return motion

    return maker


def _shape_in_words(shape: tuple[int, ...]) -> str:
    if not shape:
        return "a number"
    return f"an array of shape ({', '.join('n' if n < 0 else str(n) for n in shape)})"


class MotionError(InputError):
    """A motion, profile or task that is wrong; `key` says which of its values."""


class MotionWarning(UserWarning):
    """A motion that is made as it was asked for, but should be looked at."""
