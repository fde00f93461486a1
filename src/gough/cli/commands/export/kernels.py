"""`gough export kernels`: source code of kernels."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.exporting import DirectoryOption, Float32Option, show_files
from gough.cli.options import OverwriteOption
from gough.cli.output import JsonOption, RobotArgument, print_tables, usage_error, wrong_usage


class Language(StrEnum):
    """Languages of kernels."""

    C = "c"
    CUDA = "cuda"
    JAVASCRIPT = "js"
    WEBASSEMBLY = "wasm"
    STRUCTURED_TEXT = "st"


def _kernel_names() -> list[str]:
    from gough.model.kernels import Kernels

    return ["forward_kinematics", *Kernels.__annotations__]


def kernels(
    robot: RobotArgument,
    kernel: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KERNEL",
            help="Kernels, such as inverse_kinematics; a wrong name lists all.",
            autocompletion=_kernel_names,
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        Language, typer.Option("--to", metavar="FORMAT", help="Format: one of those above.")
    ] = Language.C,
    output: DirectoryOption = Path(),
    everything: Annotated[
        bool, typer.Option("--all", help="All kernels; in C as one library.")
    ] = False,
    prefix: Annotated[
        str | None, typer.Option(metavar="WORD", help="Prefix of the names of functions.")
    ] = None,
    at_once: Annotated[
        bool, typer.Option("--at-once", help="One function that computes all kernels named.")
    ] = False,
    float32: Float32Option = False,
    parametric: Annotated[
        bool, typer.Option("--parametric", help="Take the robot's numbers as an argument.")
    ] = False,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write kernels as source code.

    Formats: c for controllers, st for PLCs, cuda for GPUs, js or wasm for browsers.

    Example:  gough export kernels kalani-2016 inverse_kinematics --to c -o generated
    """
    from gough.display import Table
    from gough.exchange.source import export_kernels
    from gough.kinematics.model import Model
    from gough.robot import load

    if everything == bool(kernel):
        raise usage_error("expected names of kernels, or --all")
    if float32 and to not in (Language.C, Language.CUDA):
        raise wrong_usage("--float32", f"not for --to {to}; for c, cuda")
    done = export_kernels(
        Model(load(robot), parametric=parametric),
        output,
        None if everything else kernel,
        language=to.value,
        dtype="float32" if float32 else "float64",
        at_once=at_once,
        prefix=prefix or "",
        overwrite=overwrite,
    )
    counts = {
        name: {"one pass": one, "at most": most} for name, (one, most) in done.operations.items()
    }
    remarks = [f"{part} is left out: {why}" for part, why in done.left_out.items()]
    if not as_json:
        rows = [(name, *count.values()) for name, count in counts.items()]
        columns = ("function", "operations, one pass of each iteration", "at most")
        print_tables([Table.of("", columns, rows)])
    show_files(done.paths, as_json, remarks, {"operations": counts})
