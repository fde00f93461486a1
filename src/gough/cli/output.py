"""What the commands share: the robot argument, tables with units, plain data, complaints."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gough.digits import ROUNDING, short_decimal


def _library_names() -> list[str]:
    from gough.robot import library_names

    return list(library_names())


RobotArgument = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A library name (see 'gough robots') or a .toml / .json file.",
        autocompletion=_library_names,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print plain data (JSON) instead.")]

UsageError: type[Exception] = typer.BadParameter.__bases__[0]  # of all that can be typed wrongly

console = Console(emoji=False)  # ":x:" in a name is no picture

# What could move the cursor, colour the screen or turn the order of letters round.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class Interrupted(Exception):  # noqa: N818  (nothing is wrong)
    """The user ended a command; the words say what is left of its work."""


def wrong_usage(option: str, problem: str) -> typer.BadParameter:
    """The error for a value that an option cannot take."""
    return typer.BadParameter(problem, param_hint=f"'{option}'")


def usage_error(problem: str) -> Exception:
    """The error for options that do not fit together, or are missing."""
    return UsageError(problem)


def shown(text: object) -> str:
    """A user's text for the console, in one line: nothing in it acts on the terminal."""
    visible = _CONTROL.sub(_named, str(text)).replace("\n", "\\n")
    return escape(visible)


def shown_lines(text: str) -> str:
    """The same for a text that may have several lines."""
    return "\n".join(shown(line) for line in text.split("\n"))


def _named(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """A table whose numbers stand to the right; columns carry their units."""
    made = Table(
        title=shown(title),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        title_style="bold",
        padding=(0, 1, 0, 0),
    )
    texts = [[_text(cell) for cell in row] for row in rows]
    for k, column in enumerate(columns):
        numeric = all(_is_number(row[k]) for row in texts)
        made.add_column(shown(column), justify="right" if numeric else "left")
    for row in texts:
        made.add_row(*(shown(text) for text in row))
    return made


def say(text: str, mark: str = "", color: str = "yellow") -> None:
    """A line of plain text, with a coloured word before it; brackets in it are not markup."""
    word = f"[bold {color}]{mark}[/] " if mark else ""
    console.print(word + shown(text), soft_wrap=True)


def complain(text: str) -> None:
    """What went wrong, on standard error."""
    errors = Console(stderr=True, emoji=False)
    errors.print(f"[bold red]gough:[/] {shown_lines(text)}", soft_wrap=True)


def print_json(data: Any) -> None:
    """Plain data on standard output; numbers that are not finite are null, as JSON has none."""
    from gough.disk.plain_data import plain

    unicode = sys.stdout.encoding.lower() == "utf-8"
    text = json.dumps(plain(data), indent=2, ensure_ascii=not unicode, allow_nan=False)
    print(_CONTROL.sub(_named, text))


def vector(values: Iterable[float], digits: int = 4) -> str:
    """A few numbers side by side; what is rounding beside the largest of them is 0."""
    numbers = list(values)
    least = ROUNDING * max(map(abs, numbers), default=0.0)
    return "  ".join(short_decimal(x if abs(x) > least else 0.0, digits) for x in numbers)


def diagonal(inertia: Sequence[Sequence[float]]) -> list[float]:
    """Of a matrix of inertia: about x, y and z."""
    return [inertia[k][k] for k in range(3)]


def _text(cell: object) -> str:
    if cell is None:
        return "–"
    return short_decimal(cell) if isinstance(cell, float) else str(cell)


def _is_number(text: str) -> bool:
    return text == "–" or text.replace(".", "").replace("-", "").replace("e", "").isdigit()
