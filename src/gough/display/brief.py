"""One-line text of an object: its fields by name, shapes in place of arrays."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import inf
from typing import Any

from gough.arrays import AnyArray
from gough.errors import clipped

FEW = 8  # maximum number of entries of a list that are shown: a pose is shown in full
LONGEST = 300  # letters of a line; of a field half as many


def brief(thing: object) -> str:
    """The repr of a record or named tuple with arrays: `ForwardKinematics(pose=100 x 7, …)`.

    Arrays of more than a few numbers are shown by their shape, lists by their length.
    """
    parts = (clipped(text, LONGEST // 2) for text in _texts(thing, FEW))
    return clipped(f"{type(thing).__name__}({', '.join(parts)})", LONGEST)


class Brief:
    """A record, made with `repr=False`, whose repr is `brief`."""

    __repr__ = brief


def spelled_out(thing: object) -> str:
    """Return the text with all numbers, which identifies it; of other objects their repr."""
    if not (is_dataclass(thing) or hasattr(thing, "_fields")):
        return repr(thing)
    return f"{type(thing).__name__}({', '.join(_texts(thing, inf))})"


def _texts(thing: Any, few: float) -> Iterator[str]:
    """Yield the fields with their values; arrays and lists of more than a few entries in brief."""
    shown = [f.name for f in fields(thing) if f.repr] if is_dataclass(thing) else thing._fields
    return (f"{name}={_value(getattr(thing, name), few)}" for name in shown)


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
    listed = ", ".join(_value(item, few) for item in items)
    return f"[{listed}]" if isinstance(items, list) else f"({listed}{',' * (len(items) == 1)})"
