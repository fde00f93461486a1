"""`gough export`: a kernel as source: C99, CUDA, JavaScript or WebAssembly."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.output import JsonOption, RobotArgument, print_json, say


class Language(StrEnum):
    """What a kernel can be written in."""

    C = "c"
    CUDA = "cuda"
    JAVASCRIPT = "js"
    WEBASSEMBLY = "wasm"


def _kernel_names() -> list[str]:
    from gough.model.kernels import Kernels

    return list(Kernels.__annotations__)


def export(
    robot: RobotArgument,
    kernel: Annotated[
        str,
        typer.Argument(
            metavar="KERNEL",
            help="A kernel, such as inverse_kinematics; a wrong one lists all.",
            autocompletion=_kernel_names,
        ),
    ],
    to: Annotated[Language, typer.Option("--to", help="The language.")] = Language.C,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")
    ] = Path(),
    single: Annotated[
        bool, typer.Option("--float32", help="Single precision (CUDA only).")
    ] = False,
    parametric: Annotated[
        bool, typer.Option("--parametric", help="Take the robot's numbers as an argument.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a kernel as source code: C99 for controllers, CUDA for GPUs, js or wasm for browsers.

    Example:  gough export kalani-2016 inverse_kinematics --to c -o generated
    """
    from gough.exchange.source import export_kernel
    from gough.kinematics.model import Model
    from gough.robot import load

    model = Model(load(robot), parametric=parametric)
    dtype = "float32" if single else "float64"
    paths = export_kernel(model, kernel, to.value, output, dtype=dtype)
    if as_json:
        print_json({"files": [str(path) for path in paths]})
        return
    for path in paths:
        say(f"wrote {path}")
