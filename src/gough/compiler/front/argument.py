"""One named array of a function: its shape, unit and meaning; and named tuples of several.

This file needs the standard library only: GPU nodes have no more.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any


@dataclass(frozen=True)
class Argument:
    """An input or output. `shape` is that of one sample; batches come in front of it.

    An `optional` input may be left out of a call, if all inputs behind it are left out as well:
    it is zero then.
    """

    name: str
    shape: tuple[int, ...] = ()
    unit: str = ""
    meaning: str = ""
    optional: bool = False

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Argument:
        """Return the argument that was written as plain data."""
        return cls(**{**facts, "shape": tuple(facts["shape"])})

    @property
    def size(self) -> int:
        """Number of elements of one sample."""
        return prod(self.shape)

    @property
    def expected(self) -> str:
        """Description of what a caller may pass: the shape with its batch axes."""
        return f"(..., {', '.join(map(str, self.shape))})" if self.shape else "(...)"

    @property
    def shown_unit(self) -> str:
        """Unit as people read it: a dash for plain numbers."""
        return ", ".join("–" if unit == "1" else unit for unit in self.unit.split(", "))

    def described(self) -> str:
        """One line for documentation: name, shape, unit, meaning."""
        shape = self.expected + (f" [{self.shown_unit}]" if self.unit else "")
        optional = ", zero if left out" if self.optional else ""
        return f"{self.name}: {shape} {self.meaning}{optional}".rstrip()


@cache
def result_type(name: str, fields: tuple[str, ...]) -> Any:
    """Return the named tuple of a kernel's results: one class for each name and its fields."""
    base: Any = namedtuple(f"{name}_result", fields)  # type: ignore[misc]

    def reduced(results: Any) -> tuple[Any, ...]:
        return _restored, (name, fields, tuple(results))

    return type(base.__name__, (base,), {"__slots__": (), "__reduce__": reduced})


def _restored(name: str, fields: tuple[str, ...], results: tuple[object, ...]) -> Any:
    return result_type(name, fields)(*results)
