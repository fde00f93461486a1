"""A NumPy generalised ufunc from the address of a compiled loop.

NumPy has no Python function for this; its C function is reached through the table that NumPy
publishes for extension modules (the capsule `_UFUNC_API`, whose order never changes).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from gough.compiler.front.argument import Argument
from gough.compiler.native.machine_code import MachineCode

_FROM_SIGNATURE = 31  # PyUFunc_FromFuncAndDataAndSignature in NumPy's table
_NO_IDENTITY = -1


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
    ufunc = _from_signature()(
        ctypes.addressof(functions),
        ctypes.addressof(data),
        ctypes.addressof(types),
        1,
        len(inputs),
        len(outputs),
        _NO_IDENTITY,
        ctypes.addressof(texts[0]),
        ctypes.addressof(texts[1]),
        0,
        ctypes.addressof(texts[2]),
    )
    return ufunc, (code, functions, data, types, *texts)


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
