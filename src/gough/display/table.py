"""Tables of results: rows of values with units, for terminals, notebooks and pages alike."""

from collections.abc import Callable, Iterable, Sequence
from math import isnan
from typing import Any, NamedTuple, Self

from gough.digits import ROUNDING, short_decimal, with_powers

Value = str | float | bool | None | Sequence[float]
"""Text, a number, yes or no, nothing known, or a few numbers side by side."""
Rows = list[tuple[str, Value, str]]
"""Facts: name, value and unit each."""


class Cell(NamedTuple):
    """One cell of a table."""

    value: Value = ""
    unit: str = ""
    """Shown behind the value."""
    kind: str = ""
    """Classes of the pages' style sheet: words, named, alert, worst, none."""
    time: float | None = None
    """A time [s] in place of a value; in a page it moves the cursor there."""
    order: str | None = None
    """By what rows of a page are sorted."""
    hint: str = ""
    """Shown while the pointer is there."""
    more: tuple[str, ...] = ()
    """Further sentences: their number on the screen, all of them on paper."""
    matrix: Sequence[Sequence[str]] = ()
    """Numbers folded away under the value."""

    def text(self, number: Callable[[float], str] = short_decimal) -> str:
        """The value or the time, without its unit; numbers as a function writes them."""
        return value_text(self.value, number) if self.time is None else f"{number(self.time)} s"


class Head(NamedTuple):
    """The heading of a column."""

    title: str
    unit: str = ""
    kind: str = ""
    hint: str = ""

    @property
    def text(self) -> str:
        """The title, with its unit in brackets."""
        unit = shown_unit(self.unit)
        return f"{self.title} [{unit}]" if unit else self.title


class TableRow(NamedTuple):
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
    """One for each column, that of the rows' names included."""
    rows: Sequence[TableRow]
    note: str = ""
    """Note below the table."""
    columns: int = 0
    """Number of columns besides the first that are equally wide in a page."""
    most: int = 0
    """Maximum number of rows where there is little room; 0 for all."""

    @classmethod
    def of(
        cls,
        title: str,
        heads: Iterable[str | Head],
        rows: Iterable[Sequence[object]],
        note: str = "",
        *,
        most: int = 0,
    ) -> Self:
        """A table of plain values; a heading such as "mass [kg]" has its unit in brackets."""
        made = [_head(head) for head in heads]
        listed = [TableRow([_cell(value) for value in row]) for row in rows]
        return cls(title, made, listed, note, most=most)

    @classmethod
    def properties(cls, title: str, rows: Iterable[tuple[str, Value, str]], note: str = "") -> Self:
        """A table of facts: name, value and unit each."""
        listed = [TableRow([Cell(value, unit)], name) for name, value, unit in rows]
        return cls(title, [Head(""), Head("")], listed, note)


def value_text(value: Value, number: Callable[[float], str] = short_decimal) -> str:
    """A value as text; numbers as a function writes them."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return str(value)
    return number(value) if isinstance(value, float) else _side_by_side(value, number)


def shown_unit(unit: str) -> str:
    """A unit with its powers raised; empty for plain numbers, whose unit is 1."""
    return "" if unit == "1" else with_powers(unit)


def vector(values: Iterable[float], digits: int = 4) -> str:
    """Return a few numbers side by side; rounding errors beside their maximum are 0."""
    return _side_by_side(values, lambda x: short_decimal(x, digits))


def _side_by_side(values: Iterable[float], number: Callable[[float], str]) -> str:
    numbers = [float(x) for x in values]
    least = ROUNDING * max(map(abs, numbers), default=0.0)
    return "  ".join(number(x if abs(x) > least else 0.0) for x in numbers)


def _head(head: str | Head) -> Head:
    if isinstance(head, Head):
        return head
    title, bracket, unit = head.partition(" [")
    return Head(title, unit.removesuffix("]")) if bracket else Head(head)


def _cell(value: Any) -> Cell:
    if isinstance(value, Cell):
        return value
    is_scalar = getattr(value, "shape", None) == ()  # of NumPy
    return Cell(value.item() if is_scalar else value)
