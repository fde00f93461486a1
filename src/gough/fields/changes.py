"""Changing plain data at a place named by a path, such as `robot.legs[2].base`.

Nothing is changed in place: only the tables on the way are copied.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from gough.disk.plain_data import PlainData, PlainMapping
from gough.errors import InputError, inside, nearest
from gough.fields.units import NUMBER_PATTERN

_PART = re.compile(r"\[(\d+)\]|([^.\[\]]+)")

_PATH = re.compile(r"[^.\[\]]+(\[\d+\]|\.[^.\[\]]+)*")
_NUMBER = re.compile(rf"\s*({NUMBER_PATTERN})\s*(\S.*)?")


def changed(data: PlainMapping, path: str, value: object) -> PlainData:
    """The data with another value at the path; the last key may be new, the way to it not."""
    way = _checked(path)
    with inside(path):
        return dict(_with(data, way, lambda _: value, may_be_new=True))


def scaled(data: PlainMapping, path: str, factor: float) -> PlainData:
    """The data with the value at the path multiplied: a number, text with a unit, or a list."""
    way = _checked(path)
    with inside(path):
        return dict(_with(data, way, lambda old: _times(old, factor)))


def number_and_unit(value: object) -> tuple[float, str] | None:
    """The parts of 3, 2.5 or "4 ft"; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value), ""
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    return (float(match[1]), (match[2] or "").strip()) if match else None


def _checked(path: str) -> list[int | str]:
    if not _PATH.fullmatch(path):
        expected = 'one like "robot.platform.mass", "motion.duration" or "tasks[0].force"'
        raise InputError(f'"{path}" is not a path to a parameter', expected=expected)
    return parts(path)


def _with(
    data: Any, way: list[int | str], change: Callable[[Any], Any], may_be_new: bool = False
) -> Any:
    part, *rest = way
    _check_step(data, part, may_be_new and not rest)
    old = data.get(part) if isinstance(data, Mapping) else data[part]
    new = _with(old, rest, change, may_be_new) if rest else change(old)
    if isinstance(data, Mapping):
        return {**data, part: new}
    return [*data[:part], new, *data[part + 1 :]]  # type: ignore[operator]


def _check_step(data: object, part: int | str, may_be_new: bool) -> None:
    if isinstance(part, int):
        if isinstance(data, list | tuple) and part < len(data):
            return
        found = f"a list of {len(data)}" if isinstance(data, list | tuple) else "no list"
        raise InputError(f"there is no item [{part}], but {found} (counting from 0)")
    if isinstance(data, Mapping) and (part in data or may_be_new):
        return
    known = list(data) if isinstance(data, Mapping) else []
    near = nearest(part, known)
    hint = f" (did you mean {near}?)" if near else ""
    listed = f"; there are {', '.join(map(str, known))}" if known else ""
    raise InputError(f'there is no "{part}"{hint}{listed}')


def _times(old: object, factor: float) -> Any:
    if isinstance(old, list | tuple):
        return [_times(item, factor) for item in old]
    pair = number_and_unit(old)
    if pair is None:
        raise InputError(f"{old!r} cannot be multiplied", expected="a number")
    number, unit = pair
    return f"{number * factor!r} {unit}" if unit else number * factor


def parts(path: str) -> list[int | str]:
    """The keys and, counted from 0, the places in lists that a path goes through."""
    return [int(index) if index else name for index, name in _PART.findall(path)]
