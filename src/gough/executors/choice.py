"""What an argument `executor=` means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from gough.errors import GoughError
from gough.executors.processes import Processes
from gough.executors.workers import Here, Workers

if TYPE_CHECKING:
    from distributed import Client

Executor: TypeAlias = "Workers | Client | int | str | None"
"""Nothing: in this process. A number: so many local processes. An address of a Dask scheduler,
or a Client: its cluster. Or workers that were opened before, for several runs."""


@contextmanager
def opened(executor: Executor, here: Callable[[], Workers] = Here) -> Iterator[Workers]:
    """The workers that are meant; whoever opened them before keeps them, others end here.

    `here` makes those of this process.
    """
    if isinstance(executor, Workers):
        yield executor
        return
    with _made(executor, here) as workers:
        yield workers


def _made(executor: Any, here: Callable[[], Workers]) -> Workers:
    if executor is None:
        return here()
    if isinstance(executor, int) and not isinstance(executor, bool):
        return Processes(executor)
    if isinstance(executor, str) or hasattr(executor, "get_executor"):  # as a Client has
        from gough.executors.cluster import Cluster  # noqa: PLC0415  (only where it is used)

        return Cluster(executor)
    raise GoughError(
        f"executor is {executor!r:.80}; expected a number of processes, the address of a Dask "
        "scheduler, a distributed.Client, or one of gough.executors"
    )
