"""The JSON Schemas of files, for editors, from the tables that read them.

`python tools/make_schemas.py` writes them anew.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from gough.cli.commands.other_tools import PLACES
from gough.design.reading import WrittenDesign
from gough.robot.mechanism_reading import WrittenMechanism
from gough.robot.reading import WrittenRobot
from gough.sizing.records import Catalogue
from gough.studies.simulation_tables import WrittenSimulatedStudy

TABLES: dict[str, tuple[type[BaseModel], str]] = {
    "robot": (WrittenRobot, "Gough robot file, version 1"),
    "robot-2": (WrittenMechanism, "Gough robot file, version 2"),
    "study": (WrittenSimulatedStudy, "Gough study file, version 1"),
    "design": (WrittenDesign, "Gough design file, version 1"),
    "catalogue": (Catalogue, "Gough catalogue of actuators, version 1"),
}
"""What a user may write, and the title of its schema, by its name for `gough schema`."""


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


def schema(kind: str) -> dict[str, Any]:
    """Return the JSON Schema of what a user may write in a kind of file.

    A study needs none of the tables of a simulation.
    """
    described = schema_of(*TABLES[kind])
    if kind == "study":
        described["required"].remove("controller")
    return described


def schema_text(kind: str) -> str:
    """Return the JSON Schema as it stands in its file."""
    return json.dumps(schema(kind), indent=2, ensure_ascii=False) + "\n"


def schema_file(kind: str) -> Path:
    """Return where it stands."""
    room, name = PLACES[kind]
    return Path(str(files(room) / name))


if __name__ == "__main__":
    for kind in TABLES:
        schema_file(kind).write_text(schema_text(kind), encoding="utf-8")
