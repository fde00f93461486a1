"""A function along a sequence: some of a sample's outputs are inputs of the next sample.

The compiled loop reads a block of samples, computes, and writes it before it reads the next one. So
an input that lies in memory one sample before an output is the previous sample's result: the whole
sequence is one call of machine code. Several sequences run side by side, as lanes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from functools import partial
from math import prod
from threading import Event

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.front.program import Program, flat_size
from gough.compiler.front.transformed import in_turns
from gough.compiler.native.argument_arrays import complete, real_array
from gough.compiler.native.machine_code import (
    Compiled,
    MachineCode,
    compile_native,
    is_optimized,
)
from gough.compiler.native.threads import with_room
from gough.errors import CompilerError, KernelArgumentError

WORK_PER_CALL = 30_000_000
"""After so much work of a lane (numbers moved + operations) Python may look for an interrupt: some
hundredths of a second."""


class Recurrence(Compiled):
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
        self.function = function
        _check_carried(function, carried)
        program = Program.of(function)
        alone = lanes == 1 and is_optimized()
        code = compile_native(in_turns(program) if alone else program, lanes)
        about = replace(code.description, carried=tuple(carried.items()))
        self._run_by(replace(code, description=about))

    def _run_by(self, code: MachineCode) -> None:
        super()._run_by(code)
        about = code.description
        self.carried, self.lanes = dict(about.carried), about.lanes
        self._inputs, self._outputs = about.inputs, about.outputs
        self._work = about.most_operations + flat_size((*about.inputs, *about.outputs))
        self._loop = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(code.address)

    def __repr__(self) -> str:
        return f"<gough recurrence {self.function.name}, carried: {', '.join(self.carried)}>"

    def __call__(
        self, inputs: Mapping[str, ArrayLike], stopped: Event | None = None
    ) -> dict[str, Array]:
        """All samples of all sequences; CancelledError soon after another thread set `stopped`."""
        return self.with_last(inputs, stopped)[0]

    def with_last(
        self, inputs: Mapping[str, ArrayLike], stopped: Event | None = None
    ) -> tuple[dict[str, Array], dict[str, Array]]:
        """All samples, and what is carried on after the last, (sequences, ...), by its input."""
        name, arguments = self.description.name, self._inputs
        given = complete(name, arguments, inputs)
        found = {a.name: real_array(name, a, given[a.name]) for a in arguments}
        arrays = {key: np.require(x, float, ["C", "A"]) for key, x in found.items()}
        samples, sequences = self._extent(arrays)
        width = -(-sequences // self.lanes) * self.lanes  # a block never spans two samples
        results = {a.name: np.empty((samples, width, *a.shape)) for a in self._outputs}
        taken, last = [], dict[str, Array]()
        for a in self._inputs:
            x = arrays[a.name]
            if a.name in self.carried:
                # place k holds what sample k takes and sample k - 1 gave
                room = np.empty((samples + 1, width, *a.shape))
                room[:1] = _padded(np.broadcast_to(x, (1, sequences, *a.shape)), width)
                x, results[self.carried[a.name]] = room[:-1], room[1:]
                last[a.name] = room[-1, :sequences]
            elif x.shape != a.shape:
                x = _padded(x, width)
            taken.append(x)
        self._run([*taken, *results.values()], samples * width, stopped or Event())
        returned = (name for name in results if name not in self.carried.values())
        return {name: results[name][:, :sequences] for name in returned}, last

    def _extent(self, arrays: Mapping[str, Array]) -> tuple[int, int]:
        """Return the numbers of samples and of sequences on which all arrays agree."""
        extents = {}
        for a in self._inputs:
            shape = arrays[a.name].shape
            if a.name not in self.carried and shape != a.shape:
                self._check(a, shape, len(shape) == len(a.shape) + 2 and shape[2:] == a.shape)
                extents[a.name] = shape[:2]
        owner = self.description.name
        if not extents:
            raise KernelArgumentError(f"{owner}: no argument is given for every sample")
        (samples, sequences), *others = set(extents.values())
        if others:
            listed = ", ".join(f"{name} {extent}" for name, extent in extents.items())
            problem = f"samples and sequences of the arguments differ: {listed}"
            raise KernelArgumentError(f"{owner}: {problem}")
        for a in self._inputs:
            if a.name in self.carried:
                shape = arrays[a.name].shape
                self._check(a, shape, shape in (a.shape, (1, *a.shape), (sequences, *a.shape)))
        return samples, sequences

    def _check(self, argument: Argument, shape: tuple[int, ...], fits: bool) -> None:
        if not fits:
            axes = ("(samples, sequences, ...)", "(sequences, ...)")[argument.name in self.carried]
            raise KernelArgumentError(
                f"{self.description.name}: argument {argument.name!r} has shape {shape}; "
                f"expected {argument.shape}, or {axes} in front of that"
            )

    def _run(self, memory: list[Array], count: int, stopped: Event) -> None:
        """Compute samples of all sequences, end to end in compact memory, or the same for all."""
        arguments = (*self._inputs, *self._outputs)
        pairs = zip(arguments, memory, strict=True)
        outer = [0 if m.shape == a.shape else 8 * a.size for a, m in pairs]  # strides [bytes]
        inner = [8 * prod(a.shape[k + 1 :]) for a in arguments for k in range(len(a.shape))]
        steps = (ctypes.c_ssize_t * (len(outer) + len(inner)))(*outer, *inner)
        per_call = max(1, WORK_PER_CALL // self._work) * self.lanes
        for start in range(0, count, per_call):
            if stopped.is_set():
                raise CancelledError
            first = (m.ctypes.data + start * step for m, step in zip(memory, outer, strict=True))
            pointers = (ctypes.c_void_p * len(memory))(*first)
            dims = (ctypes.c_ssize_t * 1)(min(per_call, count - start))
            addresses = [ctypes.addressof(x) for x in (pointers, dims, steps)]
            with_room(self.description.stack, partial(self._loop, *addresses, None))


def _check_carried(function: Function, carried: Mapping[str, str]) -> None:
    inputs = {a.name: a.shape for a in function.inputs}
    outputs = {a.name: a.shape for a in function.outputs}
    for taken, given in carried.items():
        once = list(carried.values()).count(given) == 1
        if not (once and taken in inputs and inputs[taken] == outputs.get(given)):
            raise CompilerError(
                f"{function.name}: {given!r} cannot be carried on as {taken!r}; expected "
                "an output and an input of its shape, each once"
            )


def _padded(array: Array, width: int) -> Array:
    """The last sequence repeated, so that there are `width` of them."""
    if array.shape[1] == width:
        return np.ascontiguousarray(array)
    missing = [(0, 0)] * array.ndim
    missing[1] = (0, width - array.shape[1])
    return np.ascontiguousarray(np.pad(array, missing, mode="edge"))
