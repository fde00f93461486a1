"""From pydantic's list of complaints to one RobotError in the user's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gough.errors import RobotError

Data = Any  # what was written: tables, lists and values, of any shape, as it may be wrong

# Pydantic's kinds of complaint that can occur here: what is wrong, and what is expected.
_LAYOUTS = '"circles" or "triangles"'
_WORDS: dict[str, tuple[str, str | None]] = {
    "missing": ("missing", None),
    "literal_error": ("not known", None),
    "string_type": ("not a text", "a text"),
    "string_too_short": ("empty", "a text"),
    "list_type": ("not a list", "six tables"),
    "tuple_type": ("not a list", "six legs"),
    "too_short": ("too few legs", "exactly six"),
    "too_long": ("too many legs", "exactly six"),
    "model_attributes_type": ("not a table", "a table"),
    "union_tag_not_found": ("missing", _LAYOUTS),
    "union_tag_invalid": ("not known", _LAYOUTS),
}

_PART = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def robot_error(error: ValidationError) -> RobotError:
    """Return the first complaint in full; the places of the others follow in brackets."""
    first, *others = [_problem(detail) for detail in error.errors(include_url=False)]
    places = [other.key or "" for other in others]
    # A list that lost its wrong items is also called too short: not a problem of its own.
    return _with_others(first, [place for place in places if not _inside(first.key, place)])


def as_written(error: RobotError, data: Data, file: Path | None) -> RobotError:
    """Return the error with its file, and with its key where the user wrote it.

    A leg's value may stand in the shared [leg] table; then that is the place to name.
    """
    key = _written_key(error.key, data)
    others = [_written_key(other, data) for other in error.others]
    return RobotError(
        error.problem,
        file=file,
        key=key,
        leg=error.leg or _leg(key),
        value=error.value,
        expected=error.expected,
        others=[other for other in dict.fromkeys(others) if other and other != key],
    )


def _problem(detail: ErrorDetails) -> RobotError:
    cause = detail.get("ctx", {}).get("error")
    place = _key(_without_layout(detail["loc"]))
    if not isinstance(cause, RobotError):
        return _translated(detail, place)
    key = _joined(place, cause.key)
    return _with_others(
        RobotError(
            cause.problem,
            key=key,
            leg=cause.leg or _leg(key),
            value=cause.value,
            expected=cause.expected,
        ),
        [_joined(place, other) for other in cause.others],
    )


def _translated(detail: ErrorDetails, place: str) -> RobotError:
    """Put a complaint of pydantic's own in our words."""
    kind, value = detail["type"], detail["input"]
    problem, expected = _WORDS.get(kind, (detail["msg"], None))
    if kind == "missing":
        value = None  # pydantic gives the table around it
    elif kind == "literal_error":
        expected = detail["ctx"]["expected"].replace("'", '"')
    elif kind.startswith("union_tag"):
        place, value = _joined(place, "layout"), value.get("layout")
    elif kind in {"too_short", "too_long"}:
        value = len(value)
    return RobotError(problem, key=place, leg=_leg(place), value=value, expected=expected)


def _with_others(error: RobotError, others: list[str]) -> RobotError:
    return RobotError(
        error.problem,
        file=error.file,
        key=error.key,
        leg=error.leg,
        value=error.value,
        expected=error.expected,
        others=[*error.others, *others],
    )


def _without_layout(loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Leave out the name of the layout, which pydantic puts in the path of a symmetric table."""
    return (loc[0], *loc[2:]) if loc[:1] == ("symmetric",) else loc


def _key(loc: tuple[int | str, ...]) -> str:
    key = ""
    for part in loc:
        key = _joined(key, f"[{part}]" if isinstance(part, int) else part)
    return key


def _joined(place: str, key: str | None) -> str:
    if not place or not key:
        return place or key or ""
    return f"{place}{key}" if key.startswith("[") else f"{place}.{key}"


def _inside(key: str | None, place: str) -> bool:
    return bool(key) and str(key).startswith(place)


def _leg(key: str | None) -> int | None:
    match = re.match(r"legs\[(\d+)\]", key or "")
    return int(match[1]) + 1 if match else None


def _written_key(key: str | None, data: Data) -> str | None:
    """Choose between legs[i].… and leg.…: whichever the user's data follow further."""
    match = re.match(r"legs\[\d+\]\.?", key or "")
    if key is None or match is None or not isinstance(data, dict):
        return key
    shared = _joined("leg", key[match.end() :])
    return shared if _depth(shared, data) > _depth(key, data) - 1 else key


def _depth(key: str, data: Data) -> int:
    """Count how many parts of a key lead somewhere in the data."""
    depth = 0
    for part in _parts(key):
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            break
        depth += 1
    return depth


def _parts(key: str) -> Iterator[int | str]:
    for index, name in _PART.findall(key):
        yield int(index) if index else name
