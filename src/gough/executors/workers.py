"""Workers: they have slots, each of which computes one chunk at a time.

They are this thread, threads, or local processes; of a cluster see `cluster`. What is handed out is
a function of a module with arguments that can be pickled; what comes back is a Future of
`concurrent.futures`. To other processes a job goes with every chunk as bytes, and a process reads
equal bytes once: so nothing needs to be put on workers beforehand, and one that comes later, or for
another that was killed, knows all.
"""

import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache, lru_cache
from importlib.metadata import version
from multiprocessing.connection import Connection, wait
from threading import Lock, Thread
from time import perf_counter
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from gough._version import __version__
from gough.compiler.identity import LIBRARIES, sources
from gough.compiler.native.threads import on_one_thread
from gough.errors import GoughError

_SET_BY_DASK = {"MALLOC_TRIM_THRESHOLD_": "65536"}
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Names in mallopt(3) of the free bytes kept at the top, and of arrays with their own pages."""
_LARGEST = 32 * 2**20  # bytes up to which malloc's own bounds grow; it keeps twice as many
_JOBS = 16  # number of jobs that a process has at hand
Versions = dict[str, str]
MOST = 61 if sys.platform == "win32" else 1024
"""Maximum number of processes: on Windows as many as can be waited for."""
_not_at_work = Lock()
"""Lock of a process: free while it computes, held while it waits, or sends what it found."""
_one_chunk = Lock()  # lock of a worker's process: equations are traced by one thread at a time
T = TypeVar("T")


class Workers(ABC):
    """Somebody who does work: `with` gives them back when they are not needed any more."""

    here: ClassVar[bool] = False
    """Whether they are in this process, so that nothing has to be sent."""
    ahead: ClassVar[int] = 2
    """Number of chunks that each slot is given: one is worked on, the next is there."""
    timed: bool = True
    """Whether chunks are sized by time; otherwise as many items as may go together."""
    lost: ClassVar[tuple[type[Exception], ...]] = ()
    """Errors of a Future whose worker has ended, so that others should try: see `replace_lost`."""

    _count = 1

    @property
    def slots(self) -> int:
        """Number of chunks that are worked on at once, now."""
        return self._count

    @abstractmethod
    def submit(self, work: Callable[..., T], *arguments: object) -> Future[T]:
        """Have work(*arguments) done by somebody."""

    def replace_lost(self) -> None:  # noqa: B027  (most lose nobody)
        """Have others in the place of those who are lost."""

    def explained(self, error: Exception) -> GoughError | None:
        """Explain a Future's error, if it is not the work's own."""
        return None

    def close(self) -> None:  # noqa: B027  (of this thread there is nobody to send away)
        """No more work: what nobody has begun is dropped."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Here(Workers):
    """This thread: work is done when it is handed out, and large batches have all cores.

    No other threads share work: they would wait for CasADi, which traces for one at a time.
    """

    here, ahead = True, 1

    def __init__(self, *, timed: bool = False) -> None:
        self.timed = timed

    def submit(self, work: Callable[..., T], *arguments: object) -> Future[T]:
        """Do it now."""
        done: Future[T] = Future()
        done.set_result(work(*arguments))
        return done


def alone(work: Callable[..., T], *arguments: object) -> T:
    """Do work on one thread: other slots have the other cores."""
    with on_one_thread():
        return work(*arguments)


class Processes(Workers):
    """Processes on this machine. In a `with` they serve several runs.

    A script that uses them needs `if __name__ == "__main__":` before what it does, as each process
    imports it.
    """

    lost = (BrokenProcessPool,)

    def __init__(self, count: int) -> None:
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST:
            raise GoughError(f"workers is {count!r}; expected a whole number from 1 to {MOST}")
        if getattr(multiprocessing.current_process(), "_inheriting", False):
            sys.exit(1)  # a process that imports an unguarded script: the first one says what to do
        self._count = count
        self._open()

    def __repr__(self) -> str:
        return f"<gough executor: {self._count} processes>"

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


class Done(NamedTuple):
    """A chunk's result, and what it took [s]: before the work began, and the work."""

    result: Any
    set_up: float
    seconds: float


def run_here(job: Callable[..., object], *inputs: object) -> Done:
    """A chunk in this process."""
    start = perf_counter()
    return Done(job(*inputs), 0.0, perf_counter() - start)


def run_received(expected: Versions, job: bytes, *inputs: object) -> Done:
    """A chunk in a worker's process, by a Gough that is the same as where the job comes from."""
    with _one_chunk:
        start = perf_counter()
        keep_memory()
        refuse_others(versions_here(), "a worker", expected)
        work, set_up = _loaded(job), perf_counter() - start
        return run_here(work, *inputs)._replace(set_up=set_up)


@cache
def versions_here() -> Versions:
    """Versions that bits depend on: Gough, its sources, and the libraries that it computes with."""
    libraries = {name: version(name) for name in (*LIBRARIES, "llvmlite")}
    read = sources()
    return {"gough": __version__, "sources": read.digest[:12] if read else "unknown", **libraries}


def refuse_others(found: Versions | BaseException, who: str, expected: Versions) -> None:
    """Refuse a worker whose numbers might be others; GoughError with what differs."""
    if isinstance(found, ModuleNotFoundError):
        raise GoughError(f"{who} has no Gough: {found}; expected gough {expected['gough']}")
    if isinstance(found, BaseException):
        raise GoughError(f"{who} cannot say its version: {found}")
    differ = [name for name in expected if found.get(name) != expected[name]]
    if differ:
        has = ", ".join(f"{name} {found.get(name, 'none')}" for name in differ)
        wanted = ", ".join(f"{name} {expected[name]}" for name in differ)
        raise GoughError(f"{who} has {has}; expected {wanted}, as here, for the same numbers")


_loaded = lru_cache(maxsize=_JOBS)(pickle.loads)


@cache
def keep_memory() -> None:
    """Have this process keep freed memory, if Dask alone has said that it should not.

    Dask starts workers with a setting of glibc's malloc by which freed memory goes back to the
    system at once. Each array then lies in new pages, and a study spends a third of its time on
    having these made. Here malloc gets the bounds that it comes to by itself where nobody sets any.
    """
    if sys.platform == "linux" and _SET_BY_DASK.items() <= os.environ.items():
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # only glibc has it
        if mallopt is not None:
            mallopt(_MMAP_THRESHOLD, _LARGEST)
            mallopt(_TRIM_THRESHOLD, 2 * _LARGEST)
