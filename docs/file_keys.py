"""The keys of a file and what they mean, table by table, from its JSON Schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gough.fields import WHICH, Schema, alternatives

_FIRST = ("schema", "kind", "type", "layout")
_LISTED = 8  # so many names are listed; of more only their number is said
_ONE = re.compile(r"(number|text|table)(?=$|,| [>≥≤])")


@dataclass(frozen=True)
class Key:
    """A key of a table, in words for people."""

    name: str
    type: str
    unit: str
    """In SI, of bare numbers; empty where there is none."""
    needed: bool
    default: str
    """Default as it would be written; empty where there is none."""
    meaning: str


@dataclass(frozen=True)
class KeyTable:
    """A table of a file: where it may stand, as headings of TOML, and its keys."""

    places: tuple[str, ...]
    chosen_by: str
    """Key and value that tell this table from others, such as `kind = "line"`; else empty."""
    meaning: str
    keys: tuple[Key, ...]


@dataclass(frozen=True)
class _Place:
    """Where a table stands: its path, and whether it is one of a list there."""

    path: str
    listed: bool

    def __str__(self) -> str:
        return f"[[{self.path}]]" if self.listed else f"[{self.path}]"

    def at(self, key: str, part: Schema) -> _Place:
        """The place of a table at a key of this one."""
        return _Place(f"{self.path}.{key}".lstrip("."), _is_list(part))


def key_tables(schema: Schema, without: tuple[str, ...] = ()) -> list[KeyTable]:
    """The tables of a file, each once, from outside to inside; those at some paths are left out."""
    found: dict[tuple[Key, ...], KeyTable] = {}
    waiting = [(_Place("", False), "", schema)]
    while waiting:
        place, chosen_by, table = waiting.pop(0)
        keys = tuple(keys_of(table))
        if keys in found:
            found[keys] = _also_at(found[keys], place)
            continue
        places = (str(place),) if place.path else ()
        found[keys] = KeyTable(places, chosen_by, table.get("description", ""), keys)
        inner = [
            (place.at(key, part), *choice)
            for key, part in table["properties"].items()
            if place.at(key, part).path not in without
            for choice in alternatives(part, schema)
        ]
        waiting = inner + waiting
    return list(found.values())


def _also_at(table: KeyTable, place: _Place) -> KeyTable:
    """The table with one more place, unless it lies inside one of its own."""
    inside = any(f"{place.path}.".startswith(f"{known.strip('[]')}.") for known in table.places)
    return table if inside else replace(table, places=(*table.places, str(place)))


def keys_of(table: Schema) -> Iterator[Key]:
    """The keys of a table."""
    parts = table["properties"]
    for name in sorted(parts, key=lambda name: name not in _FIRST):
        part = parts[name]
        words, unit = _type(part)
        yield Key(
            name,
            words,
            unit,
            name in table.get("required", ()) or "x-needed" in part,
            _written(part["default"]) if part.get("default", []) != [] else "",
            part.get("description", WHICH if name in _FIRST else ""),
        )


def _type(part: Schema) -> tuple[str, str]:
    """Describe a value in words, with the unit of bare numbers."""
    if "$ref" in part or "discriminator" in part:
        return "table", ""
    if "const" in part or "enum" in part:
        return _names([part["const"]] if "const" in part else part["enum"]), ""
    if "x-unit" in part:
        return _type(part["anyOf"][0])[0], part["x-unit"]
    if "anyOf" in part:
        options = [_type(option) for option in part["anyOf"]]
        named = dict.fromkeys(words for words, _ in options)
        return ", or ".join(named), next((unit for _, unit in options if unit), "")
    if _is_list(part):
        words, unit = _type(part.get("items") or part.get("prefixItems", [{}])[0])
        return _several(words, part), unit
    return _plain(part), ""


def _plain(part: Schema) -> str:
    kind = part.get("type", "")
    if kind in ("number", "integer"):
        return {"number": "number", "integer": "whole number"}[kind] + _bounds(part)
    words = {"boolean": "true or false", "string": "text", "object": "table"}
    return words.get(str(kind), "number or text")


def _names(names: list[str]) -> str:
    if len(names) > _LISTED:
        return f"one of {len(names)} names"
    return " or ".join(json.dumps(name) for name in names)


def _written(value: Any) -> str:
    """A value as TOML says it, with no more digits than it needs."""
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    return f"{value:.15g}" if isinstance(value, float) else json.dumps(value)


def _bounds(part: Schema) -> str:
    least, most = part.get("minimum"), part.get("maximum")
    if least is not None and most is not None:
        return f", {_number(least)} to {_number(most)}"
    signs = {"exclusiveMinimum": ">", "minimum": "≥", "maximum": "≤"}
    said = [f"{sign} {_number(part[key])}" for key, sign in signs.items() if key in part]
    return f" {' and '.join(said)}" if said else ""


def _number(bound: float) -> str:
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:.6g}"


def _several(words: str, part: Schema) -> str:
    fixed = part.get("minItems") == part.get("maxItems") is not None
    if fixed and re.match(r"\d", words):
        return f"{part['minItems']} × {words}"
    many = _ONE.sub(r"\1s", words) if _ONE.match(words) else f"list of {words}"
    return f"{part['minItems']} {many}" if fixed else many


def _is_list(part: Schema) -> bool:
    return part.get("type") == "array"
