"""Kernels on a GPU: exported CUDA text and its signature in, a function of CuPy arrays out.

This file needs NumPy and CuPy only, so that a GPU node can run exported kernels without the
libraries that made them: `GpuKernel.load("DIR/inverse_dynamics.cu")`.
"""

from __future__ import annotations

import json
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from gough.compiler.front.argument import Argument, result_type
from gough.compiler.native.argument_arrays import batch_shape
from gough.errors import CompilerError, KernelArgumentError, install_command

THREADS_PER_BLOCK = 128
OPTIONS = {
    # In single precision, division and square root to 2 units in the last place instead of 1/2:
    # the exact ones are calls, which double the registers and halve the speed.
    "float32": ("--prec-div=false", "--prec-sqrt=false"),
    "float64": (),
}


class GpuKernel:
    """A function of CuPy arrays: any batch axes in front, broadcast against each other.

    Memory of any layout is accepted. Outputs are laid out element by element (structure of
    arrays), which is also the fastest layout for inputs: `cupy.empty((7, n)).T` has shape (n, 7).
    """

    def __init__(self, source: str, signature: dict[str, Any]) -> None:
        self.source, self.signature = source, signature
        self.name: str = signature["name"]
        self.dtype = np.dtype(signature["dtype"])
        self._cupy = _cupy()
        self._kernel = self._cupy.RawKernel(source, self.name, options=OPTIONS[self.dtype.name])
        self._inputs = [Argument.of(a) for a in signature["inputs"]]
        self._outputs = [Argument.of(a) for a in signature["outputs"]]
        self.__doc__ = signature["doc"]

    @classmethod
    def load(cls, path: str | Path) -> GpuKernel:
        """From an exported `.cu` file and the `.json` file beside it."""
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8")
            described = path.with_suffix(".json").read_text(encoding="utf-8")
        except OSError as error:
            raise CompilerError(f"{path}: not an exported kernel: {error.strerror}") from error
        return cls(text, json.loads(described))

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
        parameters: list[Any] = [np.int64(n)]
        for rows in (*samples, *outputs):
            by_sample, by_element = (np.int64(s // rows.itemsize) for s in rows.strides)
            parameters += [rows, np.int64(0) if rows.shape[0] == 1 else by_sample, by_element]
        if n:
            blocks = (n + THREADS_PER_BLOCK - 1) // THREADS_PER_BLOCK
            self._kernel((blocks,), (THREADS_PER_BLOCK,), tuple(parameters))
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


def _cupy() -> Any:
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
