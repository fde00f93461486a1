"""A bar that shows how far long work has come: on a terminal, gone when the work is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


@contextmanager
def progress_bar(description: str, total: int, shown: bool) -> Iterator[Callable[[int], None]]:
    """Give a function to be called with the number of items that were done since its last call."""
    console = Console(stderr=True)
    if not (shown and console.is_terminal):
        yield lambda _: None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.advance(task, done)
