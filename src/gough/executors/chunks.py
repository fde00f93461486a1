"""Work in chunks: a pure function of a stretch of its inputs, done by somebody, in any order.

Chunks are sized by time: the first are single items, and what these take says how many of the
next go together. So a result must not depend on which items are computed together.
"""

import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from gough.arrays import AnyArray
from gough.disk.tables import table_content
from gough.errors import GoughError
from gough.executors.record import ChunkRecord
from gough.executors.workers import (
    Done,
    Here,
    Processes,
    Workers,
    alone,
    run_here,
    run_received,
    versions_here,
)
from gough.progress import progress_bar

if TYPE_CHECKING:
    from distributed import Client

    from gough.executors.cluster import Scheduler


Executor: TypeAlias = "Workers | Client | Scheduler | int | str | None"
"""Nothing: in this process. A number: so many local processes. An address of a Dask scheduler,
a Scheduler with certificates or a Client: its cluster. Or workers that were opened before, for
several runs."""


Rows = Callable[[range], Mapping[str, Any]]


SHORTEST = 0.5  # minimum time of a chunk [s]
OF_A_SLOT = 0.01
"""Minimum time of a chunk for each slot [s]: all together then finish a hundred chunks a second at
most, for which a scheduler, which takes two milliseconds for each, works a fifth of the time."""
GROWTH = 8  # a chunk has at most so many times as many items as any before
LEAST_SHARE = 0.1
"""Towards the end chunks get shorter, so that all slots end together, down to this share: where
there are several."""
ATTEMPTS = 3  # a chunk is given up after this many workers died computing it


Items: TypeAlias = "Sequence[Any] | AnyArray"  # something that can be cut, as arrays and ranges can


class Chunk(NamedTuple):
    """Result of some items."""

    items: range
    """Their places among all."""
    result: Any
    set_up: float
    """Time that a worker took before it began [s]."""
    seconds: float
    """Time that the work took [s]."""


def in_chunks(
    job: Callable[..., object],
    *inputs: Items,
    executor: Executor = None,
    parts: Sequence[range] | None = None,
    here: int | None = None,
) -> Iterator[Chunk]:
    """Compute job(*stretches of the inputs) for all items, chunk by chunk as they come.

    `inputs` are alike long; `parts` are the items that are wanted. For other processes the job can
    be pickled. On this thread alone `here` so many go together, or all. Whoever asks for no more
    chunks ends the work, and so does an error of the job.
    """
    wanted = [range(len(inputs[0]))] if parts is None else parts
    with opened(executor) as workers:
        task: Callable[..., Done] = partial(run_here, job)
        if not workers.here:
            task = partial(alone, run_received, versions_here(), pickle.dumps(job))
        yield from _Run(workers, task, inputs, deque(filter(None, wanted)), here).chunks()


def for_each(
    job: Callable[[Any], Any], items: Items, *, title: str, executor: Executor = None
) -> list[Any]:
    """Return job(item) for every item, in the order of the items; a bar has that title."""
    found: dict[int, list[Any]] = {}
    with progress_bar(title, len(items)) as advance:
        for chunk in in_chunks(partial(_each, job), items, executor=executor, here=1):
            found[chunk.items.start] = chunk.result
            advance(len(chunk.items))
    return [result for first in sorted(found) for result in found[first]]


def _each(job: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    return [job(item) for item in items]


class _Sizes:
    """Numbers of items that go together, by the time that those before have taken."""

    def __init__(self) -> None:
        self._largest, self._of_an_item = 1, 0.0

    def next(self, slots: int, left: int) -> int:
        """For so many slots, with so many items left."""
        if not self._of_an_item:
            return 1
        aim = max(SHORTEST, OF_A_SLOT * slots) / self._of_an_item
        share = max(left / (2 * slots), LEAST_SHARE * aim) if slots > 1 else left
        return ceil(min(aim, share, GROWTH * self._largest))

    def learn(self, items: int, seconds: float) -> None:
        """Learn the time that a chunk has taken: the last ones count most."""
        of_an_item = max(seconds, 1e-9) / items
        self._of_an_item = (self._of_an_item + of_an_item) / 2 if self._of_an_item else of_an_item
        self._largest = max(self._largest, items)


@dataclass
class _Run:
    """Which items are still to do, and which are under way."""

    workers: Workers
    task: Callable[..., Done]
    inputs: Sequence[Items]
    todo: deque[range]
    here: int | None
    under_way: dict[Future[Done], range] = field(default_factory=dict)
    ended: Counter[int] = field(default_factory=Counter)
    sizes: _Sizes = field(default_factory=_Sizes)

    def chunks(self) -> Iterator[Chunk]:
        """All of them as they come."""
        try:
            while self.todo or self.under_way:
                self._hand_out()
                yield from self._collected()
        finally:
            for future in self.under_way:
                future.cancel()

    def _hand_out(self) -> None:
        slots = self.workers.slots
        while self.todo and len(self.under_way) < self.workers.ahead * slots:
            left = sum(map(len, self.todo))
            size = self.sizes.next(slots, left) if self.workers.timed else self.here or left
            items = self._taken(size)
            cut = (part[items.start : items.stop] for part in self.inputs)
            self.under_way[self.workers.submit(self.task, *cut)] = items

    def _taken(self, count: int) -> range:
        """The next items that lie together, at most so many."""
        part = self.todo.popleft()
        if len(part) > count:
            self.todo.appendleft(part[count:])
        return part[:count]

    def _collected(self) -> Iterator[Chunk]:
        for future in wait(self.under_way, return_when=FIRST_COMPLETED).done:
            try:
                done = future.result()
            except self.workers.lost:
                self._try_again()
                return
            except Exception as error:
                if reason := self.workers.explained(error):
                    raise reason from None
                raise
            items = self.under_way.pop(future)
            self.sizes.learn(len(items), done.seconds)
            yield Chunk(items, *done)

    def _try_again(self) -> None:
        """Have other workers do what is under way: nobody knows which of it ended the first."""
        for items in self.under_way.values():
            self.ended[items.start] += 1
            if self.ended[items.start] >= ATTEMPTS:
                raise GoughError(
                    f"a worker has ended {ATTEMPTS} times while items {items.start} to "
                    f"{items.stop - 1} were under way; expected enough memory for them and, in a "
                    'script, if __name__ == "__main__": before what it does'
                ) from None
            self.todo.appendleft(items)
        self.under_way.clear()
        self.workers.replace_lost()


def sweep(
    rows: Rows,
    count: int,
    record: ChunkRecord,
    *,
    executor: Executor = None,
    here: int | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> None:
    """Have rows(range) give columns for all items 0 to count - 1 that the record lacks.

    `rows` is a pure function: the rows of an item do not depend on the others. Memory holds the
    chunks that are under way, and those of a record without a folder. `advance` gets the number of
    items done: first those of the record. Without an executor this thread does the work, `here`
    items at a time, or as many as take half a second.
    """
    advance(record.done)
    parts, job = record.missing(count), partial(_as_table, rows)
    with opened(executor, partial(Here, timed=not here)) as workers:
        for chunk in in_chunks(job, range(count), executor=workers, parts=parts, here=here):
            record.add(chunk.items, chunk.result)
            advance(len(chunk.items))


def _as_table(rows: Rows, items: range) -> bytes:
    """The rows as the content of a Parquet file, made where they are computed."""
    return table_content(rows(items))


@contextmanager
def opened(executor: Executor, here: Callable[[], Workers] = Here) -> Iterator[Workers]:
    """The workers meant, or those that `here` makes; whoever opened them before keeps them."""
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
