"""Cards for notebooks: a title, a few facts with units, tables, warnings, perhaps a figure.

All styles stand in the elements themselves and take the colours of the text around them, so that a
card looks alike in light and dark notebooks, and in those that drop style sheets.
"""

from collections.abc import Iterable, Sequence
from html import escape
from math import isfinite
from typing import NamedTuple

from gough.digits import short_decimal
from gough.display.table import Cell, Table, shown_unit

FAINT = "rgba(128,128,128,.35)"
"""Colour of lines, on light and on dark."""
MOST_WARNINGS = 5
MOST_ROWS = 16
"""Maximum number of rows of a table in a card."""
_CARD = f"display:inline-block;max-width:52em;border:1px solid {FAINT};border-radius:6px;"
_CARD += "padding:.6em .9em;font-size:13px;line-height:1.45;text-align:left"
_CELL = "text-align:{align};padding:.12em .7em .12em 0;vertical-align:top;background:none;border:0"
_HEADING = f"{_CELL};font-weight:normal;opacity:.65;border-bottom:1px solid {FAINT}"
_TABLE = "border-collapse:collapse;margin:.4em 0 0;font-size:13px;border:0"
_TITLE = "margin:.6em 0 0;font-weight:600"
_NOTE = "margin:.3em 0 0;opacity:.8;max-width:46em"
_SIDES = "display:flex;gap:1.4em;align-items:flex-start"


class Fact(NamedTuple):
    """Something that is known, with its unit."""

    name: str
    value: str
    unit: str = ""


def card(
    title: str, kind: str, *parts: str, picture: str = "", warnings: Sequence[str] = ()
) -> str:
    """A card of parts that `facts`, `grid` and `folded` make; the picture stands beside them."""
    heading = f'<b style="font-size:14px">{escape(title)}</b>'
    heading += f' <span style="opacity:.65">{escape(kind)}</span>'
    body = "".join((*parts, *map(_warning, _first(warnings))))
    inner = f'<div style="{_SIDES}">{picture}<div>{body}</div></div>' if picture else body
    return f'<div style="{_CARD}"><div>{heading}</div>{inner}</div>'


def facts(known: Iterable[Fact]) -> str:
    """A row for each fact; none for one without a value."""
    return _table(
        [_cell(fact.name, faint=True), _cell(f"{fact.value} {fact.unit}".rstrip())]
        for fact in known
        if fact.value
    )


def grid(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int]) -> str:
    """A table under headings; the columns at some places are numbers."""
    aligned = ["right" if k in numbers else "left" for k in range(len(headings))]
    head = [
        f'<th style="{_HEADING.format(align=align)}">{escape(text)}</th>'
        for text, align in zip(headings, aligned, strict=True)
    ]
    return _table([head, *([*map(_cell, row, aligned)] for row in rows)])


def _table(rows: Iterable[Sequence[str]]) -> str:
    """A table of rows of cells."""
    body = "".join(f'<tr style="background:none">{"".join(cells)}</tr>' for cells in rows)
    return f'<table style="{_TABLE}">{body}</table>'


def table_part(table: Table) -> str:
    """A table of a result: facts as they are, others under headings."""
    rows = table.rows[: table.most or MOST_ROWS]
    title = f'<div style="{_TITLE}">{escape(table.title)}</div>' if table.title else ""
    if not rows:
        body = ""
    elif not table.heads[0].title and all(len(row.cells) == 1 for row in rows):
        body = facts(Fact(row.name, _with_unit(row.cells[0])) for row in rows)
    else:
        texts = [[*([row.name] if row.name else []), *map(_with_unit, row.cells)] for row in rows]
        numbers = [k for k, own in enumerate(zip(*texts, strict=True)) if all(map(_is_number, own))]
        body = grid([head.text for head in table.heads], texts, numbers)
    more = len(table.rows) - len(rows)
    lines = [*([f"and {more} more"] if more else []), *filter(None, table.note.split("\n"))]
    return title + body + "".join(f'<div style="{_NOTE}">{escape(line)}</div>' for line in lines)


def folded(summary: str, words: str) -> str:
    """Return words that a click unfolds; empty without words."""
    if not words:
        return ""
    style = "margin:.4em 0 0;opacity:.8;max-width:46em;white-space:normal"
    return f'<details style="{style}"><summary>{escape(summary)}</summary>{escape(words)}</details>'


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


def _cell(text: str, align: str = "left", *, faint: bool = False) -> str:
    style = _CELL.format(align=align) + (";opacity:.65;white-space:nowrap" if faint else "")
    return f'<td style="{style}">{escape(text)}</td>'


def _warning(words: str) -> str:
    style = "margin:.4em 0 0;padding-left:.6em;border-left:3px solid #d97706;max-width:46em"
    return f'<div style="{style}">{escape(words)}</div>'


def _first(warnings: Sequence[str]) -> list[str]:
    more = len(warnings) - MOST_WARNINGS
    return [*warnings[:MOST_WARNINGS], *([f"and {more} more warnings"] if more > 0 else [])]
