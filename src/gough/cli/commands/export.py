"""`gough export`: a machine for other tools: source code of its kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.export_formats import Asked, Format, written
from gough.cli.output import JsonOption, RobotArgument, print_json, say


def _part_names() -> list[str]:
    from gough.model.kernels import Kernels

    return list(Kernels.__annotations__)


def export(
    robot: RobotArgument,
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PART",
            help="What of it: a kernel, such as inverse_kinematics; a wrong one lists all.",
            autocompletion=_part_names,
            show_default=False,
        ),
    ] = None,
    to: Annotated[Format, typer.Option("--to", help="The format.")] = Format.C,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")
    ] = Path(),
    single: Annotated[bool, typer.Option("--float32", help="Single precision (cuda).")] = False,
    parametric: Annotated[
        bool, typer.Option("--parametric", help="Take the robot's numbers as an argument.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a machine for other tools: C99 for controllers, CUDA for GPUs, js or wasm for browsers.

    st is Structured Text for PLCs, linuxcnc a kinematics component of LinuxCNC.

    Example:  gough export kalani-2016 inverse_kinematics --to c -o generated
    """
    from gough.robot import load

    options = {"--float32": single, "--parametric": parametric}
    given = {name: value for name, value in options.items() if value}
    paths = written(Asked(load(robot), parts or [], to, output, given))
    if as_json:
        print_json({"files": [str(path) for path in paths]})
        return
    for path in paths:
        say(f"wrote {path}")
