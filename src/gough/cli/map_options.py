"""A map over the workspace, on the command line: its plane, and what it is about."""

from __future__ import annotations

from typing import Annotated

import typer

MapAxesOption = Annotated[
    tuple[str, str],
    typer.Option("--axes", metavar="NAME NAME", help="The plane of the map, such as x yaw."),
]
TurningOption = Annotated[
    bool, typer.Option("--turning", help="The map is about turns instead of ways.")
]
