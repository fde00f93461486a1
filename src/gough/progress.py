"""A bar that shows how far long work has come: on a terminal, gone when the work is done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Found = TypeVar("Found")

_WANTED: ContextVar[bool] = ContextVar("wanted", default=False)


@contextmanager
def bars_shown(wanted: bool = True) -> Iterator[None]:
    """Have the bars of all long work here shown."""
    before = _WANTED.set(wanted)
    try:
        yield
    finally:
        _WANTED.reset(before)


def shows_progress(work: Callable[Given, Found]) -> Callable[Given, Found]:
    """Decorate long work with a keyword `progress`: whether its bars are shown."""

    @wraps(work)
    def shown(*arguments: Given.args, **options: Given.kwargs) -> Found:
        with bars_shown(bool(options.get("progress")) or _WANTED.get()):
            return work(*arguments, **options)

    return shown


@contextmanager
def progress_bar(description: str, total: int) -> Iterator[Callable[[float], None]]:
    """Give a function to be called with how much was done since its last call, of the total."""
    if not _WANTED.get():
        yield lambda _: None
        return

    from rich.console import Console  # noqa: PLC0415  (slow to import)
    from rich.progress import Progress  # noqa: PLC0415

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda done: bar.advance(task, done)
