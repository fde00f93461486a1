"""`gough schema`: what may stand in a file, for editors."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from importlib.resources import files
from typing import Annotated

import typer


class FileKind(StrEnum):
    """The files that Gough reads."""

    ROBOT = "robot"
    ROBOT_2 = "robot-2"
    STUDY = "study"
    DESIGN = "design"
    CATALOGUE = "catalogue"


PLACES: Mapping[str, tuple[str, str]] = {
    FileKind.ROBOT: ("gough.robot", "gough-1.schema.json"),
    FileKind.ROBOT_2: ("gough.robot", "gough-2.schema.json"),
    FileKind.STUDY: ("gough.studies", "gough-study-1.schema.json"),
    FileKind.DESIGN: ("gough.design", "gough-design-1.schema.json"),
    FileKind.CATALOGUE: ("gough.sizing", "gough-catalogue-1.schema.json"),
}


def schema(
    kind: Annotated[
        FileKind,
        typer.Argument(metavar="robot|robot-2|study|design|catalogue", help="Which kind of file."),
    ],
) -> None:
    """Print the JSON Schema of a kind of file: every key, its values and its meaning.

    For robot files of version 2, for mechanisms: 'robot-2'.

    Editors complete and check what you write when the first line of a file names it:
    '#:schema study.schema.json'.

    Example:  gough schema study
    """
    room, name = PLACES[kind]
    typer.echo((files(room) / name).read_text(encoding="utf-8"), nl=False)
