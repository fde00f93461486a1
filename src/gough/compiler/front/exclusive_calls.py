"""CasADi's work with expressions, done by one thread at a time.

CasADi lets other threads run while it works, and has every constant once, for all threads. If one
thread frees the last expression with a constant while another asks for that number, the other gets
memory that is freed, and the process ends by a signal. So each call that makes or frees expressions
holds one lock, as llvmlite's calls of LLVM do. No other lock is taken inside, so that there are no
deadlocks. Functions and solvers that are called with numbers need none.
"""

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from inspect import isbuiltin
from numbers import Real
from threading import RLock

import casadi as ca
import numpy as np

_OF_NUMBERS = "FunctionBuffer", "Function_instruction_", "_function_buffer"
"""Starts of names of functions that compute with numbers, or read a single one."""

_lock = RLock()
_dropped: list[object] = []
"""Expressions that Python has no name of any more; the next call of CasADi frees them."""


def make_calls_exclusive() -> None:
    """Have expressions made and freed by one thread at a time, from now on."""
    classes, library = import_module("casadi"), import_module("casadi._casadi")
    for name, function in list(vars(library).items()):
        if isbuiltin(function) and not name.startswith(_OF_NUMBERS):
            exclusive = _called_with if name == "Function_call" else _exclusive
            setattr(library, name, exclusive(function))
    for kind in "SX", "SharedObject", "SerializerBase", "DeserializerBase":
        getattr(classes, kind).__del__ = _drop
    classes.Callback.__del__ = lambda _: None  # CasADi must not call it any more
    if hasattr(os, "register_at_fork"):  # a child has no other threads, which would finish a call
        acquire, release = _lock.acquire, _lock.release
        os.register_at_fork(before=acquire, after_in_parent=release, after_in_child=release)


def _drop(self: object, dropped: list[object] = _dropped) -> None:  # names are gone at the end
    dropped.append(self.__dict__.pop("this", None))


def _exclusive(function: Callable[..., object]) -> Callable[..., object]:
    def call(*arguments: object) -> object:
        with _lock:
            if _dropped:
                _dropped.clear()
            return function(*arguments)

    return call


def _called_with(function: Callable[..., object]) -> Callable[..., object]:
    exclusive = _exclusive(function)

    def call(called: ca.Function, given: Iterable[object], *options: object) -> object:
        values = given.values() if isinstance(given, dict) else given
        return (function if all(map(_is_number, values)) else exclusive)(called, given, *options)

    return call


def _is_number(x: object) -> bool:
    """Whether it is a number, or numbers, without symbols among them."""
    if isinstance(x, list | tuple):
        return all(map(_is_number, x))
    return x.dtype != object if isinstance(x, np.ndarray) else isinstance(x, ca.DM | Real)
