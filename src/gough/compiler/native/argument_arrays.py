"""Conversion of a caller's values to arrays of the arguments' shapes; errors name the argument."""

import sys
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, zip_longest
from math import prod
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray
from gough.compiler.front.argument import Argument
from gough.errors import KernelArgumentError

Shape = tuple[int, ...]
_LINE = 8
"""Numbers in a line of a cache."""
_FEW = 4 * _LINE
"""Number of samples below which rows of memory would be mostly what is between them."""


def completed(
    owner: str,
    inputs: Sequence[Argument],
    taken: Sequence[ArrayLike],
    named: Mapping[str, ArrayLike],
    defaults: Mapping[str, ArrayLike] = MappingProxyType({}),
) -> tuple[ArrayLike, ...]:
    """All inputs, from those given by place, by name, and not at all."""
    names = [a.name for a in inputs]
    if len(taken) > len(names):
        raise KernelArgumentError(
            f"{owner}: got {len(taken)} arguments; it takes {len(names)}: {', '.join(names)}"
        )
    given = dict(zip(names, taken, strict=False))
    for name in given.keys() & named:
        raise KernelArgumentError(
            f"{owner}: argument {name!r} is given twice; it takes {', '.join(names)}"
        )
    return tuple(complete(owner, inputs, {**defaults, **given, **named}).values())


def complete(
    owner: str, inputs: Sequence[Argument], given: Mapping[str, ArrayLike]
) -> dict[str, ArrayLike]:
    """All inputs by name, in order: optional ones are zero if they are not given."""
    names = [a.name for a in inputs]
    for name in given:
        if name not in names:
            raise KernelArgumentError(
                f"{owner}: argument {name!r} is unknown; it takes {', '.join(names)}"
            )
    for a in inputs:
        if a.name not in given and not a.optional:
            raise KernelArgumentError(
                f"{owner}: argument {a.name!r} is missing; expected shape {a.expected}"
            )
    return {a.name: given[a.name] if a.name in given else _zeros(a.shape) for a in inputs}


@cache
def _zeros(shape: Shape) -> AnyArray:
    zeros = np.zeros(shape)
    zeros.flags.writeable = False
    return zeros


def real_array(owner: str, argument: Argument, value: ArrayLike) -> AnyArray:
    """A value as an array of a type that converts to float64 as it is read."""
    what = f"{owner}: argument {argument.name!r}"
    try:
        array = np.asarray(value)
    except ValueError:
        raise KernelArgumentError(
            f"{what} is not an array: its rows differ in length; expected shape {argument.expected}"
        ) from None
    except TypeError as error:
        raise KernelArgumentError(f"{what} is not an array: {error}") from None
    if _may_be_masked(value) and np.ma.is_masked(value):
        raise KernelArgumentError(f"{what} has masked elements; expected numbers, or NaN for none")
    if np.can_cast(array.dtype, np.float64):
        return array
    if not np.can_cast(array.dtype, np.float64, "same_kind"):
        raise KernelArgumentError(f"{what} has type {array.dtype}; expected real numbers")
    return array.astype(np.float64)


def fitted(owner: str, argument: Argument, value: ArrayLike) -> AnyArray:
    """A value as an array of float64, with any axes in front of those of the argument."""
    array = real_array(owner, argument, value)
    batch_shape(owner, [argument], [array])
    return np.asarray(array, dtype=np.float64)


def batch_shape(owner: str, inputs: Sequence[Argument], arrays: Sequence[AnyArray]) -> Shape:
    """The axes in front of a sample's, of all inputs together."""
    batches = []
    for a, array in zip(inputs, arrays, strict=True):
        batch = _batch_of(a, array)
        if array.shape != batch + a.shape:
            raise KernelArgumentError(
                f"{owner}: argument {a.name!r} has shape {array.shape}; expected {a.expected}"
            )
        batches.append(batch)
    together = _broadcast(batches)
    if together is None:
        shapes = ", ".join(f"{a.name} {x.shape}" for a, x in zip(inputs, arrays, strict=True))
        raise KernelArgumentError(
            f"{owner}: the batches of the arguments do not fit each other: {shapes}"
        )
    return together


