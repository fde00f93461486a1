"""What pages show, before it is HTML: tables with their rows and cells, and cards of key figures.

The templates of `page/templates` turn these into HTML, and escape every text while doing so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Cell(NamedTuple):
    """One cell of a table."""

    text: str = ""
    unit: str = ""
    """Shown behind the text."""
    kind: str = ""
    """Classes of the style sheet: words, named, alert, worst, none."""
    time: float | None = None
    """A time [s] that moves the page's cursor there."""
    order: str | None = None
    """By what rows are sorted."""
    hint: str = ""
    """Shown while the pointer is there."""
    more: tuple[str, ...] = ()
    """Further sentences: their number on the screen, all of them on paper."""
    matrix: Sequence[Sequence[str]] = ()
    """Numbers folded away under the text."""


class Head(NamedTuple):
    """The heading of a column."""

    title: str
    unit: str = ""
    kind: str = ""
    hint: str = ""


class Row(NamedTuple):
    """A row of a table."""

    cells: Sequence[Cell]
    name: str = ""
    """Its heading, if it has one."""
    leg: int = 0
    """The leg whose colour stands beside the name, if any."""
    point: int | None = None
    """The point of a grid that it is about."""


class Table(NamedTuple):
    """A table under its title."""

    title: str
    heads: Sequence[Head]
    rows: Sequence[Row]
    note: str = ""
    columns: int = 0
    """So many columns besides the first are equally wide."""


class Card(NamedTuple):
    """A key figure: its value in large letters, and a line below it."""

    title: str
    value: str
    unit: str = ""
    below: str = ""
    time: float | None = None
    """A time [s] at the end of that line, which moves the page's cursor there."""
    hint: str = ""
    alarming: bool = False
