"""Files that a command writes: nothing that is there is written over without being told to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.errors import GoughError

OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Write over a file that is there.", is_eager=True)
]
"""Known before the options that name files, which ask for it."""


def check_new(path: Path | None, overwrite: bool) -> None:
    """Refuse a file that is there already, unless it may be written over."""
    if path is not None and path.exists() and not overwrite:
        raise GoughError(f"{path} is there already; give another name, or --overwrite")


def write_text(path: Path, text: str) -> None:
    """Write a text to a file, whole or not at all."""
    from gough.disk.files import whole

    with whole(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
