"""The one memory of what was compiled: each thing is made once, for all rooms, and the last stay.

What a maker makes depends on its arguments alone, and these can be hashed: machines, options. (The
machine code itself is kept on disk, for other processes: see `compiler.native.cache`.)

What is compiled goes to other processes as what it is made of, and is found or made there: machine
code is good on one kind of processor only. What a maker of Gough made goes as the call of that
maker, some hundred bytes and a robot; anything else as its symbols. A process that has met it
before has it in memory; one that has not finds the code in the cache on disk, if any process on
such a processor has compiled it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, wraps
from importlib import import_module
from inspect import unwrap
from operator import attrgetter
from typing import Any, ParamSpec, TypeVar

from gough.disk.plain_data import PlainData
from gough.errors import GoughError

KEPT = 256
"""Maximum number of products kept, of all makers; large kernels take about a megabyte each."""

Given = ParamSpec("Given")
Made = TypeVar("Made")


def remembered(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Decorate a maker, which then returns its earlier product for equal arguments."""

    @wraps(make)
    def made(*arguments: Given.args, **options: Given.kwargs) -> Made:
        for given in (*arguments, *options.values()):
            if type(given).__hash__ is None:
                raise GoughError(f"{make.__name__}: {given!r:.80} cannot be its argument")
        kept: Made = _kept(make, arguments, tuple(options.items()))
        return kept

    return made


def forget() -> None:
    """Let everything be made anew."""
    _kept.cache_clear()


@lru_cache(maxsize=KEPT)
def _kept(make: Callable[..., Any], arguments: Any, options: Any) -> Any:
    return make(*arguments, **dict(options))


@dataclass(frozen=True, eq=False)
class MakerCall:
    """The call of a maker that makes a kernel or recurrence anew."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]

    def __call__(self) -> Any:
        """Make it."""
        return self.make(*self.arguments, **self.options)

    @property
    def is_named(self) -> bool:
        """Whether other processes find the maker by its name."""
        if "<" in self.make.__qualname__:
            return False
        return unwrap(_named(self.make.__module__, self.make.__qualname__)) is unwrap(self.make)

    def pickled(self) -> tuple[Any, ...]:
        """The call as pickle keeps it, if its maker has a name."""
        maker = self.make.__module__, self.make.__qualname__
        return _called, (*maker, self.arguments, dict(self.options))


def _called(module: str, name: str, arguments: tuple[Any, ...], options: PlainData) -> Any:
    return _named(module, name)(*arguments, **options)


def _named(module: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = attrgetter(name)(import_module(module))
    return found
