"""The JSON Schema of a file, for editors, from the table that reads it."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema


class _ForEditors(GenerateJsonSchema):
    """A key that may be left out is simply not required (TOML has no null), and has no title.

    Only values that somebody would write are called defaults: no empty texts, no whole tables.
    """

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        described = super().default_schema(schema)
        if described.get("default") in (None, "") or isinstance(described.get("default"), dict):
            described.pop("default", None)
        return described

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


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


def as_text(described: dict[str, Any]) -> str:
    """Return a JSON Schema as it stands in a file."""
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"
