"""A function along a sequence: some of a sample's outputs are inputs of the next sample.

The compiled loop reads a sample, computes, and writes it before it reads the next one. So an input
that lies in memory one sample before an output is the previous sample's result: the whole sequence
is one call of machine code. Several sequences run side by side, as lanes: a block of them. Their
numbers lie side by side in memory, too, as vectors that a register holds.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod
from threading import Event
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
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


class Along(NamedTuple):
    """Sequences that were computed, by the names of arguments."""

    results: dict[str, Array]
    """Outputs that are not carried on, (samples, sequences, ...)."""
    taken: dict[str, Array]
    """Inputs that are carried, (samples, sequences, ...)."""
    last: dict[str, Array]
    """Values of these after the last sample, (sequences, ...)."""


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
        ordered = in_turns(program) if lanes == 1 and is_optimized() else program
        code = compile_native(ordered, lanes, sequences=True)
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

    def __call__(self, inputs: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """Outputs of all samples of all sequences."""
        return self.along(inputs).results

    def along(
        self,
        inputs: Mapping[str, ArrayLike],
        *,
        kept: slice = slice(None),
        stopped: Event | None = None,
        advance: Callable[[int], None] = lambda _: None,
    ) -> Along:
        """Compute all samples of all sequences, of which some are `kept`.

        CancelledError soon after another thread set `stopped`; `advance` is called with the number
        of further samples of some sequences.
        """
        name, arguments = self.description.name, self._inputs
        given = complete(name, arguments, inputs)
        arrays = {a.name: real_array(name, a, given[a.name]) for a in arguments}
        samples, sequences = self._extent(arrays)
        blocks = -(-sequences // self.lanes)
        memory, carried = list[Array](), dict[str, Array]()
        for a in arguments:
            if a.name in self.carried:
                # place k holds what sample k takes and sample k - 1 gave
                room = carried[a.name] = self._room(blocks, samples + 1, a)
                first = np.broadcast_to(arrays[a.name], (1, sequences, *a.shape))
                room[:, :1] = self._in_lanes(a, first)
                memory.append(room[:, :-1])
            else:
                memory.append(self._taken(a, arrays[a.name]))
        following = {self.carried[name]: room[:, 1:] for name, room in carried.items()}
        found = {
            a.name: self._room(blocks, samples, a) for a in self._outputs if a.name not in following
        }
        every = following | found
        memory += [every[a.name] for a in self._outputs]
        self._run(memory, (blocks, samples), stopped or Event(), advance)

        def by_sequence(a: Argument, x: Array) -> Array:
            rows = x.transpose(1, 0, 3, 2)
            return rows.reshape(len(rows), blocks * self.lanes, *a.shape)[:, :sequences]

        states = [a for a in arguments if a.name in carried]
        return Along(
            {
                a.name: by_sequence(a, found[a.name][:, kept])
                for a in self._outputs
                if a.name in found
            },
            {a.name: by_sequence(a, carried[a.name][:, :-1][:, kept]) for a in states},
            {a.name: by_sequence(a, carried[a.name][:, -1:])[0].copy() for a in states},
        )

    def _room(self, blocks: int, samples: int, argument: Argument) -> Array:
        """Return memory (blocks, samples, n, lanes); vectors begin at multiples of 64 bytes."""
        shape = blocks, samples, argument.size, self.lanes
        memory = np.empty(prod(shape) + 7)
        begin = -memory.ctypes.data // 8 % 8
        return memory[begin : begin + prod(shape)].reshape(shape)

    def _taken(self, argument: Argument, x: AnyArray) -> Array:
        """Return numbers (samples, sequences, ...) in such memory; what is repeated is once.

        What all sequences have in common is (1, samples, n, 1).
        """
        x = x[None, None] if x.shape == argument.shape else x
        once = x[tuple(slice(None if stride else 1) for stride in x.strides[:2])]
        if once.shape[1] == 1:
            rows = once.reshape(1, len(once), argument.size, 1)
            return np.require(rows, float, ["C", "A"])
        return self._in_lanes(argument, once)

    def _in_lanes(self, argument: Argument, x: AnyArray) -> Array:
        """Return numbers (samples, sequences, ...) in such memory, the last sequence repeated."""
        samples, sequences = x.shape[:2]
        blocks = -(-sequences // self.lanes)
        room = self._room(blocks, samples, argument)
        rows = x[:, np.minimum(np.arange(blocks * self.lanes), sequences - 1)]
        room[:] = rows.reshape(samples, blocks, self.lanes, argument.size).transpose(1, 0, 3, 2)
        return room

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

    def _run(
        self,
        memory: list[Array],
        extent: tuple[int, int],
        stopped: Event,
        advance: Callable[[int], None],
    ) -> None:
        """Compute all samples of one block of sequences after the other."""
        blocks, samples = extent
        steps = [m.strides[1] if m.shape[1] > 1 else 0 for m in memory]
        common = [m.shape[3] < self.lanes for m in memory]
        between = [m.strides[0] if len(m) > 1 else 0 for m in memory]
        per_call = max(1, WORK_PER_CALL // self._work)
        for block, start in product(range(blocks), range(0, samples, per_call)):
            if stopped.is_set():
                raise CancelledError
            first = (
                m.ctypes.data + block * far + start * step
                for m, far, step in zip(memory, between, steps, strict=True)
            )
            pointers = (ctypes.c_void_p * len(memory))(*first)
            dims = (ctypes.c_ssize_t * 1)(min(per_call, samples - start))
            strides = (ctypes.c_ssize_t * (2 * len(steps)))(*steps, *common)
            addresses = [ctypes.addressof(x) for x in (pointers, dims, strides)]
            with_room(self.description.stack, partial(self._loop, *addresses, None))
            advance(dims[0])


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
