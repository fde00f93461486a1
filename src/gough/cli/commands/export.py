"""`gough export`: a machine for other tools: source code of its kernels, FMUs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.controller_options import FREQUENCY, INTEGRAL_RATE, KIND, PERIOD
from gough.cli.export_formats import FMU_PARTS, Asked, Format, written
from gough.cli.output import JsonOption, RobotArgument, print_json, say


def _part_names() -> list[str]:
    from gough.model.kernels import Kernels

    return [*FMU_PARTS, *Kernels.__annotations__]


def export(
    robot: RobotArgument,
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PART",
            help="What of it: a kernel, such as inverse_kinematics; a wrong one lists all. Of an "
            "fmu: plant, controller, or both.",
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
    fmi: Annotated[int | None, typer.Option(help="FMI's version (fmu): 3, or 2.")] = None,
    drives: Annotated[bool, typer.Option("--drives", help="With its motors (fmu).")] = False,
    friction: Annotated[bool, typer.Option("--friction", help="Of its joints (fmu).")] = False,
    stops: Annotated[bool, typer.Option("--stops", help="With end stops (fmu).")] = False,
    platforms: Annotated[
        str | None, typer.Option(help="Of binaries (fmu), by commas; or all.")
    ] = None,
    kind: Annotated[str | None, KIND] = None,
    frequency: Annotated[float | None, FREQUENCY] = None,
    integral_rate: Annotated[float | None, INTEGRAL_RATE] = None,
    period: Annotated[float | None, PERIOD] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a machine for other tools: C99 for controllers, CUDA for GPUs, js or wasm for browsers.

    fmu for simulators: a plant, a controller as gough tune makes it, or both in a loop.

    Example:  gough export kalani-2016 inverse_kinematics --to c -o generated
    """
    from gough.robot import load

    options = {
        "--float32": single,
        "--parametric": parametric,
        "--fmi": fmi,
        "--drives": drives,
        "--friction": friction,
        "--stops": stops,
        "--platforms": platforms,
        "--kind": kind,
        "--frequency": frequency,
        "--integral-rate": integral_rate,
        "--period": period,
    }
    given = {name: value for name, value in options.items() if value}
    paths = written(Asked(load(robot), parts or [], to, output, given))
    if as_json:
        print_json({"files": [str(path) for path in paths]})
        return
    for path in paths:
        say(f"wrote {path}")
