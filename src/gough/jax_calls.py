"""Functions of arrays that compiled programs of JAX call, through XLA's foreign functions.

A target of XLA is a function of C that gets one record: buffers in, buffers out, and a table of
XLA's own functions. Python's ctypes makes such a function of a Python one, so that nothing has to
be compiled. The records are those of `xla/ffi/api/c_api.h`, which JAX installs, as far as they are
read here.
"""

from __future__ import annotations

import ctypes as c
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from math import prod
from typing import Any, ClassVar

import jax
import numpy as np

Compute = Callable[..., Sequence[Any]]
"""From arrays of NumPy, or of CuPy on a GPU, to several of them."""

_METADATA, _INTERNAL = 1, 13
"""Kind of the extension by which XLA asks for a version, and code of an error in a handler."""
_TYPES = {11: "float32", 12: "float64"}
"""Types of numbers of buffers."""


class _Record(c.Structure):
    _fields_: ClassVar[Any] = (("struct_size", c.c_size_t), ("extension", c.c_void_p))


class _Version(_Record):
    _fields_ = (("major", c.c_int), ("minor", c.c_int))


class _Metadata(c.Structure):
    _fields_ = (("struct_size", c.c_size_t), ("version", _Version), ("traits", c.c_uint32))


class _Extension(c.Structure):
    _fields_ = (
        *(("struct_size", c.c_size_t), ("kind", c.c_int), ("next", c.c_void_p)),
        ("metadata", c.POINTER(_Metadata)),
    )


class _Buffer(_Record):
    _fields_ = (
        *(("type", c.c_int), ("data", c.c_void_p)),
        *(("rank", c.c_int64), ("lengths", c.POINTER(c.c_int64))),
    )


class _Buffers(_Record):
    _fields_ = (
        *(("count", c.c_int64), ("types", c.c_void_p)),
        ("buffers", c.POINTER(c.POINTER(_Buffer))),
    )


class _Error(_Record):
    _fields_ = (("message", c.c_char_p), ("code", c.c_int))


class _Stream(_Record):
    _fields_ = (("context", c.c_void_p), ("stream", c.c_void_p))


class _Xla(_Record):
    _fields_ = (
        *(("version", _Version), ("internal", c.c_void_p)),
        ("error_create", c.CFUNCTYPE(c.c_void_p, c.POINTER(_Error))),
        *(("error_message", c.c_void_p), ("error_destroy", c.c_void_p)),
        ("register", c.c_void_p),
        ("stream_get", c.CFUNCTYPE(c.c_void_p, c.POINTER(_Stream))),
    )


class _CallFrame(_Record):
    _fields_ = (
        *(("xla", c.POINTER(_Xla)), ("context", c.c_void_p), ("stage", c.c_int)),
        *(("taken", _Buffers), ("given", _Buffers)),
    )


_Handler = c.CFUNCTYPE(c.c_void_p, c.POINTER(_CallFrame))
_kept: list[Any] = []
"""Handlers: XLA has their addresses for as long as the process lives."""
_numbers = count()


def register(name: str, compute: Compute) -> str:
    """Return the name of a new target of XLA that computes on arrays where they are."""
    target = f"gough_{name}_{next(_numbers)}"
    for platform, run in (("cpu", _on_processors), ("CUDA", _on_gpu)):
        function = _Handler(partial(_handle, partial(run, compute)))
        _kept.append(function)
        jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(function), platform=platform)
    return target


def _handle(run: Callable[[_CallFrame], None], frame: Any) -> int | None:
    """Run a call of XLA, and return its error, or none."""
    call = frame.contents
    if call.extension:
        asked = c.cast(call.extension, c.POINTER(_Extension)).contents
        if asked.kind == _METADATA:  # asked for once, when it is registered
            about = asked.metadata.contents
            about.version.major, about.version.minor, about.traits = 0, 1, 0
            return None
    try:
        run(call)
    except Exception as error:  # none may pass through XLA
        words = f"{type(error).__name__}: {error}".encode()
        made = _Error(c.sizeof(_Error), None, words, _INTERNAL)
        created: int = call.xla.contents.error_create(c.byref(made))
        return created
    return None


def _on_processors(compute: Compute, call: _CallFrame) -> None:
    def array(buffer: _Buffer) -> Any:
        shape, dtype, size = _form(buffer)
        memory: Any = (c.c_char * size).from_address(buffer.data or 0)
        return np.frombuffer(memory, dtype).reshape(shape)

    _write(call, compute, array)


def _on_gpu(compute: Compute, call: _CallFrame) -> None:
    import cupy  # noqa: PLC0415  (an extra)

    def array(buffer: _Buffer) -> Any:
        shape, dtype, size = _form(buffer)
        memory = cupy.cuda.UnownedMemory(buffer.data or 0, size, None)
        return cupy.ndarray(shape, dtype, cupy.cuda.MemoryPointer(memory, 0))

    asked = _Stream(c.sizeof(_Stream), None, call.context, None)
    call.xla.contents.stream_get(c.byref(asked))
    with cupy.cuda.ExternalStream(asked.stream or 0):
        _write(call, compute, array)


def _write(call: _CallFrame, compute: Compute, array: Callable[[_Buffer], Any]) -> None:
    taken, given = (
        [array(some.buffers[k].contents) for k in range(some.count)]
        for some in (call.taken, call.given)
    )
    for place, found in zip(given, compute(*taken), strict=True):
        place[...] = found


def _form(buffer: _Buffer) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Return a buffer's shape, type of numbers, and size [bytes]."""
    shape, dtype = tuple(buffer.lengths[: buffer.rank]), np.dtype(_TYPES[buffer.type])
    return shape, dtype, prod(shape) * dtype.itemsize
