"""A function that runs: a NumPy generalised ufunc with names, defaults, threads, clear errors.

NumPy has no Python function that makes one from the address of a compiled loop; its C function is
reached through the table that NumPy publishes for extension modules (the capsule `_UFUNC_API`,
whose order never changes).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cached_property, partial
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Any, Generic, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import TypeVar

from gough.arrays import AnyArray, Array, is_on_gpu
from gough.compiler.front.argument import Argument, result_type
from gough.compiler.front.function import Equation, Function
from gough.compiler.front.intervals import over_boxes
from gough.compiler.front.program import Program, flat_size
from gough.compiler.memo import remembered
from gough.compiler.native import argument_arrays
from gough.compiler.native import threads as threading
from gough.compiler.native.machine_code import Compiled, MachineCode, compile_native
from gough.disk.plain_data import PlainData
from gough.display import Table, card
from gough.errors import KernelArgumentError

_FROM_SIGNATURE = 31  # PyUFunc_FromFuncAndDataAndSignature in NumPy's table
_NO_IDENTITY = -1

if TYPE_CHECKING:
    from gough.compiler.source.gpu import GpuKernel

FEW = 256
"""Inputs of at most so many numbers each are not worth a look at their shapes."""
WORTH_THREADS = 10_000_000
"""Work (numbers moved + operations) of a batch from which a second thread pays."""

SHALLOW = 2**14
"""Stack that is available wherever NumPy can be called [bytes]."""

ndarray = np.ndarray


Results = TypeVar("Results", default=Array)
"""Results of a call: an array, or a named tuple of several."""


class Kernel(Compiled, Generic[Results]):
    """A compiled function of arrays. It broadcasts: any axes may stand before those of a sample.

    `kernel(a, b)` takes anything that NumPy makes an array of; `out=` takes an array, or a tuple
    of them, to write into; `threads=` limits the threads of a large batch. With `columns=True`
    numbers of many successive samples lie side by side in new memory, for those who go through one
    number after another. Inputs marked as optional are zero if left out. Several outputs come as a
    named tuple. With `boxes` it takes bounds (..., 2) of every input and gives bounds of all
    outputs; and, along directions of inputs that are named there, of the outputs' derivatives: see
    `gough.compiler.front.intervals`. Directions of those named `within` have bounds, too.

    >>> import gough
    >>> jacobian = gough.Model(gough.load("kalani-2016")).jacobian
    >>> jacobian.signature, jacobian([0, 0, 1, 1, 0, 0, 0]).shape
    ('(7)->(6,6)', (6, 6))
    """

    _lanes: int | None = None
    _boxes: tuple[str, ...] | None = None
    _within: tuple[str, ...] = ()

    def __init__(
        self,
        function: Function,
        *,
        lanes: int | None = None,
        boxes: Sequence[str] | None = None,
        within: Sequence[str] = (),
    ) -> None:
        self.function, self._lanes = function, lanes
        self._boxes, self._within = None if boxes is None else tuple(boxes), tuple(within)
        # programs over boxes are long, and called for few boxes: they are not worth optimising
        self._run_by(compile_native(self.program, lanes, optimize=boxes is None))

    @classmethod
    def from_equation(
        cls,
        name: str,
        equation: Equation,
        inputs: Sequence[Argument],
        outputs: Sequence[Argument],
        doc: str = "",
    ) -> Self:
        """The kernel of a Python function from one SX per input to one SX per output."""
        return cls(Function.from_equation(name, equation, inputs, outputs, doc))

    @cached_property
    def program(self) -> Program:
        """The operations of one sample."""
        made = Program.of(self.function)
        return made if self._boxes is None else over_boxes(made, self._boxes, self._within)

    @property
    def name(self) -> str:
        """The function's name."""
        return self.description.name

    @property
    def signature(self) -> str:
        """The shapes of one sample in NumPy's notation."""
        return signature(self.description.inputs, self.description.outputs)

    def __call__(
        self,
        *arrays: ArrayLike,
        out: object = None,
        threads: int | None = None,
        columns: bool = False,
        **named: ArrayLike,
    ) -> Results:
        """Evaluate for every sample of the batch."""
        if self._stack > SHALLOW and not threading.has_room(self._stack):
            call = partial(self, *arrays, out=out, threads=threads, columns=columns, **named)
            return threading.with_room(self._stack, call)
        if named or len(arrays) != self._n_inputs:
            arrays = self.completed(arrays, named)
        alone = threads.__class__ is int and threads == 1
        if not columns and (alone or threads is None) and (out is None or out.__class__ is ndarray):
            for array in arrays:
                if array.__class__ is not ndarray or (array.size > FEW and not alone):
                    break
            else:  # a lone call, or one on this thread: be quick
                try:
                    gufunc = self._gufunc
                    result: Any = gufunc(*arrays) if out is None else gufunc(*arrays, out=out)
                except (TypeError, ValueError, MemoryError):
                    pass  # what follows converts it, or says what is wrong
                else:
                    return cast("Results", self._result_type(*result) if self._several else result)
        return self._batch(arrays, out, threads, columns)

    def on_gpu(self, dtype: object = np.float64) -> GpuKernel:
        """Return this function for CuPy arrays on this machine's GPU."""
        from gough.compiler.source.cuda import cuda_source  # noqa: PLC0415  (few have one)
        from gough.compiler.source.gpu import GpuKernel  # noqa: PLC0415

        name = np.dtype(dtype).name  # type: ignore[call-overload]
        if name not in self._gpu_kernels:
            self._gpu_kernels[name] = GpuKernel(*cuda_source(self.program, dtype))
        return self._gpu_kernels[name]

    @cached_property
    def adjoint(self) -> Kernel[Any]:
        """Derivatives of a number by every input, from those by every output."""
        return Kernel(self.function.adjoint())

    @cached_property
    def _gpu_kernels(self) -> dict[str, GpuKernel]:
        return {}

    def __reduce__(self) -> tuple[object, ...]:
        named = None if self.made_by is None else self.made_by.pickled()
        return named or (_of_function, (self.function, self._lanes, self._boxes, self._within))

    def __repr__(self) -> str:
        return f"<gough kernel {self.name} {self.signature}>"

    def _repr_html_(self) -> str:
        about = self.description
        rows = [
            (way, a.name, a.expected, a.shown_unit, a.meaning)
            for way, some in (("takes", about.inputs), ("gives", about.outputs))
            for a in some
        ]
        table = Table.of("", ("", "array", "shape", "unit", "meaning"), rows)
        return card(self.name, "kernel", table, folded=("more", about.doc))

    def _run_by(self, code: MachineCode) -> None:
        super()._run_by(code)
        about = code.description
        arguments = (*about.inputs, *about.outputs)
        self._gufunc, self._alive = make_gufunc(code)
        self._n_inputs, self._several = len(about.inputs), len(about.outputs) > 1
        self._cores = [len(a.shape) for a in arguments]
        self._stack = about.stack
        self._work = about.n_operations + 4 * flat_size(arguments)
        self.__doc__ = self._documentation()
        self.__name__ = about.name

    def completed(self, arrays: Sequence[Any], named: PlainData) -> tuple[Any, ...]:
        """All inputs, from those given by place, by name, and not at all."""
        return argument_arrays.completed(self.name, self.description.inputs, arrays, named)

    def _batch(self, given: Sequence[Any], out: Any, threads: Any, columns: bool) -> Results:
        """Check everything, and share a large batch among threads, or give it to the GPU."""
        if any(map(is_on_gpu, given)):
            if out is not None or threads is not None:
                problem = f"{self.name}: out and threads are for arrays of NumPy"
                raise KernelArgumentError(f"{problem}; expected neither with arrays on a GPU")
            return cast("Results", self.on_gpu()(*given))
        inputs, outputs, name = self.description.inputs, self.description.outputs, self.name
        integer = isinstance(threads, int | np.integer) and not isinstance(threads, bool)
        if threads is not None and not (integer and threads > 0):
            expected = "expected a whole number, 1 or more"
            raise KernelArgumentError(f"{name}: threads is {threads!r}; {expected}")
        arrays = [
            argument_arrays.real_array(name, a, x) for a, x in zip(inputs, given, strict=True)
        ]
        batch = argument_arrays.batch_shape(name, inputs, arrays)
        if out is None:
            new = partial(argument_arrays.new_output, name, batch=batch, columns=columns)
            results = tuple(map(new, outputs))
        else:
            results = argument_arrays.given_outputs(name, outputs, batch, out)
            batch = results[0].shape[: results[0].ndim - len(outputs[0].shape)]
        written = [np.asarray(x) for x in results]

        def run(inputs: Sequence[AnyArray], outputs: Sequence[AnyArray]) -> None:
            self._gufunc(*inputs, out=tuple(outputs))

        count = 1
        if prod(batch) * self._work > WORTH_THREADS:
            count = min(threads or threading.available(), threading.available())
        # writing an output must not change an input: NumPy takes care of that within one call
        if count > 1 and not any(np.may_share_memory(a, o) for a in arrays for o in written):
            threading.run_in_pieces(run, arrays, self._cores, written, batch, count)
        else:
            run(arrays, written)
        if out is None and not batch:
            results = tuple(x[()] for x in results)  # a number if it is one, as NumPy gives it
        found: Any = self._result_type(*results) if self._several else results[0]
        return cast("Results", found)

    @cached_property
    def _result_type(self) -> Any:
        return result_type(self.name, tuple(a.name for a in self.description.outputs))

    def _documentation(self) -> str:
        f = self.description
        call = ", ".join(f"{a.name}=0" if a.optional else a.name for a in f.inputs)
        lines = [f"{f.name}({call})", "", f.doc.strip(), "", "Inputs:"]
        lines += [f"    {a.described()}" for a in f.inputs]
        lines += ["Returns:", *(f"    {a.described()}" for a in f.outputs)]
        lines += ["", f"Broadcasts over leading axes: {self.signature}."]
        return "\n".join(lines)


