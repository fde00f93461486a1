"""Checks of what motions, profiles and tasks are made of: values, or a MotionError with the key."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, numeric
from gough.errors import InputError
from gough.memory import require_memory
from gough.poses.quaternions import unit

LARGEST = 1e15  # numbers up to this, in SI units, are taken: what is made of them stays finite
MANY = 100_000
BYTES_A_SAMPLE = 2 * 8 * (7 + 6 + 6)
"""Number of samples from which memory is checked, and memory per sample [bytes]."""
DURATIONS = (1e-9, 1e9)  # the shortest and the longest duration [s] that is taken


class MotionError(InputError):
    """A motion, profile or task that is wrong; `key` says which of its values."""


def any_times(t: ArrayLike) -> Array:
    """Times in any shape as floats, if what is made of them has room in memory."""
    times = numeric(t)
    if times is None:
        raise MotionError("not numeric", key="t", value=t, expected="times [s], in any shape")
    if times.size > MANY:
        require_memory(BYTES_A_SAMPLE * times.size, f"{times.size:,} samples of a motion")
    return times.astype(float, copy=False)


def duration(duration: ArrayLike, key: str = "duration") -> float:
    """A duration [s], or an error if it is not positive."""
    seconds = number(duration, key)
    if not DURATIONS[0] <= seconds <= DURATIONS[1]:
        problem = "not a duration" if seconds <= 0.0 else "out of range"
        expected = "seconds, above 0: from {:g} to {:g}".format(*DURATIONS)
        raise MotionError(problem, key=key, value=duration, expected=expected)
    return seconds


def number(
    value: ArrayLike,
    key: str,
    *,
    above: float = -np.inf,
    least: float = -np.inf,
    most: float = np.inf,
    expected: str = "",
) -> float:
    """A finite float within bounds, which `expected` states if they do not state themselves."""
    number = float(array(value, key, ()))
    if not (above < number and least <= number <= most):
        low = f"above {above:g}" if above > -np.inf else f"at least {least:g}"
        bounds = low if most == np.inf else f"from {max(least, above):g} to {most:g}"
        raise MotionError("out of range", key=key, value=value, expected=expected or bounds)
    return number


def numbers(record: object, *keys: str, **bounds: Any) -> None:
    """Refuse fields of a record that are no finite floats within bounds."""
    for key in keys:
        number(getattr(record, key), key, **bounds)


def array(value: ArrayLike, key: str, shape: tuple[int, ...]) -> Array:
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


def direction(value: ArrayLike, key: str) -> tuple[float, ...]:
    """A vector of length one along the given one, or an error if that is zero."""
    vector = array(value, key, (3,))
    if not vector.any():
        raise MotionError("the zero vector has no direction", key=key, expected="a direction")
    return tuple(unit(vector).tolist())


def frames(**given: object) -> None:
    """Refuse all but the two frames."""
    for key, frame in given.items():
        if not isinstance(frame, str) or frame not in ("base", "platform"):
            expected = '"base" or "platform"'
            raise MotionError("not known", key=key, value=frame, expected=expected)


def pose(value: ArrayLike, key: str) -> tuple[float, ...]:
    """A pose with a quaternion of length one."""
    pose = array(value, key, (7,))
    return (*pose[:3].tolist(), *quaternion(pose[3:], key))


def instance(value: object, kind: Any, key: str, example: str) -> None:
    """Refuse what is not of a kind; the example says what is."""
    if not isinstance(value, kind):
        raise MotionError(f"a {type(value).__name__}", key=key, expected=example)


def quaternion(value: ArrayLike, key: str) -> tuple[float, ...]:
    """A quaternion of length one."""
    quaternion = array(value, key, (4,))
    if not quaternion.any():
        raise MotionError("the quaternion is zero", key=key, expected="any other one")
    return tuple(unit(quaternion).tolist())


def times(times: ArrayLike, key: str, at_least: int = 2) -> Array:
    """Times [s] that increase."""
    values = array(times, key, (-1,))
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


def _shape_in_words(shape: tuple[int, ...]) -> str:
    sizes = ", ".join("n" if n < 0 else str(n) for n in shape)
    return f"an array of shape ({sizes})" if shape else "a number"
