"""Cards for notebooks: a title, tables with units, warnings, perhaps a figure.

All styles stand in the elements themselves and take the colours of the text around them, so that a
card looks alike in light and dark notebooks, and in those that drop style sheets.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from math import isfinite
from typing import Any

from gough.digits import short_decimal
from gough.display.table import Cell, Table, shown_unit

MOST_WARNINGS = 5
MOST_ROWS = 16  # maximum number of rows of a table in a card


@cache
def _template() -> Any:
    from jinja2 import Environment, PackageLoader  # noqa: PLC0415  (slow to import)

    loader = PackageLoader(__package__, "templates")
    made = Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return made.get_template("card.html")


def card(
    title: str,
    kind: str,
    *tables: Table,
    folded: tuple[str, str] = ("", ""),
    picture: str = "",
    warnings: Sequence[str] = (),
) -> str:
    """A card of tables, and of a heading and words that a click unfolds; the picture beside."""
    more = len(warnings) - MOST_WARNINGS
    told = [*warnings[:MOST_WARNINGS], *([f"and {more} more warnings"] if more > 0 else [])]
    parts = {"tables": [*map(_shown, tables)], "folded": folded, "warnings": told}
    return str(_template().render(title=title, kind=kind, picture=picture, **parts))


def _shown(table: Table) -> dict[str, Any]:
    """A table as texts: facts, each a row without headings if it has a value, or under headings."""
    rows = table.rows[: table.most or MOST_ROWS]
    more = len(table.rows) - len(rows)
    notes = [*([f"and {more} more"] if more else []), *filter(None, table.note.split("\n"))]
    facts = not table.heads[0].title and all(len(row.cells) == 1 for row in rows)
    rows = [row for row in rows if not facts or row.cells[0].text()]
    texts = [[*([row.name] if row.name else []), *map(_with_unit, row.cells)] for row in rows]
    columns = [] if facts else [all(map(_is_number, own)) for own in zip(*texts, strict=True)]
    return {
        "title": table.title,
        "heads": [] if facts else [head.text for head in table.heads],
        "rows": texts,
        "align": ["right" if number else "left" for number in columns] or ["left", "left"],
        "notes": notes,
    }


def number(value: float, digits: int = 4) -> str:
    """A number with few digits; a dash for none."""
    return short_decimal(value, digits) if isfinite(value) else "–"


def span(values: Iterable[float]) -> str:
    """Return one number, or the range from minimum to maximum; empty without numbers."""
    known = sorted({float(value) for value in values if isfinite(value)})
    if not known:
        return ""
    return number(known[0]) + (f" to {number(known[-1])}" if len(known) > 1 else "")


def _with_unit(cell: Cell) -> str:
    return f"{cell.text(number)} {shown_unit(cell.unit)}".rstrip()


def _is_number(text: str) -> bool:
    return text[:1].isdigit() or text[:1] in ("", "-", "–")
