"""Work in chunks: a pure function of a stretch of its inputs, done by somebody, in any order.

Chunks are sized by time: the first are single items, and what these take says how many of the
next go together. So a result must not depend on which items are computed together.
"""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any, Protocol

from gough.errors import GoughError
from gough.executors.choice import Executor, opened
from gough.executors.task import Done, run_here, run_sent, told
from gough.executors.workers import Workers, alone

SHORTEST = 0.5
"""So long [s] a chunk should take at least."""
OF_A_SLOT = 0.01
"""And so long [s] for each slot: all together then finish a hundred chunks a second at most, for
which a scheduler, which takes about two milliseconds for each, is at work a fifth of the time."""
GROWTH = 8
"""A chunk has at most so many times as many items as any before."""
LEAST_SHARE = 0.1
"""Towards the end chunks get shorter, so that all slots end together, down to this share: where
there are several."""
ATTEMPTS = 3
"""So many workers may end at a chunk before it counts as the reason."""


class Items(Protocol):
    """What can be cut, as arrays and ranges can."""

    def __len__(self) -> int: ...
    def __getitem__(self, part: slice, /) -> Any: ...


@dataclass(frozen=True)
class Chunk:
    """What came of the items first, first + 1, ..., last - 1."""

    first: int
    last: int
    result: Any
    set_up: float
    """What a worker took before it began [s]."""
    seconds: float
    """What the work took [s]."""

    @property
    def items(self) -> range:
        """The places of the items among all."""
        return range(self.first, self.last)


def in_chunks(
    job: Callable[..., Any],
    *inputs: Items,
    executor: Executor = None,
    parts: Sequence[range] | None = None,
    here: int | None = None,
) -> Iterator[Chunk]:
    """What job(*stretches of the inputs) gives, for all items, chunk by chunk as they come.

    `inputs` are alike long; `parts` are the items that are wanted. For other processes the job can
    be pickled. On this thread alone `here` so many go together, or all. Whoever asks for no more
    chunks ends the work, and so does an error of the job.
    """
    wanted = [range(len(inputs[0]))] if parts is None else parts
    with opened(executor) as workers:
        yield from _Run(workers, job, inputs, wanted, here).chunks()


class _Run:
    """Which items are still to do, and which are under way."""

    def __init__(
        self,
        workers: Workers,
        job: Callable[..., Any],
        inputs: Sequence[Items],
        parts: Sequence[range],
        here: int | None,
    ) -> None:
        self._workers, self._inputs = workers, inputs
        if workers.here:
            self._task: Callable[..., Done] = partial(run_here, job)
        else:
            self._task = partial(alone, run_sent, told(), pickle.dumps(job))
        self._todo = deque(part for part in parts if part)
        self._under_way: dict[Future[Done], range] = {}
        self._ended: Counter[int] = Counter()
        self._sizes, self._here = _Sizes(), here

    def chunks(self) -> Iterator[Chunk]:
        """All of them as they come."""
        try:
            while self._todo or self._under_way:
                self._hand_out()
                yield from self._collected()
        finally:
            for future in self._under_way:
                future.cancel()

    def _hand_out(self) -> None:
        slots = self._workers.slots
        while self._todo and len(self._under_way) < self._workers.ahead * slots:
            left = sum(map(len, self._todo))
            size = self._sizes.next(slots, left) if self._workers.timed else self._here or left
            items = self._taken(size)
            cut = (part[items.start : items.stop] for part in self._inputs)
            self._under_way[self._workers.submit(self._task, *cut)] = items

    def _taken(self, count: int) -> range:
        """The next items that lie together, at most so many."""
        part = self._todo.popleft()
        if len(part) > count:
            self._todo.appendleft(part[count:])
        return part[:count]

    def _collected(self) -> Iterator[Chunk]:
        for future in wait(self._under_way, return_when=FIRST_COMPLETED).done:
            try:
                done = future.result()
            except self._workers.lost:
                self._try_again()
                return
            except Exception as error:
                if reason := self._workers.explained(error):
                    raise reason from None
                raise
            items = self._under_way.pop(future)
            self._sizes.learn(len(items), done.seconds)
            yield Chunk(items.start, items.stop, *done)

    def _try_again(self) -> None:
        """Have other workers do what is under way: nobody knows which of it ended the first."""
        for items in self._under_way.values():
            self._ended[items.start] += 1
            if self._ended[items.start] >= ATTEMPTS:
                raise GoughError(
                    f"a worker has ended {ATTEMPTS} times while items {items.start} to "
                    f"{items.stop - 1} were under way; expected enough memory for them and, in a "
                    'script, if __name__ == "__main__": before what it does'
                )
            self._todo.appendleft(items)
        self._under_way.clear()
        self._workers.replace_lost()


class _Sizes:
    """How many items go together, by what those before have taken."""

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
        """What a chunk has taken: the last ones count most."""
        of_an_item = max(seconds, 1e-9) / items
        self._of_an_item = (self._of_an_item + of_an_item) / 2 if self._of_an_item else of_an_item
        self._largest = max(self._largest, items)
