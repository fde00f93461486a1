"""A function that runs: a NumPy generalised ufunc with names, defaults, threads, clear errors."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compiler import threads as threading
from gough.compiler.argument import Argument
from gough.compiler.function import Function
from gough.compiler.gufunc import make_gufunc, signature
from gough.compiler.native import compile_native
from gough.compiler.program import Program, flat_size
from gough.errors import KernelArgumentError

if TYPE_CHECKING:
    from gough.compiler.gpu import GpuKernel

FEW = 256
"""Inputs of at most so many numbers each are not worth a look at their shapes."""
WORTH_THREADS = 4_000_000
"""How much work (numbers moved + operations) a batch must be before a second thread pays."""

ndarray = np.ndarray
Array = np.ndarray[Any, Any]


class Kernel:
    """A compiled function of arrays. It broadcasts: any axes may stand before those of a sample.

    `kernel(a, b)` takes anything that NumPy makes an array of; `out=` takes an array, or a tuple
    of them, to write into; `threads=` limits the threads of a large batch. Inputs marked as
    optional are zero if left out. Several outputs come as a named tuple.
    """

    def __init__(self, function: Function, *, lanes: int | None = None) -> None:
        self.function = function
        self.program = Program.of(function)
        self._code = compile_native(self.program, lanes)
        inputs, outputs = function.inputs, function.outputs
        self._gufunc, self._alive = make_gufunc(self._code.address, function.name, inputs, outputs)
        self._n_inputs, self._several = len(inputs), len(outputs) > 1
        self._cores = [len(a.shape) for a in (*inputs, *outputs)]
        self._sample_ndims = self._cores[: len(inputs)]
        self._sizes = [max(a.size, 1) for a in inputs]
        self._defaults = tuple(np.zeros(a.shape) if a.optional else None for a in inputs)
        self._work = self.program.n_operations + 4 * flat_size((*inputs, *outputs))
        self.__doc__ = self._documentation()
        self.__name__ = function.name

    @property
    def name(self) -> str:
        """The function's name."""
        return self.function.name

    @property
    def signature(self) -> str:
        """The shapes of one sample in NumPy's notation."""
        return signature(self.function.inputs, self.function.outputs)

    def __call__(
        self, *arrays: Any, out: Any = None, threads: int | None = None, **named: Any
    ) -> Any:
        """Evaluate for every sample of the batch."""
        if not named and len(arrays) == self._n_inputs:  # perhaps a lone call: be quick
            for array in arrays:
                if array.__class__ is not ndarray or array.size > FEW:
                    break
            else:
                try:
                    gufunc = self._gufunc
                    result = gufunc(*arrays) if out is None else gufunc(*arrays, out=out)
                except (TypeError, ValueError) as error:
                    raise self._explained(arrays, out, error) from None
                return self._result_type(*result) if self._several else result
        if named or len(arrays) != self._n_inputs:
            arrays = self._complete(arrays, named)
        return self._batch(arrays, out, threads)

    def on_gpu(self, dtype: Any = np.float64) -> GpuKernel:
        """The same function for CuPy arrays on this machine's GPU."""
        from gough.compiler.gpu import GpuKernel  # noqa: PLC0415  (CuPy is an extra)
        from gough.compiler.source import cuda_source  # noqa: PLC0415

        return GpuKernel(*cuda_source(self.program, dtype))

    def __repr__(self) -> str:
        return f"<gough kernel {self.name} {self.signature}>"

    def _complete(self, arrays: Sequence[Any], named: dict[str, Any]) -> tuple[Any, ...]:
        """All inputs, from those given by place, by name, and not at all."""
        inputs = self.function.inputs
        if len(arrays) > len(inputs):
            known = ", ".join(a.name for a in inputs)
            raise KernelArgumentError(
                f"{self.name}: got {len(arrays)} arguments; it takes {len(inputs)}: {known}"
            )
        given = dict(zip((a.name for a in inputs), arrays, strict=False))
        for name, array in named.items():
            if name in given or all(a.name != name for a in inputs):
                problem = "given twice" if name in given else "unknown"
                known = ", ".join(a.name for a in inputs)
                raise KernelArgumentError(
                    f"{self.name}: argument {name!r} is {problem}; it takes {known}"
                )
            given[name] = array
        for argument, default in zip(inputs, self._defaults, strict=True):
            if argument.name not in given and default is None:
                raise KernelArgumentError(
                    f"{self.name}: argument {argument.name!r} is missing; "
                    f"expected shape {argument.expected}"
                )
        return tuple(
            given.get(a.name, default) for a, default in zip(inputs, self._defaults, strict=True)
        )

    def _batch(self, given: Sequence[Any], out: Any, threads: int | None) -> Any:
        """Check the shapes, and share a large batch among threads."""
        arrays = [self._as_array(a, x) for a, x in zip(self.function.inputs, given, strict=True)]
        samples_at_most = prod(
            max(a.size // n, 1) for a, n in zip(arrays, self._sizes, strict=True)
        )
        if samples_at_most * self._work > WORTH_THREADS:
            count = threading.available() if threads is None else max(1, threads)
            if count > 1:
                return self._threaded(arrays, out, count)
        return self._direct(arrays, out)

    def _direct(self, arrays: Sequence[Any], out: Any) -> Any:
        try:
            result = self._gufunc(*arrays) if out is None else self._gufunc(*arrays, out=out)
        except (TypeError, ValueError) as error:
            raise self._explained(arrays, out, error) from None
        return self._result_type(*result) if self._several else result

    def _threaded(self, arrays: list[Array], out: Any, count: int) -> Any:
        batch = self._batch_shape(arrays)
        outputs = self._outputs(batch, out)
        worthwhile = prod(batch) * self._work > WORTH_THREADS
        if not worthwhile or _overlap(arrays, outputs):
            return self._direct(arrays, out)

        def run(inputs: Sequence[Array], results: Sequence[Array]) -> None:
            self._gufunc(*inputs, out=tuple(results))

        threading.run_in_pieces(run, arrays, self._cores, outputs, batch, count)
        return self._result_type(*outputs) if self._several else outputs[0]

    def _outputs(self, batch: tuple[int, ...], out: Any) -> tuple[Array, ...]:
        if out is None:
            return tuple(np.empty(batch + a.shape) for a in self.function.outputs)
        outputs = out if isinstance(out, tuple) else (out,)
        shapes = [batch + a.shape for a in self.function.outputs]
        if [getattr(o, "shape", None) for o in outputs] != shapes:
            raise self._wrong_output(batch, out)
        return outputs

    def _batch_shape(self, arrays: Sequence[Array]) -> tuple[int, ...]:
        inputs = self.function.inputs
        for argument, array in zip(inputs, arrays, strict=True):
            if array.shape[max(array.ndim - len(argument.shape), 0) :] != argument.shape:
                raise KernelArgumentError(
                    f"{self.name}: argument {argument.name!r} has shape {array.shape}; "
                    f"expected {argument.expected}"
                )
        cores = zip(arrays, self._sample_ndims, strict=True)
        try:
            return np.broadcast_shapes(*(a.shape[: a.ndim - n] for a, n in cores))
        except ValueError:
            shapes = ", ".join(f"{a.name} {x.shape}" for a, x in zip(inputs, arrays, strict=True))
            raise KernelArgumentError(
                f"{self.name}: the batches of the arguments do not fit each other: {shapes}"
            ) from None

    def _as_array(self, argument: Argument, value: Any) -> Array:
        try:
            return np.asarray(value)
        except ValueError:
            raise KernelArgumentError(
                f"{self.name}: argument {argument.name!r} is not an array: its rows differ in "
                f"length; expected shape {argument.expected}"
            ) from None

    def _explained(self, arrays: Sequence[Array], out: Any, error: Exception) -> Exception:
        """The error in the caller's words: which argument, its shape, the expected shape."""
        for argument, array in zip(self.function.inputs, arrays, strict=True):
            if not np.can_cast(array.dtype, np.float64, "same_kind"):
                return KernelArgumentError(
                    f"{self.name}: argument {argument.name!r} has type {array.dtype}; "
                    "expected real numbers"
                )
        try:
            batch = self._batch_shape(arrays)
        except KernelArgumentError as explained:
            return explained
        return error if out is None else self._wrong_output(batch, out)

    def _wrong_output(self, batch: tuple[int, ...], out: Any) -> KernelArgumentError:
        given = out if isinstance(out, tuple) else (out,)
        got = ", ".join(
            f"{x.dtype} {x.shape}" if isinstance(x, np.ndarray) else type(x).__name__ for x in given
        )
        wanted = ", ".join(f"{a.name} {batch + a.shape}" for a in self.function.outputs)
        return KernelArgumentError(
            f"{self.name}: out is {got}; expected writable float64 arrays: {wanted}"
        )

    @cached_property
    def _result_type(self) -> Any:
        return namedtuple(f"{self.name}_result", [a.name for a in self.function.outputs])

    def _documentation(self) -> str:
        f = self.function
        call = ", ".join(f"{a.name}=0" if a.optional else a.name for a in f.inputs)
        lines = [f"{f.name}({call})", "", f.doc.strip(), "", "Inputs:"]
        lines += [f"    {a.described()}" for a in f.inputs]
        lines += ["Returns:", *(f"    {a.described()}" for a in f.outputs)]
        lines += ["", f"Broadcasts over leading axes: {self.signature}."]
        return "\n".join(lines)


def _overlap(arrays: Sequence[Array], outputs: Sequence[Array]) -> bool:
    """Whether writing an output may change an input: NumPy takes care of that within one call."""
    return any(np.may_share_memory(a, o) for a in arrays for o in outputs)
