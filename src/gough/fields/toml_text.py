"""Plain data as TOML that people like to read: what fits in a line stands in one.

A table inside another stands in one line if it fits; a list that does not fit has an item a line,
hence a matrix a row a line.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gough.disk.plain_data import PlainData, PlainMapping

WIDTH = 100
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(data: PlainMapping) -> str:
    """The text of a file that says these data; keys without a value (None), unknown to TOML, go."""
    return "\n".join(_table(data, ())).strip("\n") + "\n"


def _table(data: PlainMapping, place: tuple[str, ...]) -> Iterator[str]:
    """The lines of a table: first its values, then the tables inside it."""
    inner: PlainData = {}
    for key, value in data.items():
        if value is None:
            continue
        if (line := _line(key, value, place)) is None:
            inner[key] = value
        else:
            yield line
    for key, value in inner.items():
        inside = (*place, _key(key))
        tables, brackets = ([value], "[{}]") if isinstance(value, Mapping) else (value, "[[{}]]")
        for table in tables:
            yield ""
            yield brackets.format(".".join(inside))
            yield from _table(table, inside)


def _line(key: str, value: object, place: tuple[str, ...]) -> str | None:
    """A key with its value, in several lines if it must be; None if it needs a heading."""
    begin = f"{_key(key)} = "
    line = begin + _inline(value)
    if isinstance(value, str) and ("\n" in value or len(line) > WIDTH):
        return begin + _text(value)
    if _is_tables(value) or (isinstance(value, Mapping) and (not place or len(line) > WIDTH)):
        return None
    if isinstance(value, list | tuple) and len(line) > WIDTH:
        items = "".join(f"    {_inline(item)},\n" for item in value)
        return f"{begin}[\n{items}]"
    return line


def _is_tables(value: Any) -> bool:
    is_list = isinstance(value, list | tuple) and bool(value)
    return is_list and all(isinstance(item, Mapping) for item in value)


def _inline(value: object) -> str:
    """A value in one line."""
    if isinstance(value, Mapping):
        items = [f"{_key(k)} = {_inline(v)}" for k, v in value.items() if v is not None]
        return f"{{ {', '.join(items)} }}" if items else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_inline, value))}]"
    if isinstance(value, str):
        return f'"{_escaped(value)}"'
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _text(text: str) -> str:
    """Text in quotes, several lines as such; those that are too long go on after a backslash."""
    return '"""\n' + "\n".join(_wrapped(_escaped(line)) for line in text.split("\n")) + '"""'


def _wrapped(line: str) -> str:
    lines = [""]
    for word in re.split(r"(?<= )(?=\S)", line):
        if lines[-1] and len(lines[-1] + word) >= WIDTH:
            lines.append("")
        lines[-1] += word
    return "\\\n".join(lines)


def _escaped(text: str) -> str:
    """JSON's escapes, which TOML has as well; it also wants one for DEL."""
    return json.dumps(text, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else f'"{_escaped(key)}"'
