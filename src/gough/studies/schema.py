"""The JSON Schema of study files, for editors. `python -m gough.studies.schema` writes it anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gough.fields.json_schema import as_text, schema_of
from gough.studies.reading import WrittenStudy
from gough.studies.simulation_tables import SimulationTables

SCHEMA_FILE = Path(__file__).with_name("gough-study-1.schema.json")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what a user may write in a study file.

    A study may also have the tables of a simulation, none of which it needs.
    """
    described = schema_of(WrittenStudy, "Gough study file, version 1")
    simulated = schema_of(SimulationTables, "")
    for part in ("properties", "$defs"):
        described[part] |= simulated[part]
    return described


def schema_text() -> str:
    """Return the JSON Schema as it stands in the file."""
    return as_text(schema())


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
