"""The types of arrays; what each holds, its shape and its unit, its function says."""

import math
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

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
    return y.arctan2(x) if hasattr(y, "arctan2") else math.atan2(y, x)


# NumPy's `@`, `norm` and `einsum` add in an order, and round, as suits the processor. Numbers that
# equations are made of have the same bits on all: here every product is rounded, and added in turn.


def product_of(*factors: ArrayLike) -> AnyArray:
    """Return the matrix product a b c … of matrices (or batches) and vectors, as `@`."""
    return reduce(_product, map(np.asarray, factors))


def length_of(vector: ArrayLike) -> AnyNumber:
    """Return the length of a vector; of one along an axis the size of its one number."""
    some = [x for x in np.asarray(vector) if x]
    return abs(some[0]) if len(some) == 1 else np.sqrt(product_of(vector, vector))


def direction_of(vector: ArrayLike) -> AnyArray:
    """Return the vector of length one in the direction of a vector."""
    return np.asarray(vector / length_of(vector))


def across_axis(vector: AnyArray, axis: AnyArray) -> AnyArray:
    """Return the part of a vector across an axis of length one."""
    return np.asarray(vector - axis * product_of(axis, vector))


def _product(a: AnyArray, b: AnyArray) -> AnyArray:
    columns, rows = np.moveaxis(a, -1, 0), np.moveaxis(b, -2 if b.ndim > 1 else 0, 0)
    if a.ndim > 1 and b.ndim > 1:
        columns, rows = columns[..., None], rows[..., None, :]
    total: AnyArray = sum(x * y for x, y in zip(columns, rows, strict=True))
    return total
