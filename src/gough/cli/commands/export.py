"""`gough export`: a machine for other tools: source code, FMUs, files of simulators."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from gough.cli.controller_options import DAMPING, FREQUENCY, INTEGRAL_RATE, KIND, PERIOD
from gough.cli.export_fmu import CONTROLLER, PLANT
from gough.cli.export_formats import written
from gough.cli.export_request import Asked, Format
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table


def _part_names() -> list[str]:
    from gough.model.kernels import Kernels

    return [PLANT, CONTROLLER, "forward_kinematics", *Kernels.__annotations__]


def _flag(option: str, words: str) -> Any:
    return typer.Option(option, help=words)


def export(
    robot: RobotArgument,
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PART",
            help="Kernels, such as inverse_kinematics (a wrong one lists all), plant, controller.",
            autocompletion=_part_names,
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        Format, typer.Option("--to", metavar="FORMAT", help="What for: one of those above.")
    ] = Format.C,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")
    ] = Path(),
    everything: Annotated[bool, _flag("--all", "All kernels; in C as one library.")] = False,
    prefix: Annotated[
        str | None, typer.Option(metavar="WORD", help="Before the names of kernels' functions.")
    ] = None,
    at_once: Annotated[bool, _flag("--at-once", "Kernels as one function of them all.")] = False,
    single: Annotated[bool, _flag("--float32", "Single precision (c, cuda).")] = False,
    parametric: Annotated[
        bool, _flag("--parametric", "Take the robot's numbers as an argument.")
    ] = False,
    loops: Annotated[bool, _flag("--loops", "Close loops in the urdf itself, as URDF+.")] = False,
    fmi: Annotated[int | None, typer.Option(help="FMI's version (fmu): 3, or 2.")] = None,
    drives: Annotated[bool, _flag("--drives", "With its motors (fmu).")] = False,
    friction: Annotated[bool, _flag("--friction", "Of its joints (fmu).")] = False,
    stops: Annotated[bool, _flag("--stops", "With end stops (fmu).")] = False,
    platforms: Annotated[
        str | None, typer.Option(help="Of binaries (fmu), by commas; or all.")
    ] = None,
    kind: Annotated[str | None, KIND] = None,
    frequency: Annotated[float | None, FREQUENCY] = None,
    damping: Annotated[float | None, DAMPING] = None,
    integral_rate: Annotated[float | None, INTEGRAL_RATE] = None,
    period: Annotated[float | None, PERIOD] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a machine, or parts of it, for other tools.

    Kernels: c for controllers, st for PLCs, cuda for GPUs, js or wasm for browsers.
    A controller, c or fmu; a plant, or both in a loop, fmu for simulators.
    The whole machine: mjcf for MuJoCo, urdf, sdf for Gazebo, ros2, linuxcnc.

    Example:  gough export kalani-2016 inverse_kinematics --to c -o generated
    """
    from gough.robot import load

    options = {
        "--all": everything,
        "--at-once": at_once,
        "--prefix": prefix,
        "--float32": single,
        "--parametric": parametric,
        "--loops": loops,
        "--fmi": fmi,
        "--drives": drives,
        "--friction": friction,
        "--stops": stops,
        "--platforms": platforms,
        "--kind": kind,
        "--frequency": frequency,
        "--damping": damping,
        "--integral-rate": integral_rate,
        "--period": period,
    }
    given = {n: value for n, value in options.items() if value is not None and value is not False}
    asked = Asked(load(robot), parts or [], to, output, given)
    paths = written(asked)
    if as_json:
        told = {"remarks": asked.remarks} if asked.remarks else {}
        print_json({"files": [str(path) for path in paths], **asked.facts, **told})
        return
    for path in paths:
        say(f"wrote {path}")
    _print_operations(asked.facts.get("operations", {}))
    for remark in asked.remarks:
        say(remark, "note")


def _print_operations(counts: Mapping[str, Mapping[str, int]]) -> None:
    """How much work the functions are, where there are some."""
    if counts:
        rows = [(name, count["one pass"], count["at most"]) for name, count in counts.items()]
        columns = ("function", "operations, one pass of each iteration", "at most")
        console.print(table("", columns, rows))
