"""Work on other threads: large batches on all cores, and what must not be interrupted."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any, TypeVar

import numpy as np

from gough.arrays import AnyArray

THREADS_VARIABLE = "GOUGH_THREADS"
PIECES_PER_THREAD = 8

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
    """How many threads a large batch may use: the environment variable, or the cores we have."""
    if _ALONE.get():
        return 1
    try:
        return max(1, int(os.environ[THREADS_VARIABLE]))
    except (KeyError, ValueError):
        pass
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not every system can say
        return os.cpu_count() or 1


def undisturbed(work: Callable[[], Result]) -> Result:
    """Do what an interrupt must not end half-way: Python raises one in its main thread only."""
    if threading.current_thread() is not threading.main_thread():
        return work()
    return _pool(1).submit(work).result()


def run_in_pieces(
    run: Callable[[Sequence[AnyArray], Sequence[AnyArray]], Any],
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

    def task(k: int) -> None:
        part = slice(edges[k], edges[k + 1])
        cut = [piece(a, c, part) for a, c in zip((*arrays, *outputs), cores, strict=True)]
        run(cut[: len(arrays)], cut[len(arrays) :])

    pieces = iter(range(len(edges) - 1))

    def work() -> None:
        for k in pieces:  # all workers take from the same iterator
            task(k)

    others = [_pool(threads - 1).submit(work) for _ in range(threads - 1)]
    try:
        work()
    finally:
        for _ in pieces:  # nobody begins another one if this thread was interrupted
            pass
    for other in others:
        other.result()


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="gough")


if hasattr(os, "register_at_fork"):  # a forked child has none of its parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)
