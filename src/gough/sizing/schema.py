"""The JSON Schema of catalogues, for editors. `python -m gough.sizing.schema` writes it anew."""

from __future__ import annotations

from pathlib import Path

from gough.fields.json_schema import as_text, schema_of
from gough.sizing.records import Catalogue

SCHEMA_FILE = Path(__file__).with_name("gough-catalogue-1.schema.json")


def schema_text() -> str:
    """Return the JSON Schema of what a user may write, as it stands in the file."""
    return as_text(schema_of(Catalogue, "Gough catalogue of actuators, version 1"))


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
