"""A function along a sequence: some of a sample's outputs are inputs of the next sample.

The compiled loop reads a block of samples, computes, and writes it before it reads the next one. So
an input that lies in memory one sample before an output is the previous sample's result: the whole
sequence is one call of machine code. Several sequences run side by side, as lanes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from gough.compiler.argument import Argument
from gough.compiler.function import Function
from gough.compiler.native import compile_native, host
from gough.compiler.order import in_turns
from gough.compiler.program import Program
from gough.errors import KernelArgumentError

SAMPLES_PER_CALL = 20_000
"""After so many samples Python may look for an interrupt."""

Array = np.ndarray[Any, np.dtype[np.float64]]


class Recurrence:
    """A compiled function from one sample of a sequence to the next.

    `carried` names the inputs that are outputs of the sample before: {input: output}. A call takes
    a dictionary of all inputs: for a carried one the value before the first sample, of shape
    (sequences, ...); for any other one the values at all samples, (samples, sequences, ...), or one
    value for all, of just the argument's shape. It returns the outputs that are not carried on, by
    name, (samples, sequences, ...).

    `lanes` is how many sequences go side by side: as many as a register of this processor holds,
    unless stated. With 1, a single sequence is done soonest.
    """

    def __init__(
        self, function: Function, carried: Mapping[str, str], lanes: int | None = None
    ) -> None:
        self.function, self.carried = function, dict(carried)
        self.lanes = lanes or host().lanes
        program = Program.of(function)
        self._code = compile_native(in_turns(program) if lanes == 1 else program, self.lanes)
        pointers = [ctypes.c_void_p] * 4
        self._loop = ctypes.CFUNCTYPE(None, *pointers)(self._code.address)

    def __call__(self, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """All samples of all sequences."""
        arguments = self.function.inputs
        arrays = {a.name: np.asarray(inputs[a.name], dtype=float, order="C") for a in arguments}
        samples, sequences = self._extent(arrays)
        width = -(-sequences // self.lanes) * self.lanes  # a block never spans two samples
        buffers = self._carried_buffers(arrays, samples, sequences, width)
        memory: list[Array] = []
        for a in arguments:
            if a.name in self.carried:
                memory.append(buffers[self.carried[a.name]][:-1])
            elif arrays[a.name].shape == a.shape:
                memory.append(arrays[a.name])
            else:
                memory.append(_padded(arrays[a.name], width))
        results = {a.name: np.empty((samples, width, *a.shape)) for a in self.function.outputs}
        results |= {name: buffer[1:] for name, buffer in buffers.items()}
        memory += [results[a.name] for a in self.function.outputs]
        self._run(memory, samples, width)
        return {
            name: result[:, :sequences]
            for name, result in results.items()
            if name not in self.carried.values()
        }

    def _extent(self, arrays: Mapping[str, Array]) -> tuple[int, int]:
        """How many samples, and how many sequences."""
        for a in self.function.inputs:
            shape = arrays[a.name].shape
            if a.name not in self.carried and shape != a.shape:
                if len(shape) != len(a.shape) + 2 or shape[2:] != a.shape:
                    raise KernelArgumentError(
                        f"{self.function.name}: argument {a.name!r} has shape {shape}; expected "
                        f"(samples, sequences, ...) in front of {a.shape}"
                    )
                return shape[0], shape[1]
        raise KernelArgumentError(f"{self.function.name}: no argument is given for every sample")

    def _carried_buffers(
        self, arrays: Mapping[str, Array], samples: int, sequences: int, width: int
    ) -> dict[str, Array]:
        """Room for what is carried on: place k holds what sample k takes and sample k - 1 gave."""
        buffers = {}
        by_name = {a.name: a for a in self.function.inputs}
        for taken, given in self.carried.items():
            shape = by_name[taken].shape
            buffers[given] = np.empty((samples + 1, width, *shape))
            first = np.broadcast_to(arrays[taken], (sequences, *shape))
            buffers[given][:1] = _padded(first[None], width)
        return buffers

    def _run(self, memory: list[Array], samples: int, width: int) -> None:
        arguments = (*self.function.inputs, *self.function.outputs)
        pairs = zip(arguments, memory, strict=True)
        steps = [0 if m.shape == a.shape else 8 * a.size for a, m in pairs]
        for a in arguments:
            steps += _compact_strides(a)
        c_steps = (ctypes.c_ssize_t * len(steps))(*steps)
        per_call = max(1, SAMPLES_PER_CALL // width)
        for start in range(0, samples, per_call):
            count = min(per_call, samples - start) * width
            offsets = [s * start * width for s in steps[: len(memory)]]
            places = [m.ctypes.data + o for m, o in zip(memory, offsets, strict=True)]
            pointers = (ctypes.c_void_p * len(places))(*places)
            dims = (ctypes.c_ssize_t * 1)(count)
            self._loop(
                ctypes.addressof(pointers), ctypes.addressof(dims), ctypes.addressof(c_steps), None
            )


def _compact_strides(argument: Argument) -> list[int]:
    return [8 * prod(argument.shape[k + 1 :]) for k in range(len(argument.shape))]


def _padded(array: Array, width: int) -> Array:
    """The last sequence repeated, so that there are `width` of them."""
    if array.shape[1] == width:
        return np.ascontiguousarray(array)
    missing = [(0, 0)] * array.ndim
    missing[1] = (0, width - array.shape[1])
    return np.ascontiguousarray(np.pad(array, missing, mode="edge"))
