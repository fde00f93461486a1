"""`gough export`: a machine for other tools: source code of its kernels, FMUs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.controller_options import DAMPING, FREQUENCY, INTEGRAL_RATE, KIND, PERIOD
from gough.cli.export_formats import FMU_PARTS, Asked, Format, written
from gough.cli.option_checks import within
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
            help="What of it: a kernel, such as inverse_kinematics (a wrong one lists all); "
            "of fmu plant, controller, or both.",
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
    drives: Annotated[
        bool, typer.Option("--drives", help="On its motors, gears and screws (fmu).")
    ] = False,
    friction: Annotated[bool, typer.Option("--friction", help="Joints that rub (fmu).")] = False,
    stops: Annotated[bool, typer.Option("--stops", help="End stops to bounce off (fmu).")] = False,
    step: Annotated[
        float | None,
        typer.Option(help="Of RK4 in co-simulation, s (fmu).", callback=within(1e-9, 1e3, "s")),
    ] = None,
    platforms: Annotated[
        str | None,
        typer.Option(help="Of binaries (fmu): all, or such as x86_64-windows,aarch64-linux."),
    ] = None,
    kind: Annotated[str | None, KIND] = None,
    frequency: Annotated[float | None, FREQUENCY] = None,
    damping: Annotated[float | None, DAMPING] = None,
    integral_rate: Annotated[float | None, INTEGRAL_RATE] = None,
    period: Annotated[float | None, PERIOD] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a machine for other tools: C99 for controllers, CUDA for GPUs, js or wasm for browsers.

    As an fmu, a plant or a controller of it for simulators. Controllers are made as by gough tune.

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
        "--step": step,
        "--platforms": platforms,
        "--kind": kind,
        "--frequency": frequency,
        "--damping": damping,
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
