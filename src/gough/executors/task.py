"""Work of a worker on a chunk: see that it is the same Gough, find the job, do it.

A job goes with every chunk as bytes, and a process reads equal bytes once: so nothing needs to be
put on the workers beforehand, and one that comes later, or for another that was killed, knows all.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.metadata import version
from time import perf_counter
from typing import Any, NamedTuple

from gough._version import __version__
from gough.compiler.identity import LIBRARIES, sources
from gough.errors import GoughError

_SET_BY_DASK = {"MALLOC_TRIM_THRESHOLD_": "65536"}
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Names in mallopt(3) of the free bytes kept at the top, and of arrays with their own pages."""
_LARGEST = 32 * 2**20
"""Bytes up to which malloc's own bounds grow; it keeps twice as many."""
_JOBS = 16
"""Number of jobs that a process has at hand."""

Versions = dict[str, str]
"""Names and versions."""


class Done(NamedTuple):
    """A chunk's result, and what it took [s]: before the work began, and the work."""

    result: Any
    set_up: float
    seconds: float


def run_here(job: Callable[..., object], *inputs: object) -> Done:
    """A chunk in this process."""
    begun = perf_counter()
    return Done(job(*inputs), 0.0, perf_counter() - begun)


def run_sent(expected: Versions, job: bytes, *inputs: object) -> Done:
    """A chunk in a worker's process, by a Gough that is the same as where the job comes from."""
    begun = perf_counter()
    keep_memory()
    refuse_others(versions_here(), "a worker", expected)
    work = _loaded(job)
    set_up = perf_counter() - begun
    return run_here(work, *inputs)._replace(set_up=set_up)


@cache
def versions_here() -> Versions:
    """Versions that bits depend on: Gough, its sources, and the libraries that it computes with."""
    libraries = {name: version(name) for name in (*LIBRARIES, "llvmlite")}
    return {"gough": __version__, "sources": (sources() or "unknown")[:12], **libraries}


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


@lru_cache(maxsize=_JOBS)
def _loaded(job: bytes) -> Callable[..., object]:
    work: Callable[..., object] = pickle.loads(job)
    return work


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
