"""The JSON Schema of robot files, for editors. `python -m gough.robot.schema` writes it anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from gough.robot.written import WrittenRobot

SCHEMA_FILE = Path(__file__).with_name("gough-1.schema.json")


class _ForEditors(GenerateJsonSchema):
    """A key that may be left out is simply not required (TOML has no null), and has no title."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        described = super().default_schema(schema)
        if described.get("default") in (None, ""):
            described.pop("default", None)
        return described

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what a user may write in a robot file."""
    return schema_of(WrittenRobot, "Gough robot file, version 1")


def schema_of(table: type[BaseModel], title: str) -> dict[str, Any]:
    """Return the JSON Schema of a file that consists of a table."""
    described = table.model_json_schema(schema_generator=_ForEditors)
    for part in described["$defs"].values():
        del part["title"]  # the name of a class
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **described,
        "title": title,
    }


def schema_text() -> str:
    """Return the JSON Schema as it stands in the file."""
    return as_text(schema())


def as_text(described: dict[str, Any]) -> str:
    """Return a JSON Schema as it stands in a file."""
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
