"""Work on other threads: large batches on all cores, what must not be interrupted, deep stacks.

Machine code keeps what does not fit into registers on the stack of the thread that calls it, and
nobody checks whether it has room there: without, the process ends. Threads made here have it.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from gough.arrays import AnyArray

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

THREADS_VARIABLE = "GOUGH_THREADS"
PIECES_PER_THREAD = 8

DEEP = 2**26
"""Minimum stack of a thread that is made here [bytes]; memory that is not used is not taken."""
_OF_LLVM = 2**20
"""Stack that compiling takes [bytes]."""
_SHARE = 3
"""This part of the stack of a thread of others is there for machine code."""

Result = TypeVar("Result")

_ALONE: ContextVar[bool] = ContextVar("alone", default=False)


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Have no batch use a second thread here: the other cores have work of their own."""
    before = _ALONE.set(True)
    try:
        yield
    finally:
        _ALONE.reset(before)


def available() -> int:
    """Return the number of threads of a large batch: the environment variable, or the cores."""
    if _ALONE.get():
        return 1
    with suppress(KeyError, ValueError):
        return max(1, int(os.environ[THREADS_VARIABLE]))
    with suppress(AttributeError):  # not every system can say
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def undisturbed(work: Callable[[], Result]) -> Result:
    """Do what an interrupt must not end half-way: Python raises one in its main thread only."""
    if threading.current_thread() is not threading.main_thread():
        return with_room(_OF_LLVM, work)
    return _submitted("undisturbed", work).result()


def has_room(stack: int) -> bool:
    """Whether the stack of this thread has room for so many bytes."""
    try:
        room: int = _HERE.room
    except AttributeError:
        room = _HERE.room = _stack_size() // _SHARE
    return stack <= room


def with_room(stack: int, work: Callable[[], Result]) -> Result:
    """Do work that takes so many bytes of the stack here, or on a thread that has them."""
    if has_room(stack):
        return work()
    context = copy_context()
    return _submitted("deep", lambda: context.run(work), os.cpu_count() or 1, stack).result()


def run_in_pieces(
    run: Callable[[Sequence[AnyArray], Sequence[AnyArray]], None],
    arrays: Sequence[AnyArray],
    cores: Sequence[int],
    outputs: Sequence[AnyArray],
    batch: tuple[int, ...],
    threads: int,
) -> None:
    """Call `run(inputs, outputs)` on pieces of a batch, on so many threads, this one included.

    A batch is cut along its longest axis. `cores` says how many inner axes each input and then
    each output has: those are never cut.
    """
    axis = int(np.argmax(batch))
    edges = np.linspace(0, batch[axis], threads * PIECES_PER_THREAD + 1).astype(int)
    from_end = len(batch) - axis

    def piece(array: AnyArray, core: int, part: slice) -> AnyArray:
        place = array.ndim - core - from_end
        if place < 0 or array.shape[place] == 1:
            return array  # it is repeated along this axis
        return array[(slice(None),) * place + (part,)]

    pieces = iter(range(len(edges) - 1))

    def work() -> None:
        for k in pieces:  # all workers take from the same iterator
            part = slice(edges[k], edges[k + 1])
            cut = [piece(a, c, part) for a, c in zip((*arrays, *outputs), cores, strict=True)]
            run(cut[: len(arrays)], cut[len(arrays) :])

    others = [_submitted("pieces", work, threads - 1) for _ in range(threads - 1)]
    try:
        work()
    finally:
        for _ in pieces:  # nobody begins another one if this thread was interrupted
            pass
    for other in others:
        other.result()


_HERE = threading.local()
_MAKING = threading.Lock()


def _submitted(
    purpose: str, work: Callable[[], Result], threads: int = 1, stack: int = 0
) -> Future[Result]:
    """Give work to one of so many threads with room, which wait for no others of a purpose."""
    deep = max(DEEP, 1 << (2 * stack).bit_length())
    with _MAKING:  # a pool makes a thread when it is given work
        before = threading.stack_size(deep)
        try:
            return _pool(purpose, threads, deep).submit(work)
        finally:
            threading.stack_size(before)


@cache
def _pool(purpose: str, threads: int, stack: int) -> ThreadPoolExecutor:
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  (slow to import)

    def begin() -> None:
        _HERE.room = stack // 2

    return ThreadPoolExecutor(threads, thread_name_prefix=f"gough {purpose}", initializer=begin)


def _stack_size() -> int:
    """The size of this thread's stack [bytes]; 0 where the system does not say."""
    size, place = ctypes.c_size_t(), ctypes.c_size_t()
    if sys.platform == "win32":
        ctypes.windll.kernel32.GetCurrentThreadStackLimits(ctypes.byref(place), ctypes.byref(size))
        return size.value - place.value
    library = ctypes.CDLL(None)
    library.pthread_self.restype = ctypes.c_void_p
    this = ctypes.c_void_p(library.pthread_self())
    if sys.platform == "darwin":
        library.pthread_get_stacksize_np.restype = ctypes.c_size_t
        return int(library.pthread_get_stacksize_np(this))
    attributes = ctypes.create_string_buffer(512)
    if not hasattr(library, "pthread_getattr_np") or library.pthread_getattr_np(this, attributes):
        return 0
    library.pthread_attr_getstack(attributes, ctypes.byref(place), ctypes.byref(size))
    library.pthread_attr_destroy(attributes)
    return size.value


if hasattr(os, "register_at_fork"):  # a forked child has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
