"""The types of arrays; what each holds, its shape and its unit, its function says."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
AnyArray = np.ndarray[Any, np.dtype[Any]]
"""Array of complex numbers, integers or booleans, or of several of these."""
AnyNumber = Any
"""A number, or a symbol or another object that reckons as numbers do."""


def is_on_gpu(array: object) -> bool:
    """Whether an array is in the memory of a GPU: of CuPy, or of another library."""
    return hasattr(array, "__cuda_array_interface__")


def on_host(array: Any) -> AnyArray:
    """Return an array of NumPy's, or of CuPy's, as one of NumPy's."""
    found: AnyArray = array.get() if is_on_gpu(array) else np.asarray(array)
    return found


def numeric(value: object) -> AnyArray | None:
    """Return real numbers as an array of any shape; None for anything else."""
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        return None
    return array if array.dtype.kind in "iuf" else None


def angle_of(y: AnyNumber, x: AnyNumber) -> AnyNumber:
    """The angle [rad] of a point x, y: of numbers, or of objects that reckon as these do."""
    if hasattr(x, "angle_with"):
        return x.angle_with(y)
    return y.arctan2(x) if hasattr(y, "arctan2") else np.arctan2(y, x)
