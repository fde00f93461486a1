"""The door to machine code: a compiled loop, called on arrays that fit its program and no others.

NumPy checks what a gufunc is given; all else that calls an address does it here.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.machine_code import MachineCode
from gough.compiler.native.threads import with_room
from gough.errors import KernelArgumentError

_NUMBER = np.dtype(np.float64)


class Loop:
    """A program over many samples, on memory that the caller has laid out.

    A call takes one array for each input and then each output: compact float64 of shape
    (samples, ...), or of just the argument's shape for an input that is the same for all samples.
    Arrays may overlap: `lanes` samples are read before their results are written.
    """

    def __init__(self, code: MachineCode) -> None:
        self.code = code
        self.inputs, self.outputs = code.description.inputs, code.description.outputs
        self._call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(code.address)
        self._inner = [s for a in (*self.inputs, *self.outputs) for s in _compact_strides(a)]

    def __call__(self, samples: int, arrays: Sequence[Array]) -> None:
        """Compute so many samples."""
        outer = self._outer_strides(samples, arrays)
        steps = (ctypes.c_ssize_t * (len(outer) + len(self._inner)))(*outer, *self._inner)
        pointers = (ctypes.c_void_p * len(arrays))(*(x.ctypes.data for x in arrays))
        dims = (ctypes.c_ssize_t * 1)(samples)
        addresses = [ctypes.addressof(x) for x in (pointers, dims, steps)]
        with_room(self.code.description.stack, lambda: self._call(*addresses, None))

    def _outer_strides(self, samples: int, arrays: Sequence[Array]) -> list[int]:
        """From sample to sample in each array [bytes], if all of them fit."""
        expected = len(self.inputs) + len(self.outputs)
        if len(arrays) != expected:
            name = self.code.description.name
            raise KernelArgumentError(f"{name}: got {len(arrays)} arrays; it takes {expected}")
        strides = []
        for k, (a, array) in enumerate(zip((*self.inputs, *self.outputs), arrays, strict=True)):
            is_input = k < len(self.inputs)
            for_all = is_input and array.shape == a.shape
            if not _is_compact(array) or not (is_input or array.flags.writeable):
                self._refuse(a, samples, "other memory than compact, writable float64")
            if not for_all and array.shape != (samples, *a.shape):
                self._refuse(a, samples, f"shape {array.shape}")
            strides.append(0 if for_all else 8 * a.size)
        return strides

    def _refuse(self, argument: Argument, samples: int, found: str) -> None:
        raise KernelArgumentError(
            f"{self.code.description.name}: argument {argument.name!r} has {found}; "
            f"expected shape {(samples, *argument.shape)}"
        )


def _is_compact(array: Array) -> bool:
    return array.dtype == _NUMBER and array.flags.c_contiguous and array.flags.aligned


def _compact_strides(argument: Argument) -> list[int]:
    return [8 * prod(argument.shape[k + 1 :]) for k in range(len(argument.shape))]
