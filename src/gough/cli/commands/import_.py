"""`gough import`: a robot file from a file of another tool: MJCF, or URDF with its loops."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.option_checks import OverwriteOption, check_new, robot_file_option
from gough.cli.output import JsonOption, print_json, say


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An MJCF (.xml) or URDF file.")],
    loops: Annotated[
        Path | None,
        typer.Option(
            "--loops",
            metavar="FILE",
            help="Of URDF: the YAML file that closes its loops and names its motors.",
        ),
    ] = None,
    platform: Annotated[
        str | None,
        typer.Option(
            "--platform",
            metavar="NAME",
            help="The body that is the platform, or a site or frame on it that is its frame; "
            "needed where several bodies could be.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        robot_file_option("The robot file, .toml or .json: by default FILE's name in .toml."),
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a robot file of an MJCF or URDF file.

    What the file says and Gough has no place for is told.

    Example:  gough import stewart.xml -o stewart.toml
    """
    from gough.exchange import imported
    from gough.robot import save

    path = output or Path(f"{file.stem}.toml")
    check_new(path, overwrite)
    found = imported(file, loops=loops, platform=platform)
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
