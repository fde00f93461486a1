"""Make the pages of all keys of files: `python docs/make_keys.py`.

Types, units, defaults and meanings are those of the JSON Schemas, which come from the records.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from file_keys import Key, KeyTable, key_tables

FOLDER = Path(__file__).parent / "reference"
PAGES = {
    "robot-keys.md": (
        "Keys of a hexapod's file",
        "gough.robot", "gough-1.schema.json", "robot", (),
        "[robot-files.md](robot-files.md) explains these files; frames, numbering of legs and\n"
        "layouts are shown in [conventions.md](conventions.md).",
    ),
    "machine-keys.md": (
        "Keys of a mechanism's file",
        "gough.robot", "gough-2.schema.json", "robot-2", (),
        "[machine-files.md](machine-files.md) explains these files.",
    ),
    "study-keys.md": (
        "Keys of a study file",
        "gough.studies", "gough-study-1.schema.json", "study", ("robot",),
        "[studies.md](../how-to/studies.md) and [motions.md](motions.md) explain these files,\n"
        "[simulation.md](../how-to/simulation.md) the tables of simulations. A robot written\n"
        "in a study as a table has the keys of [robot-keys.md](robot-keys.md) or\n"
        "[machine-keys.md](machine-keys.md).",
    ),
    "design-keys.md": (
        "Keys of a design file",
        "gough.design", "gough-design-1.schema.json", "design", ("robot",),
        "[design.md](../how-to/design.md) explains these files.",
    ),
    "catalogue-keys.md": (
        "Keys of an actuator catalogue",
        "gough.sizing", "gough-catalogue-1.schema.json", "catalogue", (),
        "[sizing.md](../how-to/sizing.md) explains these files.",
    ),
}  # fmt: skip
"""Title, package and name of the schema, name for `gough schema`, tables left out and first
sentences of each page."""

HEAD = """# {title}

{first}
Bare numbers are in the unit given; a text may carry another one, such as `"25 mm"`. The default
"needed" marks required keys. `gough schema {name}` prints the schema for editors.

This page is made by `python docs/make_keys.py`.
"""


def page(name: str) -> str:
    """Return the text of a page."""
    title, room, schema, kind, without, first = PAGES[name]
    described = json.loads((files(room) / schema).read_text("utf-8"))
    sections = [section(table) for table in key_tables(described, without)]
    return "\n".join([HEAD.format(title=title, first=first, name=kind), *sections])


def section(table: KeyTable) -> str:
    """Return a table of the file: its heading, its meaning and its keys."""
    places = ", ".join(f"`{place}`" for place in table.places) or "The file itself"
    chosen = f" with `{table.chosen_by}`" if table.chosen_by else ""
    rows = ["| key | value | unit | default | meaning |", "| --- | --- | --- | --- | --- |"]
    rows += [row(key) for key in table.keys]
    meaning = table.meaning.replace("*", r"\*")
    return "\n".join([f"## {places}{chosen}\n", f"{meaning}\n", *rows, ""])


def row(key: Key) -> str:
    """Return a row of the table of keys; the unit has a column of its own."""
    default = "needed" if key.needed else f"`{key.default}`" if key.default else ""
    meaning = key.meaning.replace(f" [{key.unit}]", "") if key.unit else key.meaning
    cells = (f"`{key.name}`", key.type, key.unit, default, meaning)
    return f"| {' | '.join(cells)} |".replace("*", r"\*").replace("|  ", "| ")


if __name__ == "__main__":
    for name in PAGES:
        (FOLDER / name).write_text(page(name), encoding="utf-8")
