"""`gough view`: the machine in the browser, to be moved by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.commands.run import PointOption
from gough.cli.options import OverwriteOption
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say


def view(
    robot: RobotArgument,
    study: Annotated[
        Path | None,
        typer.Option(
            metavar="STUDY", help="Study of the robot whose motion, load and frames are shown."
        ),
    ] = None,
    point: PointOption = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Page (.html). Default: ROBOT.html."),
    ] = None,
    opened: Annotated[
        bool | None,
        typer.Option("--open/--no-open", help="Open it in the browser. Default: on a terminal."),
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write an interactive page of the robot, the workbench, and open it in the browser.

    It is one file that needs neither a network nor Gough, and computes everything itself.

    With a study it opens with the study's motion, which is played beside charts of its forces.

    Example:  gough view demo-hexapod --study studies/demo-machining.toml
    """
    import webbrowser

    from gough.robot import load
    from gough.workbench import write_workbench

    machine = load(robot)
    path = output or Path(f"{Path(robot).stem}.html")  # its own name may be any text
    write_workbench(machine, path, study=study, point=point, overwrite=overwrite)
    size = path.stat().st_size
    if as_json:
        print_json({"file": str(path), "bytes": size})
    else:
        say(f"wrote {path} ({size / 1000:.0f} kB)")
    if console.is_terminal if opened is None else opened:
        webbrowser.open(path.resolve().as_uri())
