"""Notices of what is being compiled, for those who wait for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Tell = Callable[[str], None]
"""Takes the name of what is being compiled from now on; none when it is done."""

_TELL: ContextVar[Tell] = ContextVar("tell", default=lambda _: None)
_NAME: ContextVar[str] = ContextVar("name", default="")


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Report the names of all that is compiled in this context."""
    before = _TELL.set(tell)
    try:
        yield
    finally:
        _TELL.reset(before)


@contextmanager
def compiling(name: str) -> Iterator[None]:
    """Report that a function of this name is being traced or compiled in this context."""
    tell, before = _TELL.get(), _NAME.set(name)
    tell(name)
    try:
        yield
    finally:
        _NAME.reset(before)
        tell(_NAME.get())