def new_output(owner: str, output: Argument, batch: Shape, *, columns: bool = False) -> AnyArray:
    """Memory for the results of a batch; in `columns`, numbers of many samples lie side by side."""
    try:
        if columns and batch and batch[-1] >= _FEW:
            return _columns(output.shape, batch)
        return np.empty(batch + output.shape)
    except (MemoryError, ValueError):  # more than there is, or than NumPy can count
        raise KernelArgumentError(
            f"{owner}: the results of a batch of shape {batch} do not fit into memory; "
            "expected a smaller batch"
        ) from None


def _columns(shape: Shape, batch: Shape) -> AnyArray:
    """An array in which each number of a sample has a row of memory along the last batch axis.

    Rows begin with a line of a cache and have an odd number of lines: no two are in each other's
    way there.
    """
    *before, count = batch
    length = (-(-count // _LINE) | 1) * _LINE
    memory = np.empty(prod((*before, *shape, length)) + _LINE)
    start = -memory.ctypes.data // memory.itemsize % _LINE
    rows = memory[start : start + memory.size - _LINE].reshape(*before, *shape, length)
    return np.moveaxis(rows[..., :count], -1, len(before))


def given_outputs(
    owner: str, outputs: Sequence[Argument], batch: Shape, out: object
) -> tuple[AnyArray, ...]:
    """The caller's arrays, whose further axes in front repeat results; None is a new array."""
    given = out if isinstance(out, tuple) else (out,)
    if len(given) == len(outputs) and all(x is None or _is_writable(x) for x in given):
        pairs = list(zip(outputs, given, strict=True))
        written = [(a, x) for a, x in pairs if x is not None]
        wider = _broadcast([batch, *(_batch_of(a, x) for a, x in written)])
        if wider is not None and all(x.shape == wider + a.shape for a, x in written):
            for (a, x), (b, y) in combinations(written, 2):
                if np.shares_memory(x, y):
                    raise KernelArgumentError(
                        f"{owner}: out has the same memory for {a.name} and {b.name}; "
                        "expected an array for each"
                    )
            return tuple(new_output(owner, a, wider) if x is None else x for a, x in pairs)
    got = ", ".join(map(_described, given))
    wanted = ", ".join(f"{a.name} {batch + a.shape}" for a in outputs)
    raise KernelArgumentError(f"{owner}: out is {got}; expected writable float64 arrays: {wanted}")


def _batch_of(argument: Argument, array: AnyArray) -> Shape:
    batch: Shape = array.shape[: max(array.ndim - len(argument.shape), 0)]
    return batch


def _broadcast(shapes: Sequence[Shape]) -> Shape | None:
    """The shape of all together, by NumPy's rule, however large; None if they do not fit."""
    if len(set(shapes)) == 1:
        return shapes[0]
    axes = zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)
    lengths = [set(axis) - {1} for axis in axes]
    if any(len(different) > 1 for different in lengths):
        return None
    return tuple(min(different, default=1) for different in reversed(lengths))


def _is_writable(x: ArrayLike) -> bool:
    if not isinstance(x, np.ndarray) or _may_be_masked(x):
        return False
    return x.flags.writeable and np.can_cast(np.float64, x.dtype, "same_kind")


def _may_be_masked(x: ArrayLike) -> bool:
    """Whether it is a masked array; there is none before somebody imports the module, slowly."""
    return "numpy.ma" in sys.modules and isinstance(x, np.ma.MaskedArray)


def _described(x: ArrayLike) -> str:
    if not isinstance(x, np.ndarray):
        return type(x).__name__
    state = "" if x.flags.writeable else "read-only "
    masked = "masked " if _may_be_masked(x) else ""
    return f"{state}{masked}{x.dtype} {x.shape}"
