"""Many items, a row of a table for each: computed somewhere, on disk as they come, in any order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gough.compiler.native.threads import available
from gough.disk.tables import table_content
from gough.executors.choice import Executor, opened
from gough.executors.chunks import in_chunks
from gough.executors.record import Record
from gough.executors.workers import Threads

Rows = Callable[[range], Mapping[str, Any]]


def sweep(
    rows: Rows,
    count: int,
    record: Record,
    *,
    executor: Executor = None,
    threads: int | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> None:
    """Have rows(range) give columns for all items 0 to count - 1 that the record lacks.

    `rows` is a pure function: the same items have the same rows, whoever else is among them. Memory
    holds the chunks that are under way, and those of a record without a folder. `advance` is told
    how many items are done: first those of the record. Without an executor so many threads of this
    process do the work, or as many as there are cores.
    """
    advance(record.done)
    parts = record.missing(count)
    with opened(executor, lambda: Threads(threads or available())) as workers:
        for chunk in in_chunks(_AsTable(rows), range(count), executor=workers, parts=parts):
            record.add(chunk.items, chunk.result)
            advance(len(chunk.items))


@dataclass(frozen=True)
class _AsTable:
    """The rows as the content of a Parquet file, made where they are computed."""

    rows: Rows

    def __call__(self, items: range) -> bytes:
        return table_content(self.rows(items))
