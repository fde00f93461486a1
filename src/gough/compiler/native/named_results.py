"""Named tuples of results. This file needs the standard library only: GPU nodes have no more."""

from __future__ import annotations

from collections import namedtuple
from functools import cache
from typing import Any


@cache
def result_type(name: str, fields: tuple[str, ...]) -> Any:
    """Return the named tuple of a kernel's results: one class for each name and its fields."""
    base: Any = namedtuple(f"{name}_result", fields)  # type: ignore[misc]

    def reduced(results: Any) -> tuple[Any, ...]:
        return _restored, (name, fields, tuple(results))

    return type(base.__name__, (base,), {"__slots__": (), "__reduce__": reduced})


def _restored(name: str, fields: tuple[str, ...], results: tuple[Any, ...]) -> Any:
    return result_type(name, fields)(*results)
