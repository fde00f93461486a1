"""From pydantic's list of complaints to one InputError in the user's own words."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gough.errors import InputError, joined

# Pydantic's kinds of complaint that can occur here: what is wrong, and what is expected.
_WORDS: dict[str, tuple[str, str | None]] = {
    "missing": ("missing", None),
    "literal_error": ("not known", None),
    "string_type": ("not a text", "a text"),
    "string_too_short": ("empty", "a text"),
    "string_unicode": ("not Unicode text", "a text"),
    "string_pattern_mismatch": ("not a plain name", "letters, digits, and spaces ,.+()- in it"),
    "dict_type": ("not a table", "a table"),
    "tuple_type": ("not a list", "a list"),
}


def input_error(error: ValidationError, *, skipped: int = 0) -> InputError:
    """All complaints as one error; so many parts are skipped at the beginning of each key."""
    details = error.errors(include_url=False)
    found = [alone for detail in details for alone in _problems(detail, skipped)]
    # A list that lost its wrong items is also called too short: not a problem of its own.
    own = [p for k, p in enumerate(found) if not any(_around(p.key, q.key) for q in found[:k])]
    return InputError.together(own)


def _problems(detail: ErrorDetails, skipped: int) -> tuple[InputError, ...]:
    cause = detail.get("ctx", {}).get("error")
    place = _key(detail["loc"][skipped:])
    if isinstance(cause, InputError):
        return cause.inside(place).problems
    return (_translated(detail, place),)


def _translated(detail: ErrorDetails, place: str) -> InputError:
    """Put a complaint of pydantic's own in our words."""
    kind, value = detail["type"], detail["input"]
    problem, expected = _WORDS.get(kind, (detail["msg"], None))
    if kind == "missing":
        value = None  # pydantic gives the table around it
    elif kind == "literal_error":
        expected = detail["ctx"]["expected"].replace("'", '"')
    return InputError(problem, key=place, value=value, expected=expected)


def _key(loc: tuple[int | str, ...]) -> str:
    key = ""
    for part in loc:
        key = joined(key, f"[{part}]" if isinstance(part, int) else part)
    return key


def _around(place: str, key: str) -> bool:
    """Tell whether a key is at a place or inside it."""
    return key == place or key.startswith((f"{place}.", f"{place}["))
