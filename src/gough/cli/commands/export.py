"""`gough export`: a machine for other tools: source code of its kernels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.export_formats import Asked, Format, written
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table


def _part_names() -> list[str]:
    from gough.model.kernels import Kernels

    return ["forward_kinematics", *Kernels.__annotations__]


def export(
    robot: RobotArgument,
    parts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PART",
            help="What of it: kernels, such as inverse_kinematics, or forward_kinematics; "
            "a wrong one lists all.",
            autocompletion=_part_names,
            show_default=False,
        ),
    ] = None,
    to: Annotated[Format, typer.Option("--to", help="The format.")] = Format.C,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where the files go.")
    ] = Path(),
    everything: Annotated[
        bool, typer.Option("--all", help="All kernels that can be, in C as one library.")
    ] = False,
    single: Annotated[bool, typer.Option("--float32", help="Single precision (c, cuda).")] = False,
    parametric: Annotated[
        bool, typer.Option("--parametric", help="Take the robot's numbers as an argument.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a machine for other tools: C99 for controllers, CUDA for GPUs, js or wasm for browsers.

    Several kernels are one library in C, and files of their own in other languages.

    Example:  gough export kalani-2016 inverse_kinematics --to c -o generated
    """
    from gough.robot import load

    options = {"--all": everything, "--float32": single, "--parametric": parametric}
    given = {name: value for name, value in options.items() if value}
    asked = Asked(load(robot), parts or [], to, output, given)
    paths = written(asked)
    if as_json:
        print_json({"files": [str(path) for path in paths], **asked.facts})
        return
    for path in paths:
        say(f"wrote {path}")
    _print_operations(asked.facts.get("operations", {}))
    for part, why in asked.facts.get("left out", {}).items():
        say(f"{part}: {why}", "left out")


def _print_operations(counts: Mapping[str, Mapping[str, int]]) -> None:
    """How much work the functions are, where there are some."""
    if counts:
        rows = [(name, count["one pass"], count["at most"]) for name, count in counts.items()]
        columns = ("function", "operations, one pass of each iteration", "at most")
        console.print(table("", columns, rows))
