"""Local processes, started afresh: they share no memory, so that Python's lock is no bound."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from threading import Thread
from typing import Any

from gough.errors import GoughError
from gough.executors.workers import Workers

MOST = 1024


class Processes(Workers):
    """So many processes on this machine. In a `with` they serve several runs.

    A script that uses them needs `if __name__ == "__main__":` before what it does, as each process
    imports it.
    """

    lost = (BrokenProcessPool,)

    def __init__(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST:
            raise GoughError(f"workers is {count!r}; expected a whole number from 1 to {MOST}")
        self._count = count
        self._pool = _pool(count)

    def __repr__(self) -> str:
        return f"<gough executor: {self._count} processes>"

    @property
    def slots(self) -> int:
        """As many as there are processes."""
        return self._count

    def submit(self, work: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have it done by a process."""
        try:
            return self._pool.submit(work, *arguments)
        except BrokenProcessPool as error:
            failed: Future[Any] = Future()
            failed.set_exception(error)
            return failed

    def replace_lost(self) -> None:
        """New processes for all: where one was killed, Python ends the others."""
        self.close()
        self._pool = _pool(self._count)

    def close(self) -> None:
        """Wait for those that are at work."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _pool(count: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(count, mp_context=context, initializer=_begin)


def _begin() -> None:
    """Leave interrupts to the process that has the work, and end when it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, name="gough-parent", daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "a process of a pool has one"
    parent.join()
    os._exit(1)
