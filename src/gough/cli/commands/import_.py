"""`gough import`: a robot file from a file of another tool: MJCF, or URDF with its loops."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.options import OverwriteOption, check_new, robot_file_option
from gough.cli.output import JsonOption, print_json, say


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An MJCF (.xml) or URDF file.")],
    loop_closures: Annotated[
        Path | None,
        typer.Option(
            "--loop-closures",
            metavar="FILE",
            help="YAML file that closes the loops of a URDF and names its motors.",
        ),
    ] = None,
    platform: Annotated[
        str | None,
        typer.Option(
            "--platform",
            metavar="NAME",
            help="Body that is the platform, or a site or frame on it; needed where several bodies "
            "could be.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        robot_file_option("Robot file (.toml, .json). Default: FILE's name in .toml."),
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Make a robot file of an MJCF or URDF file.

    Contents that a robot file cannot hold are listed.

    Example:  gough import stewart.xml -o stewart.toml
    """
    from gough.exchange import imported
    from gough.robot import save

    path = output or Path(f"{file.stem}.toml")
    check_new(path, overwrite)
    found = imported(file, loops=loop_closures, platform=platform)
    save(found.robot, path, in_full=True)
    robot, kind = found.robot, type(found.robot).__name__.lower()
    if as_json:
        print_json(
            {
                "file": str(path),
                "name": robot.name,
                "kind": kind,
                "actuators": len(robot.actuators),
                "left_out": found.left_out,
            }
        )
        return
    say(f"wrote {path}: {robot.name}, a {kind} with {len(robot.actuators)} actuators")
    for line in found.left_out:
        say(line, "left out:")
    say(f"  gough show {shlex.quote(str(path))}")
