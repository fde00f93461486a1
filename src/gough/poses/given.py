"""Checks of arrays of numbers from users."""

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array, numeric
from gough.errors import GoughError, clipped
from gough.memory import require_memory

MANY = 1_000_000
"""Count of numbers above which the available memory is checked."""


def finite(value: ArrayLike, name: str, size: int, *, bytes_each: int = 0) -> Array:
    """Return (..., size) finite numbers; refuse those whose results need too much memory."""
    given = numeric(value)
    if given is not None and given.size > MANY:
        each = bytes_each + 16 * size
        require_memory(given.size / size * each, f"{given.size // size:,} {name}")
    array = _rows(value, name, size)
    if not np.isfinite(array).all():
        raise GoughError(f"{name} has entries that are not finite numbers")
    return array


def finite_or_none(value: ArrayLike, name: str, size: int) -> Array:
    """Return (..., size) finite numbers, or rows of NaN only.

    Such a row is no pose, as forward kinematics returns where it finds none.
    """
    array = _rows(value, name, size)
    if not (np.isfinite(array).all(-1) | np.isnan(array).all(-1)).all():
        raise GoughError(f"{name} has entries that are not finite numbers")
    return array


def array_of_numbers(value: ArrayLike, name: str) -> Array:
    """Return numbers in any shape as an array."""
    given = numeric(value)
    if given is None:
        raise GoughError(f"{name} is not an array of numbers: {clipped(repr(value), 80)}")
    return given.astype(float)


def check_quaternions(quaternions: Array) -> None:
    """Refuse zero quaternions: they are no orientation."""
    if not quaternions.any(axis=-1).all():
        raise GoughError("a quaternion is zero; expected any other (w, x, y, z)")


def check_batches(**batches: tuple[int, ...]) -> None:
    """Refuse batches, by name, that cannot be broadcast together."""
    try:
        np.broadcast_shapes(*batches.values())
    except ValueError:
        shapes = ", ".join(f"{name} {shape}" for name, shape in batches.items())
        raise GoughError(f"batches do not fit each other: {shapes}") from None


def _rows(value: ArrayLike, name: str, size: int) -> Array:
    array = array_of_numbers(value, name)
    if array.ndim == 0 or array.shape[-1] != size:
        raise GoughError(f"{name} has shape {array.shape}; expected (..., {size})")
    return array
