"""One-line text of an object: its fields by name, shapes in place of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import inf
from typing import Any

from gough.arrays import AnyArray
from gough.errors import clipped

FEW = 8
"""Maximum number of entries of a list that are shown: a pose is shown in full."""
LONGEST = 300
"""Letters of a line; of a field half as many."""


def brief(thing: object) -> str:
    """The repr of a record or named tuple with arrays: `ForwardKinematics(pose=100 x 7, …)`.

    Arrays of more than a few numbers are shown by their shape, lists by their length.
    """
    told = (f"{name}={_value(value, FEW)}" for name, value in _fields(thing))
    parts = [clipped(text, LONGEST // 2) for text in told]
    return clipped(f"{type(thing).__name__}({', '.join(parts)})", LONGEST)


def spelled_out(thing: object) -> str:
    """Return the text with all numbers, which identifies it; of other objects their repr."""
    if not _is_record(thing):
        return repr(thing)
    told = (f"{name}={_value(value, inf)}" for name, value in _fields(thing))
    return f"{type(thing).__name__}({', '.join(told)})"


def _is_record(thing: object) -> bool:
    return is_dataclass(thing) or hasattr(thing, "_fields")


def _fields(thing: Any) -> Iterator[tuple[str, object]]:
    if is_dataclass(thing):
        yield from ((f.name, getattr(thing, f.name)) for f in fields(thing) if f.repr)
    else:
        yield from zip(thing._fields, thing, strict=True)


def _value(value: Any, few: float) -> str:
    if hasattr(value, "dtype"):
        return _array(value, few)
    if isinstance(value, Mapping):
        return repr(dict(value)) if few == inf else f"{len(value)} entries"
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return _list(value, few)
    if getattr(type(value), "__repr__", None) is object.__repr__:
        return type(value).__name__
    return spelled_out(value) if few == inf else repr(value)


def _array(array: AnyArray, few: float) -> str:
    if array.ndim == 0:
        return repr(array.item())
    if array.size <= few:
        return repr(array.tolist())
    return " x ".join(map(str, array.shape)) + (" numbers" if array.ndim == 1 else "")


def _list(items: Sequence[object], few: float) -> str:
    if len(items) > few:
        return f"{len(items)} items"
    told = ", ".join(_value(item, few) for item in items)
    return f"[{told}]" if isinstance(items, list) else f"({told}{',' * (len(items) == 1)})"
