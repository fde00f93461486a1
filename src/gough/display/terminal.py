"""Tables and lines in a terminal: nothing in a user's text acts on it."""

import re
from collections.abc import Iterable
from io import StringIO

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from gough.display.table import Table, shown_unit

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that could move the cursor, colour the screen or reverse the order of letters."""
WIDTH = 100  # letters of a line of text that goes to no terminal


def spelt(found: re.Match[str]) -> str:
    """Return a control character as it is written in programs."""
    return f"\\u{ord(found[0]):04x}"


def literal(text: object) -> str:
    """Return a user's text for the console, in one line, with control characters written out."""
    return escape(CONTROL.sub(spelt, str(text)).replace("\n", "\\n"))


def literal_lines(text: str) -> str:
    """Return a user's text of several lines for the console, as `literal` does one."""
    return "\n".join(literal(line) for line in text.split("\n"))


def print_table(console: Console, table: Table) -> None:
    """Print a table whose numbers stand to the right, and the note below it."""
    if table.rows:
        console.print(rich_table(table))
    if 0 < table.most < len(table.rows):
        console.print(f"and {len(table.rows) - table.most} more", style="dim")
    if table.note:
        console.print(literal_lines(table.note), soft_wrap=True)


def rich_table(table: Table) -> RichTable:
    """Return a table for a console of rich."""
    columns = _columns(table)
    made = RichTable(
        title=literal(table.title) if table.title else None,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        padding=(0, 1, 0, 0),
        show_header=any(heading for heading, _ in columns),
    )
    for heading, texts in columns:
        right = all(map(_is_number, texts))
        made.add_column(literal(heading), justify="right" if right else "left", overflow="fold")
    shown = table.most or len(table.rows)
    for row in list(zip(*(texts for _, texts in columns), strict=True))[:shown]:
        made.add_row(*map(literal, row))
    return made


def text_of(tables: Iterable[Table]) -> str:
    """Tables as plain text."""
    console = Console(file=StringIO(), width=WIDTH, emoji=False, color_system=None)
    for table in tables:
        print_table(console, table)
    made = console.file.getvalue()  # type: ignore[attr-defined]
    return "\n".join(line.rstrip() for line in made.split("\n")).rstrip()


def _columns(table: Table) -> list[tuple[str, list[str]]]:
    """Headings with the texts below them; units are a column behind the cells that share them."""
    heads, rows = list(table.heads), table.rows
    columns = []
    if any(row.name for row in rows):
        columns.append((heads.pop(0).text, [row.name for row in rows]))
    by_column = list(zip(*(row.cells for row in rows), strict=True))
    units = [[shown_unit(cell.unit) for cell in cells] for cells in by_column]
    for k, (head, cells) in enumerate(zip(heads, by_column, strict=False)):
        columns.append((head.text, [cell.text() for cell in cells]))
        if any(units[k]) and units[k : k + 1] != units[k + 1 : k + 2]:
            columns.append(("unit" if head.title else "", units[k]))
    return columns


def _is_number(text: str) -> bool:
    text = text.removeprefix("⚠ ")
    return text in ("–", "") or text.replace(".", "").replace("-", "").replace("e", "").isdigit()
