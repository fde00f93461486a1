"""How far a robot's numbers lie apart, on the command line: --spread."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

SpreadOption = Annotated[
    list[str],
    typer.Option(
        "--spread",
        metavar="NAME=SIZE|FILE",
        help='Standard deviations of numbers: "legs[*].base=50 um", "platform.mass=1 %"; "=±50 um" '
        "for anywhere within. Or a file of these.",
    ),
]


def spread_from(options: list[str]) -> dict[str, Any]:
    """What all --spread options say together; the last one counts."""
    from gough.fields.user_files import read_table

    found: dict[str, Any] = {}
    for option in options:
        name, equals, size = option.partition("=")
        found |= {name.strip(): _size(size)} if equals else read_table(Path(option), "a spread")
    return found


def _size(text: str) -> Any:
    """A number without a unit is in SI."""
    with suppress(ValueError):
        return float(text)
    return text
