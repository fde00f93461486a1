"""The JSON Schemas of robot files, for editors. `python -m gough.robot.schema` writes them anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from gough.fields.json_schema import as_text, schema_of
from gough.fields.table import Table
from gough.robot.mechanism_reading import WrittenMechanism
from gough.robot.written import WrittenRobot

TABLES: Final[dict[int, type[Table]]] = {1: WrittenRobot, 2: WrittenMechanism}
"""What a user may write, by the version of the file."""


def schema_file(version: int) -> Path:
    """Return where the JSON Schema of a version stands."""
    return Path(__file__).with_name(f"gough-{version}.schema.json")


def schema(version: int) -> dict[str, Any]:
    """Return the JSON Schema of what a user may write in a robot file of a version."""
    return schema_of(TABLES[version], f"Gough robot file, version {version}")


def schema_text(version: int) -> str:
    """Return the JSON Schema as it stands in the file."""
    return as_text(schema(version))


if __name__ == "__main__":
    for version in TABLES:
        schema_file(version).write_text(schema_text(version), encoding="utf-8")
