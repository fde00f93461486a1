"""What a command is at while one waits for it: a line on a terminal, gone when it is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

from gough.cli.output import shown


@contextmanager
def compiling_shown() -> Iterator[None]:
    """Show on standard error what is being compiled, if that is a terminal."""
    console = Console(stderr=True, emoji=False)
    if not console.is_terminal:
        yield
        return

    from rich.status import Status

    from gough.compiler.notices import telling

    line = Status("", console=console)

    def tell(name: str) -> None:
        if name:
            line.update(f"Compiling {shown(name)} …")
            line.start()
        else:
            line.stop()

    with telling(tell):
        try:
            yield
        finally:
            line.stop()
