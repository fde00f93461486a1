"""Make the pages of all keys of files: `python docs/make_keys.py`.

Types, units, defaults and meanings are those of the JSON Schemas, which come from the records.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from gough.fields import Key, KeyTable, key_tables

FOLDER = Path(__file__).parent
PAGES = {
    "robot-keys.md": (
        "Every key of a hexapod's file",
        "gough.robot", "gough-1.schema.json", "robot", (),
        "What these files are about is in [robot-files.md](robot-files.md), frames, numbers of\n"
        "legs and layouts in pictures in [conventions.md](conventions.md).",
    ),
    "machine-keys.md": (
        "Every key of the file of a machine of any kind",
        "gough.robot", "gough-2.schema.json", "robot-2", (),
        "What these files are about is in [machine-files.md](machine-files.md).",
    ),
    "study-keys.md": (
        "Every key of a study file",
        "gough.studies", "gough-study-1.schema.json", "study", ("robot",),
        "What these files are about is in [studies.md](studies.md), [motions.md](motions.md) and,\n"
        "for the tables that only `gough simulate` takes, in [simulation.md](simulation.md). The\n"
        "keys of a robot that is written in a study as a table are in\n"
        "[robot-keys.md](robot-keys.md) and [machine-keys.md](machine-keys.md).",
    ),
    "design-keys.md": (
        "Every key of a design file",
        "gough.design", "gough-design-1.schema.json", "design", ("robot",),
        "What these files are about is in [design.md](design.md).",
    ),
    "catalogue-keys.md": (
        "Every key of a catalogue of actuators",
        "gough.sizing", "gough-catalogue-1.schema.json", "catalogue", (),
        "What these files are about is in [sizing.md](sizing.md).",
    ),
}  # fmt: skip
"""Of each page its title, where its schema is, what `gough schema` calls it, tables that are not
in it, and what it says first."""

HEAD = """# {title}

{first}
Bare numbers are in the unit given; a text may carry another one, such as `"25 mm"`. "needed"
stands where a key must be given. `gough schema {name}` prints the same for editors.

This page is made by `python docs/make_keys.py`.
"""


def page(name: str) -> str:
    """The text of a page."""
    title, room, schema, kind, without, first = PAGES[name]
    described = json.loads((files(room) / schema).read_text("utf-8"))
    sections = [section(table) for table in key_tables(described, without)]
    return "\n".join([HEAD.format(title=title, first=first, name=kind), *sections])


def section(table: KeyTable) -> str:
    """A table of the file: its heading, its meaning and its keys."""
    places = ", ".join(f"`{place}`" for place in table.places) or "The file itself"
    chosen = f" with `{table.chosen_by}`" if table.chosen_by else ""
    rows = ["| key | value | unit | default | meaning |", "| --- | --- | --- | --- | --- |"]
    rows += [row(key) for key in table.keys]
    meaning = table.meaning.replace("*", r"\*")
    return "\n".join([f"## {places}{chosen}\n", f"{meaning}\n", *rows, ""])


def row(key: Key) -> str:
    """A line of the table of keys; the unit has a column of its own."""
    default = "needed" if key.needed else f"`{key.default}`" if key.default else ""
    meaning = key.meaning.replace(f" [{key.unit}]", "") if key.unit else key.meaning
    cells = (f"`{key.name}`", key.type, key.unit, default, meaning)
    return f"| {' | '.join(cells)} |".replace("*", r"\*").replace("|  ", "| ")


if __name__ == "__main__":
    for name in PAGES:
        (FOLDER / name).write_text(page(name), encoding="utf-8")
