"""Local processes, started afresh: they share no memory, so that Python's lock is no bound."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from threading import Lock, Thread
from typing import TypeVar

from gough.errors import GoughError
from gough.executors.workers import Workers

MOST = 1024
_not_at_work = Lock()
"""Lock of a process: free while it computes, held while it waits, or sends what it found."""

T = TypeVar("T")


class Processes(Workers):
    """Processes on this machine. In a `with` they serve several runs.

    A script that uses them needs `if __name__ == "__main__":` before what it does, as each process
    imports it.
    """

    lost = (BrokenProcessPool,)

    def __init__(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST:
            raise GoughError(f"workers is {count!r}; expected a whole number from 1 to {MOST}")
        self._count = count
        self._open()

    def __repr__(self) -> str:
        return f"<gough executor: {self._count} processes>"

    @property
    def slots(self) -> int:
        """Number of processes."""
        return self._count

    def submit(self, work: Callable[..., T], *arguments: object) -> Future[T]:
        """Have it done by a process."""
        try:
            with _interrupts_kept_from_new_processes():
                return self._pool.submit(_interruptible, work, *arguments)
        except BrokenProcessPool as error:
            failed: Future[T] = Future()
            failed.set_exception(error)
            return failed

    def replace_lost(self) -> None:
        """New processes for all: where one was killed, Python ends the others."""
        self.close()
        self._open()

    def close(self) -> None:
        """End those that are at work, too: nobody waits for what they would find."""
        self._held.close()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _open(self) -> None:
        context = multiprocessing.get_context("spawn")
        pool_closed, self._held = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            self._count, mp_context=context, initializer=_begin, initargs=(pool_closed,)
        )


@contextmanager
def _interrupts_kept_from_new_processes() -> Iterator[None]:
    """Let processes that are started meanwhile hear of no Ctrl-C, also before they `_begin`."""
    if not hasattr(signal, "pthread_sigmask"):  # as on Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(pool_closed: Connection) -> None:
    """Ignore Ctrl-C, which the parent process handles, and end when it ends or closes the pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _not_at_work.acquire()
    Thread(target=_end_with_pool, args=(pool_closed,), name="gough-end", daemon=True).start()


def _interruptible(work: Callable[..., T], *arguments: object) -> T:
    """Do work, during which the process may end."""
    _not_at_work.release()
    try:
        return work(*arguments)
    finally:
        _not_at_work.acquire()


def _end_with_pool(pool_closed: Connection) -> None:
    """End while at work, not in the middle of a message, for the rest of which the pool would wait.

    Where there is no pool any more, end at once. `pool_closed` becomes readable when its
    other end is closed.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None, "a process of a pool has one"
    if parent.sentinel not in wait([pool_closed, parent.sentinel]):
        _not_at_work.acquire()
    os._exit(1)
