"""`gough export recording`: results of a motion as an MCAP recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.exporting import show_files
from gough.cli.options import OverwriteOption, check_new, saved_as
from gough.cli.output import JsonOption, ResultArgument


def recording(
    folder: ResultArgument,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Recording (.mcap). Default: the folder's name with .mcap.",
            callback=saved_as(".mcap"),
        ),
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write results of a motion as an MCAP recording of ROS 2, which Foxglove opens.

    Example:  gough export recording machining -o machining.mcap
    """
    from gough.analysis.results import Results
    from gough.exchange import export_mcap

    path = output or Path(f"{folder.resolve().name}.mcap")
    check_new(path, overwrite)
    export_mcap(Results.load(folder), path, overwrite=overwrite)
    show_files([path], as_json)