@remembered
def _of_function(
    function: Function, lanes: int | None, boxes: tuple[str, ...] | None, within: tuple[str, ...]
) -> Kernel:
    """A kernel from another process: one for all of the same function."""
    return Kernel(function, lanes=lanes, boxes=boxes, within=within)


def signature(inputs: Sequence[Argument], outputs: Sequence[Argument]) -> str:
    """NumPy's notation for the shapes of one sample, such as `(7),(6)->(6,3)`."""

    def shapes(arguments: Sequence[Argument]) -> str:
        return ",".join(f"({','.join(map(str, a.shape))})" for a in arguments)

    return f"{shapes(inputs)}->{shapes(outputs)}"


def make_gufunc(code: MachineCode) -> tuple[Any, tuple[Any, ...]]:
    """The gufunc, and the objects that must live as long as it: NumPy keeps pointers to them."""
    inputs, outputs = code.description.inputs, code.description.outputs
    n = len(inputs) + len(outputs)
    functions, data = (ctypes.c_void_p * 1)(code.address), (ctypes.c_void_p * 1)(None)
    types = ctypes.create_string_buffer(bytes([np.dtype(np.float64).num] * n), n)
    texts = [
        ctypes.create_string_buffer(text.encode())
        for text in (code.description.name, "", signature(inputs, outputs))
    ]
    parts: tuple[Any, ...] = (functions, data, types, *texts)
    at = [ctypes.addressof(part) for part in parts]
    counts = 1, len(inputs), len(outputs), _NO_IDENTITY
    return _from_signature()(*at[:3], *counts, *at[3:5], 0, at[5]), (code, *parts)


def _from_signature() -> Any:
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    capsule = import_module("numpy._core._multiarray_umath")._UFUNC_API
    table = ctypes.cast(pointer_of(capsule, None), ctypes.POINTER(ctypes.c_void_p))
    pointer, number = ctypes.c_void_p, ctypes.c_int
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object, *[pointer] * 3, *[number] * 4, *[pointer] * 2, number, pointer
    )
    return prototype(table[_FROM_SIGNATURE])
