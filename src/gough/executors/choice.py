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

    from gough.executors.cluster import Scheduler

Executor: TypeAlias = "Workers | Client | Scheduler | int | str | None"
"""Nothing: in this process. A number: so many local processes. An address of a Dask scheduler,
a Scheduler with certificates or a Client: its cluster. Or workers that were opened before, for
several runs."""


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
    of_cluster = ("get_executor", "ca_file")  # as a Client has, and a Scheduler
    if isinstance(executor, str) or any(hasattr(executor, name) for name in of_cluster):
        from gough.executors.cluster import Cluster  # noqa: PLC0415  (only where it is used)

        return Cluster(executor)
    raise GoughError(
        f"executor is {executor!r:.80}; expected a number of processes, the address of a Dask "
        "scheduler, a distributed.Client, or one of gough.executors"
    )
