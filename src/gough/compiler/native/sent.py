"""What is compiled goes to other processes as what it is made of, and is found or made there.

Machine code is good on one kind of processor only. What a maker of Gough made goes as the call of
that maker, some hundred bytes and a robot; anything else as its symbols. A process that has met
it before has it in memory; one that has not finds the code in the cache on disk, if any process on
such a processor has compiled it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import unwrap
from operator import attrgetter
from typing import Any


@dataclass(frozen=True, eq=False)
class Call:
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

    def sent(self) -> tuple[Any, ...]:
        """The call as pickle keeps it, if its maker has a name."""
        maker = self.make.__module__, self.make.__qualname__
        return _called, (*maker, self.arguments, dict(self.options))


def _called(module: str, name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    return _named(module, name)(*arguments, **options)


def _named(module: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = attrgetter(name)(import_module(module))
    return found
