"""`gough export`: a kernel as C99 or CUDA source."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.output import RobotArgument, say
from gough.robot import load


def export(
    robot: RobotArgument,
    kernel: Annotated[str, typer.Argument(help="A kernel, such as inverse_kinematics.")],
    to: Annotated[str, typer.Option("--to", metavar="c|cuda", help="The language.")] = "c",
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")
    ] = Path(),
    single: Annotated[
        bool, typer.Option("--float32", help="Single precision (CUDA only).")
    ] = False,
    parametric: Annotated[
        bool, typer.Option("--parametric", help="Take the robot's numbers as an argument.")
    ] = False,
) -> None:
    """Write a kernel as source code: C99 for controllers, CUDA for GPUs.

    Example:  gough export kalani-2016 inverse_kinematics --to c -o generated
    """
    from gough.export import export_kernel  # noqa: PLC0415  (CasADi is slow to import)

    dtype = "float32" if single else "float64"
    for path in export_kernel(load(robot), kernel, to, output, dtype=dtype, parametric=parametric):
        say(f"wrote {path}")
