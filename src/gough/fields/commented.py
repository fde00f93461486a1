"""A file in TOML with the meaning of each of its keys beside it, from its JSON Schema.

What begins with # and a key, without a space between, is an example of what may be left out.
"""

import json
import re
import textwrap
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any

from gough.disk.plain_data import PlainData
from gough.errors import GoughError

Schema = Mapping[str, Any]
WHICH = "Which kind this is."
HEAD = """\
# {title}
#
# Bare numbers are in SI units, angles in radians; a text may carry a unit: "25 mm", "30 deg".
# Lines that begin with # and a key are examples of what may be added: remove the #.

"""
_HEADING = re.compile(r"#?\[\[?([\w.]+)\]\]?")
_KEY = re.compile(r"#?\w+ = ")
_WIDTH = 98
_COLUMN = 34  # where comments begin that stand behind a value


def new_file(room: Path, kind: str, title: str, name: str, robot: str, **parts: str) -> str:
    """The text of a new file of a kind, from the template and the JSON Schema of its room."""
    template = Template((room / "templates" / f"{kind}.toml").read_text("utf-8"))
    schema = json.loads((room / f"gough-{kind}-1.schema.json").read_text("utf-8"))
    quoted = {"name": json.dumps(name, ensure_ascii=False)}
    quoted["robot"] = json.dumps(robot, ensure_ascii=False)
    return HEAD.format(title=title) + commented(template.substitute(quoted | parts), schema)


def commented(text: str, schema: Schema) -> str:
    """The text with comments. Raises GoughError where the schema does not know a key."""
    lines = iter(text.splitlines())
    explained: list[str] = []
    tables = [schema]
    for line in lines:
        if heading := _HEADING.match(line):
            tables = [schema]
            for key in heading[1].split("."):
                parts = _parts(tables, key)
                tables = _inside(parts, schema)
            explained += [*_comment(_said(parts[0])), line]
        elif _KEY.match(line):
            statement = _statement(line, lines)
            ((key, value),) = tomllib.loads("\n".join(_active(statement))).items()
            explained += _explained(statement, _meanings(key, value, tables, schema))
            own = [(table, _names(table["properties"].get(key, {}))) for table in tables]
            tables = [table for table, names in own if not names or value in names]
        else:
            explained.append(line)
    return "\n".join(explained) + "\n"


def _explained(statement: list[str], meanings: list[str]) -> list[str]:
    """A key and its value with their meaning: behind them if there is room, else above."""
    beside = f"{statement[0]:<{_COLUMN}}  {meanings[0]}"
    if len(statement) == len(meanings) == 1 and len(beside) <= _WIDTH:
        return [beside]
    return [*meanings, *statement]


def _statement(line: str, following: Iterator[str]) -> list[str]:
    """A key with its value, which may go on in the lines that follow."""
    lines = [line]
    while True:
        try:
            tomllib.loads("\n".join(_active(lines)))
        except tomllib.TOMLDecodeError:
            lines.append(next(following))
        else:
            return lines


def _active(lines: list[str]) -> list[str]:
    """The lines of an example without their #."""
    return [line.removeprefix("#") for line in lines]


def _names(part: Schema) -> list[str]:
    """The names that a value may have, if it is one of a few."""
    return [part["const"]] if "const" in part else part.get("enum", [])


def _parts(tables: list[Schema], key: str) -> list[Schema]:
    """Parts of the schema about a key, in those of some tables that have it."""
    found = [table["properties"][key] for table in tables if key in table["properties"]]
    if not found:
        raise GoughError(f'"{key}" is not a key of this table')
    return found


def _inside(parts: list[Schema], schema: Schema) -> list[Schema]:
    """The tables that may stand there."""
    return [table for part in parts for _, table in alternatives(part, schema)]


def alternatives(part: Schema, schema: Schema) -> Iterator[tuple[str, Schema]]:
    """The tables that may stand at a key or in its list, each with what says which one it is."""
    if "$ref" in part:
        yield "", schema["$defs"][part["$ref"].rpartition("/")[2]]
    elif "properties" in part:
        yield "", part
    elif "discriminator" in part:
        key, names = part["discriminator"]["propertyName"], part["discriminator"]["mapping"]
        for option in part["oneOf"]:
            own = [f'"{name}"' for name, ref in names.items() if ref == option["$ref"]]
            for _, table in alternatives(option, schema):
                yield f"{key} = {' or '.join(own)}", table
    else:
        for inner in (*part.get("anyOf", ()), *([part["items"]] if "items" in part else ())):
            yield from alternatives(inner, schema)


def _meanings(key: str, value: object, tables: list[Schema], schema: Schema) -> list[str]:
    """Meaning of a key, and of the keys of the tables that are written in its line."""
    parts = _parts(tables, key)
    names = [name for table in tables for name in _names(table["properties"].get(key, {}))]
    either = f" One of {', '.join(names)}." if len(names) > 1 else ""
    lines = _comment(_said(parts[0]) + either)
    for name, item in _keys_within(value).items():
        own = _parts(_inside(parts, schema), name)
        lines += _comment(f"{name}: {_said(own[0])}", "#   ")
        for deeper in _keys_within(item):
            meaning = _said(_parts(_inside(own, schema), deeper)[0])
            lines += _comment(f"{name}.{deeper}: {meaning}", "#   ")
    return lines


def _said(part: Schema) -> str:
    return str(part.get("description", WHICH))


def _keys_within(value: object) -> PlainData:
    """The keys of a table, or of all tables in a list."""
    if isinstance(value, Mapping):
        return dict(value)
    items = value if isinstance(value, list) else []
    return {key: item for table in items for key, item in _keys_within(table).items()}


def _comment(text: str, mark: str = "# ") -> list[str]:
    one_line = " ".join(text.split())
    return textwrap.wrap(
        one_line, _WIDTH, initial_indent=mark, subsequent_indent=mark, break_on_hyphens=False
    )
