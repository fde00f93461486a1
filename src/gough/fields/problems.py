"""From pydantic's list of complaints to one RobotError in the user's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gough.errors import InputError, RobotError, joined

Data = Any  # what was written: tables, lists and values, of any shape, as it may be wrong

# Pydantic's kinds of complaint that can occur here: what is wrong, and what is expected.
_LAYOUTS = '"circles" or "triangles"'
_WORDS: dict[str, tuple[str, str | None]] = {
    "missing": ("missing", None),
    "literal_error": ("not known", None),
    "string_type": ("not a text", "a text"),
    "string_too_short": ("empty", "a text"),
    "string_unicode": ("not Unicode text", "a text"),
    "string_pattern_mismatch": ("not a plain name", "letters, digits, and spaces ,.+()- in it"),
    "dict_type": ("not a table", "a table"),
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
    """Return all complaints as one error."""
    found = [alone for detail in error.errors(include_url=False) for alone in _problems(detail)]
    # A list that lost its wrong items is also called too short: not a problem of its own.
    own = [p for k, p in enumerate(found) if not any(_around(p.key, q.key) for q in found[:k])]
    return RobotError.together(own)


def as_written(error: RobotError, data: Data, file: Path | None) -> RobotError:
    """Return the error with its file, and with its keys where the user wrote them.

    A leg's value may stand in the shared [leg] table; then that is the place to name, and once.
    """
    found: dict[str, RobotError] = {}
    for problem in error.problems:
        key = _written_key(problem.key, data)
        found.setdefault(key, RobotError.of(problem, key=key, leg=problem.leg or _leg(key)))
    return RobotError.of(RobotError.together(list(found.values())), file=file)


def _problems(detail: ErrorDetails) -> tuple[InputError, ...]:
    cause = detail.get("ctx", {}).get("error")
    place = _key(_without_layout(detail["loc"]))
    if not isinstance(cause, RobotError):
        return (_translated(detail, place),)
    found = cause.inside(place).problems
    return tuple(RobotError.of(p, leg=p.leg or _leg(p.key)) for p in found)


def _translated(detail: ErrorDetails, place: str) -> RobotError:
    """Put a complaint of pydantic's own in our words."""
    kind, value = detail["type"], detail["input"]
    problem, expected = _WORDS.get(kind, (detail["msg"], None))
    if kind == "missing":
        value = None  # pydantic gives the table around it
    elif kind == "literal_error":
        expected = detail["ctx"]["expected"].replace("'", '"')
    elif kind.startswith("union_tag"):
        place, value = joined(place, "layout"), value.get("layout")
    elif kind in {"too_short", "too_long"}:
        value = len(value)
    return RobotError(problem, key=place, leg=_leg(place), value=value, expected=expected)


def _without_layout(loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Leave out the name of the layout, which pydantic puts in the path of a symmetric table."""
    return (loc[0], *loc[2:]) if loc[:1] == ("symmetric",) else loc


def _key(loc: tuple[int | str, ...]) -> str:
    key = ""
    for part in loc:
        key = joined(key, f"[{part}]" if isinstance(part, int) else part)
    return key


def _around(place: str, key: str) -> bool:
    """Tell whether a key is at a place or inside it."""
    return key == place or key.startswith((f"{place}.", f"{place}["))


def _leg(key: str) -> int | None:
    match = re.match(r"legs\[(\d+)\]", key)
    return int(match[1]) + 1 if match else None


def _written_key(key: str, data: Data) -> str:
    """Choose between legs[i].… and leg.…: whichever the user's data follow further."""
    match = re.match(r"legs\[\d+\]\.?", key)
    if match is None or not isinstance(data, dict):
        return key
    shared = joined("leg", key[match.end() :])
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
