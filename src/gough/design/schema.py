"""The JSON Schema of design files, for editors. `python -m gough.design.schema` writes it anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gough.design.reading import WrittenDesign
from gough.fields.json_schema import as_text, schema_of

SCHEMA_FILE = Path(__file__).with_name("gough-design-1.schema.json")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what a user may write in a design file."""
    return schema_of(WrittenDesign, "Gough design file, version 1")


def schema_text() -> str:
    """Return the JSON Schema as it stands in the file."""
    return as_text(schema())


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
