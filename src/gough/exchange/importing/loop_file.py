"""Loops, motors and kinds of joints beside a URDF file: `robot.yaml` of example-parallel-robots.

[Gepetto, example-parallel-robots]: `closed_loop` has pairs of frames, links or joints by name;
`type` is "6d" or "3d" for each; `name_mot` has the driven joints; `joint_name` and `joint_type` say
which joints of the URDF are balls, universal joints or fixed.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gough.disk.plain_data import PlainData
from gough.errors import InputError, about_file, did_you_mean, needing
from gough.exchange.importing.tree import Holds
from gough.fields.user_files import plain_data, read_text
from gough.fields.values import as_list

_KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")
MOST_BYTES = 2**18
_NONE = ("", "~", "null")
"""Texts that YAML reads as null."""
_HOLDS: dict[str, Holds] = {"6d": "all", "3d": "point"}
_KINDS = re.compile(r"SPHERICAL|FIXED|UJOINT_([XYZ])(?!\1)[XYZ]")


@dataclass(frozen=True)
class Loops:
    """Contents of the file of loops beside a URDF file."""

    closures: tuple[tuple[str, str, Holds], ...]
    """Two frames that meet, and what holds: a point or all."""
    motors: tuple[str, ...]
    kinds: dict[str, str]
    """Types of joints that differ from their URDF types."""


def read_loops(path: Path) -> Loops:
    """Return the contents of a file of loops."""
    text = read_loop_text(path)
    with about_file(path):
        data = _table(text)
        pairs = [_pair(pair, k) for k, pair in enumerate(_list(data, "closed_loop"))]
        types = _names(data, "type") or ("6d",) * len(pairs)
        if len(types) != len(pairs):
            expected = f"{len(pairs)}, one for each closed_loop"
            raise InputError(
                "too few or too many", key="type", value=list(types), expected=expected
            )
        closures = [(*pair, _holds(type_)) for pair, type_ in zip(pairs, types, strict=True)]
        return Loops(tuple(closures), _joints(data, "name_mot"), _kinds(data))


def read_loop_text(path: Path) -> str:
    """The text of a file of loops."""
    return read_text(path, "a file of loops (.yaml)", MOST_BYTES)


def _table(text: str) -> PlainData:
    """The keys and values of a text in YAML: tables, lists and texts as they are written.

    YAML may take a name like 2024-01-01, 012 or on for a date, another number or a truth.
    """
    with needing("pyyaml", "exchange", "files of loops"):
        import yaml  # noqa: PLC0415  (not everybody has it)

    class Plain(yaml.BaseLoader):  # type: ignore[misc]
        def compose_node(self, *place: Any) -> Any:
            if self.check_event(yaml.AliasEvent):  # by which a small text swells
                raise InputError("an alias", expected="YAML in which everything is written out")
            return super().compose_node(*place)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            for key, count in Counter(str(key.value) for key, _ in node.value).items():
                if count > 1:
                    raise InputError("given twice", key=key, expected="each key once")
            return super().construct_mapping(node, deep)

    try:
        data = plain_data(yaml.load(text, Plain))
    except InputError:
        raise
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        raise InputError(f"not valid YAML: {error}") from None
    if not isinstance(data, dict):
        raise InputError("not a table of keys and values", value=data, expected=", ".join(_KEYS))
    for key in data:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS)
            raise InputError(f"unknown key{hint}", key=key, expected=", ".join(_KEYS))
    return data


def _list(data: PlainData, key: str) -> list[Any]:
    given = data.get(key, "")
    found = as_list([] if given in _NONE else given)
    if found is None:
        raise InputError("not a list", key=key, value=data[key], expected="a list")
    return list(found)


def _names(data: PlainData, key: str) -> tuple[str, ...]:
    return tuple(_texts(_list(data, key), key))


def _joints(data: PlainData, key: str) -> tuple[str, ...]:
    names = _names(data, key)
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError("given twice", key=key, value=name, expected="each joint once")
    return names


def _texts(items: list[Any], key: str) -> list[str]:
    if not all(isinstance(item, str) for item in items):
        raise InputError("not all names", key=key, value=items, expected="names")
    return items


def _pair(pair: object, number: int) -> tuple[str, str]:
    key = f"closed_loop[{number}]"
    names = _texts([*(as_list(pair) or ())], key)
    if len(names) != 2:
        raise InputError("not a pair", key=key, value=pair, expected="the names of two frames")
    return names[0], names[1]


def _holds(type_: str) -> Holds:
    if type_.lower() not in _HOLDS:
        raise InputError("unknown", key="type", value=type_, expected='"6d" or "3d"')
    return _HOLDS[type_.lower()]


def _kinds(data: PlainData) -> dict[str, str]:
    names, kinds = _joints(data, "joint_name"), _names(data, "joint_type")
    if len(names) != len(kinds):
        expected = f"{len(names)}, one for each joint_name"
        raise InputError(
            "too few or too many", key="joint_type", value=len(kinds), expected=expected
        )
    for kind in kinds:
        if not _KINDS.fullmatch(kind):
            expected = "SPHERICAL, FIXED, or UJOINT_XY and the like"
            raise InputError("unknown", key="joint_type", value=kind, expected=expected)
    return dict(zip(names, kinds, strict=True))
