"""Motions: a pose over time, with its twist and acceleration."""

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

from gough.arrays import Array
from gough.display.brief import brief
from gough.equations.spatial.algebra import Value
from gough.errors import InputError
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.poses.quaternions import product, rotated


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


def carried_motion(base: MotionSamples, motion: MotionSamples) -> MotionSamples:
    """Return the motion in the world of a body that moves relative to a base, which moves."""
    turn, omega, alpha = base.pose[..., 3:], base.twist[..., 3:], base.acceleration[..., 3:]
    r, v, spin = (rotated(turn, x) for x in (motion.pose[..., :3], *np.split(motion.twist, 2, -1)))
    a, spin_rate = (rotated(turn, x) for x in np.split(motion.acceleration, 2, -1))
    attitude = product(turn, motion.pose[..., 3:])
    round_base = np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))
    second = base.acceleration[..., :3] + round_base + 2 * np.cross(omega, v) + a
    parts = (
        (base.pose[..., :3] + r, attitude),
        (base.twist[..., :3] + np.cross(omega, r) + v, omega + spin),
        (second, alpha + np.cross(omega, spin) + spin_rate),
    )
    return MotionSamples(*(np.concatenate(pair, axis=-1) for pair in parts))


class InTime(ABC):
    """Something that changes in time, over a duration [s]."""

    duration: float

    @property
    def breaks(self) -> tuple[float, ...]:
        """The times [s] where the acceleration jumps; at rest before and after, it is zero."""
        return ()

    @property
    def corners(self) -> tuple[float, ...]:
        """The times [s] at which its form changes: what is short may hide between two of them."""
        return self.breaks


class Motion(InTime):
    """A pose for every time from 0 to `duration` [s]; before and after it rests at its ends.

    `motion(t)` takes any array of times. `breaks` are the times [s] where the acceleration jumps.
    """

    __repr__ = brief

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

    def law(self, t: Value, at: float) -> Value:
        """Return the pose (7) as an expression of time [s]: its form between corners around `at`.

        MotionError where there is none.
        """
        problem = f"a {type(self).__name__} is no expression of time"
        raise MotionError(problem, key="motion", expected="a line, waypoints, waves or expressions")

    @final
    def __call__(self, t: ArrayLike) -> MotionSamples:
        """Pose, twist and acceleration at any array of times [s]."""
        times = checked.any_times(t)
        samples = self._at(np.clip(times, 0.0, self.duration))
        resting = (times < 0.0) | (times > self.duration)
        if resting.any():
            moving = np.where(resting, 0.0, 1.0)[..., None]
            return MotionSamples(samples.pose, samples.twist * moving, moving * samples[2])
        return samples


def check_base_duration(base: Motion, duration: float) -> None:
    """Refuse a motion of a base that ends before the study [s] does."""
    if base.duration < duration - 1e-9 * (1 + duration):
        key, expected = "base.duration", f"at least that of the study, {duration:g} s"
        raise InputError("the base stops too soon", key=key, value=base.duration, expected=expected)


def delegated(path: str, changed: Callable[[Any, Any], Any] = lambda value, _: value) -> Any:
    """Return a property whose value is that of a part, such as "profile.breaks", or made of it."""
    return property(lambda own: changed(attrgetter(path)(own), own), doc=f"That of `{path}`.")


def as_tuple(times: Array, _: object) -> tuple[float, ...]:
    """Times as a tuple, for `delegated`."""
    return tuple(times.tolist())


class Derived(Motion):
    """A motion that another one becomes, at the same times: what jumps there jumps here."""

    given: Motion
    duration = delegated("given.duration")
    breaks = delegated("given.breaks")
    corners = delegated("given.corners")
    cautions = delegated("given.cautions")


class MotionWarning(UserWarning):
    """A motion that is made as it was asked for, but should be looked at."""


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
