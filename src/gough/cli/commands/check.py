"""`gough check`: whether a file describes a robot, a study or a design."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.output import JsonOption, show


def check(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A robot, study or design file (.toml, .json).")
    ],
    as_json: JsonOption = False,
) -> None:
    """Check a robot, study or design file: all that is wrong, or what it describes. Nothing is run.

    Example:  gough check my-hexapod.toml
    """
    from gough.runs.checking import check_file

    found = check_file(file)
    show(found, as_json, notes=found.notes)
