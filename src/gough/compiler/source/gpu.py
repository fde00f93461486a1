"""Kernels and recurrences on a GPU: CUDA text and its signature in, a function of arrays out.

This file needs NumPy and CuPy only, so that a GPU node can run exported kernels without the
libraries that made them: `GpuKernel.load("DIR/inverse_dynamics.cu")`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any, Self

import numpy as np

from gough.compiler.front.argument import Argument, result_type
from gough.compiler.native.argument_arrays import batch_shape
from gough.errors import CompilerError, KernelArgumentError, install_command

LARGEST_BLOCK, WARP = 256, 32
SMALL = 128, "--maxrregcount=168"
"""Threads in a block, and option, of functions of few values: three blocks at a time."""
OPTIONS = {
    # In single precision, division and square root to 2 units in the last place instead of 1/2:
    # the exact ones are calls, which double the registers and halve the speed.
    "float32": ("--prec-div=false", "--prec-sqrt=false"),
    "float64": (),
}


class _OnGpu:
    """A compiled function on this machine's GPU."""

    def __init__(self, source: str, signature: dict[str, Any]) -> None:
        self.source, self.signature = source, signature
        self.name: str = signature["name"]
        self.dtype = np.dtype(signature["dtype"])
        self._cupy = cupy_of_a_gpu()
        device = self._cupy.cuda.Device().attributes
        self._processors = device["MultiProcessorCount"]
        self._block, options = LARGEST_BLOCK, OPTIONS[self.dtype.name]
        self._shared = signature.get("shared", 0) * self.dtype.itemsize
        """Bytes of each thread in the memory that a block shares."""
        if signature.get("small"):
            self._block, options = SMALL[0], (*options, SMALL[1])
        if self._shared:
            threads = device["MaxSharedMemoryPerBlockOptin"] // self._shared
            self._block = min(SMALL[0], threads // WARP * WARP)
        self._kernel = self._cupy.RawKernel(source, self.name, options=options)
        if self._shared:
            self._kernel.max_dynamic_shared_size_bytes = self._block * self._shared
        self._inputs = [Argument.of(a) for a in signature["inputs"]]
        self._outputs = [Argument.of(a) for a in signature["outputs"]]
        self.__doc__ = signature["doc"]

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """From an exported `.cu` file and the `.json` file beside it."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
            described = path.with_suffix(".json").read_text(encoding="utf-8")
        except OSError as error:
            raise CompilerError(f"{path}: not an exported kernel: {error.strerror}") from error
        return cls(text, json.loads(described))

    def to_gpu(self, array: Any) -> Any:
        """Return an array on the GPU, in this function's precision."""
        return self._cupy.asarray(array, dtype=self.dtype)

    def free_numbers(self) -> int:
        """Return how many numbers the free memory of the GPU holds."""
        free, _ = self._cupy.cuda.runtime.memGetInfo()
        pool = self._cupy.get_default_memory_pool()
        return int((free + pool.free_bytes()) // self.dtype.itemsize)

    def require_memory(self, numbers: int, what: str) -> None:
        """Refuse what needs more numbers than the free memory of the GPU holds."""
        if numbers > (free := self.free_numbers()):
            needed, left = (self.dtype.itemsize * count / 1e9 for count in (numbers, free))
            raise CompilerError(
                f"{what} need about {needed:.3g} GB of the GPU's memory, of which {left:.3g} GB "
                "are free; expected fewer runs or samples"
            )

    def _launch(self, threads: int, *parameters: Any) -> None:
        if threads:  # if they are few, all multiprocessors have some
            block = min(self._block, WARP * -(-threads // (WARP * self._processors)))
            blocks = -(-threads // block)
            self._kernel((blocks,), (block,), parameters, shared_mem=block * self._shared)


class GpuKernel(_OnGpu):
    """A function of CuPy arrays: any batch axes in front, broadcast against each other.

    Memory of any layout is accepted. Outputs are laid out element by element (structure of
    arrays), which is also the fastest layout for inputs: `cupy.empty((7, n)).T` has shape (n, 7).
    """

    def __repr__(self) -> str:
        return f"<gough kernel {self.name} on a GPU, {self.dtype}>"

    def __call__(self, *arrays: Any) -> Any:
        """Evaluate for every sample of the batch; the arrays stay on the GPU."""
        cupy = self._cupy
        given = [cupy.asarray(a, dtype=self.dtype) for a in self._complete(arrays)]
        batch = batch_shape(self.name, self._inputs, given)
        n = prod(batch)
        samples: list[Any] = []  # (samples, elements) of each input
        for array, a in zip(given, self._inputs, strict=True):
            alone = array.shape == a.shape  # one sample for all
            wide = array if alone else cupy.broadcast_to(array, batch + a.shape)
            samples.append(wide.reshape(1 if alone else n, max(a.size, 1)))
        outputs = [cupy.empty((max(a.size, 1), n), self.dtype).T for a in self._outputs]
        self._launch(n, np.int64(n), *_with_strides(samples), *_with_strides(outputs))
        pairs = zip(outputs, self._outputs, strict=True)
        results = [rows.reshape(batch + a.shape) for rows, a in pairs]
        if len(results) == 1:
            return results[0]
        return result_type(self.name, tuple(a.name for a in self._outputs))(*results)

    def _complete(self, arrays: tuple[Any, ...]) -> list[Any]:
        missing = self._inputs[len(arrays) :]
        if len(arrays) > len(self._inputs) or not all(a.optional for a in missing):
            names = ", ".join(f"{a.name} {a.shape}" for a in self._inputs)
            raise KernelArgumentError(f"{self.name}: got {len(arrays)} arguments; takes {names}")
        return [*arrays, *(np.zeros(a.shape, self.dtype) for a in missing)]


class GpuRecurrence(_OnGpu):
    """A function from one sample of a sequence to the next, on CuPy arrays: a sequence a thread.

    What is carried from sample to sample stays in registers. Outputs and what is carried on are
    laid out element by element in memory. `ahead` is a kernel of some of the inputs that computes
    another one of them, for all samples at once.
    """

    def __init__(
        self, source: str, signature: dict[str, Any], ahead: GpuKernel | None = None
    ) -> None:
        super().__init__(source, signature)
        self._ahead = ahead
        self.ahead_size = 0
        """Number of numbers that are computed ahead for each sample."""
        if ahead is not None:
            self.ahead_size = sum(Argument.of(a).size for a in ahead.signature["outputs"])

    def __repr__(self) -> str:
        return f"<gough recurrence {self.name} on a GPU, {self.dtype}>"

    def __call__(
        self,
        inputs: Mapping[str, Any],
        samples: int,
        *,
        first: int = 0,
        every: int = 1,
        seed: int = 0,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the outputs of one of `every` samples, and what is carried on after the last.

        For a carried input the value before the first sample, (sequences, ...); for any other one
        (samples or 1, sequences or 1, ...), or one value for all. Outputs are (kept samples,
        sequences, ...), by name; `first` is the number of the first sample, of which every and the
        random numbers of a `seed` depend.
        """
        cupy, carried = self._cupy, self.signature["carried"]
        if self._ahead is not None:
            (found,) = self._ahead.signature["outputs"]
            taken = (inputs[a["name"]] for a in self._ahead.signature["inputs"])
            inputs = {**inputs, found["name"]: self._ahead(*taken)}
        given = {a.name: cupy.asarray(inputs[a.name], dtype=self.dtype) for a in self._inputs}
        sequences = {len(given[a.name]) for a in self._inputs if a.name in carried}.pop()
        rows = [self._rows(a, given[a.name], samples, sequences) for a in self._inputs]
        kept = -(-(first + samples) // every) - -(-first // every)
        last = [a for a in self._inputs if a.name in carried]
        found = [a for a in self._outputs if a.name not in carried.values()]
        sizes = [(kept, a) for a in found] + [(1, a) for a in last]
        memory = [cupy.empty((max(a.size, 1), n, sequences), self.dtype) for n, a in sizes]
        results = [cupy.moveaxis(x, 0, 2) for x in memory]
        numbers = [np.int64(x) for x in (sequences, samples, first, every)]
        if self.signature["random"]:
            numbers.append(cupy.asarray([seed % 2**64, (seed >> 64) % 2**64], dtype=np.uint64))
        self._launch(sequences, *numbers, *_with_strides(rows), *_with_strides(results))
        shaped = [
            x.reshape(n, sequences, *a.shape) for x, (n, a) in zip(results, sizes, strict=True)
        ]
        named = dict(zip((a.name for _, a in sizes), shaped, strict=True))
        return (
            {a.name: named[a.name] for a in found},
            {a.name: named[a.name][0] for a in last},
        )

    def _rows(self, a: Argument, array: Any, samples: int, sequences: int) -> Any:
        """(samples or 1, sequences or 1, elements)."""
        lead = array.shape[: array.ndim - len(a.shape)]
        lead = (1,) * (2 - len(lead)) + lead
        lengths = {1} if a.name in self.signature["carried"] else {1, samples}
        fits = array.shape[array.ndim - len(a.shape) :] == a.shape and len(lead) == 2
        if not (fits and lead[0] in lengths and lead[1] in {1, sequences}):
            raise KernelArgumentError(
                f"{self.name}: argument {a.name!r} has shape {array.shape}; expected {a.shape}, or "
                f"({samples} samples or 1, {sequences} sequences or 1, ...) in front of that"
            )
        return array.reshape(*lead, max(a.size, 1))


def _with_strides(arrays: Sequence[Any]) -> Iterator[Any]:
    """Arrays, each followed by its strides in numbers, which are 0 along axes of one number."""
    for x in arrays:
        yield x
        for length, stride in zip(x.shape, x.strides, strict=True):
            yield np.int64(0 if length == 1 else stride // x.itemsize)


def cupy_of_a_gpu() -> Any:
    """Return the module CuPy, where it has a GPU; CompilerError else."""
    try:
        import cupy  # noqa: PLC0415  (an extra)
    except ImportError as error:
        raise CompilerError(
            f"CuPy is not installed; expected {install_command('gpu')}, on a computer with a GPU"
        ) from error
    try:
        if cupy.cuda.runtime.getDeviceCount() > 0:
            return cupy
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise CompilerError(f"no GPU can be used here: {error}") from error
    raise CompilerError("no GPU can be used here: CuPy finds none")
