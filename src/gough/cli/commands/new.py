"""`gough new`: a robot, study or design file to start from."""

from __future__ import annotations

import os
import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.options import OverwriteOption, check_new, write_text
from gough.cli.output import JsonOption, print_json, say, usage_error, wrong_usage


class NewFile(StrEnum):
    """The files that can be begun."""

    ROBOT = "robot"
    STUDY = "study"
    DESIGN = "design"


def _kinds() -> list[str]:
    from gough.robot.files import kinds

    return list(kinds())


def new(
    what: Annotated[NewFile, typer.Argument(metavar="robot|study|design", help="Kind of file.")],
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="Name of the file, with or without .toml."),
    ] = None,
    like: Annotated[
        str | None,
        typer.Option(
            "--like",
            help="Kind of robot: hexapod, or a library robot to start from, such as delta.",
            autocompletion=_kinds,
        ),
    ] = None,
    robot: Annotated[
        str | None,
        typer.Option("--robot", help="Robot of a study or design: a library name or a robot file."),
    ] = None,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a robot, study or design file to start from, which explains each key.

    Example:  gough new robot my-machine.toml
    """
    if what is NewFile.ROBOT:
        if robot is not None:
            raise usage_error("--robot is for studies and designs; expected --like")
        path, text, next_steps = _robot(file, like or "hexapod")
    else:
        if like is not None:
            raise usage_error("--like is for robots; expected --robot")
        path, text, next_steps = _of_robot(what, file, robot or "demo-hexapod")
    check_new(path, overwrite)
    write_text(path, text)
    commands = [f"gough {step} {shlex.quote(str(path))}" for step in next_steps]
    if as_json:
        print_json({"file": str(path), "next": commands})
        return
    say(f"wrote {path}; edit it, then:")
    for command in commands:
        say(f"  {command}")


def _robot(file: Path | None, kind: str) -> tuple[Path, str, list[str]]:
    from gough.errors import did_you_mean
    from gough.robot.files import kinds, new_robot

    if kind not in kinds():
        hint = did_you_mean(kind, kinds())
        problem = f'"{kind}" is not known{hint}; expected one of {", ".join(kinds())}'
        raise wrong_usage("--like", problem)
    path = _toml(file, f"my-{kind}")
    steps = ["check", "show", "new study --robot"]
    return path, new_robot(kind, path.stem), steps


def _of_robot(what: NewFile, file: Path | None, robot: str) -> tuple[Path, str, list[str]]:
    from gough.design.reading import new_design
    from gough.robot import library_names, load
    from gough.studies.reading import new_study

    made, step = (new_study, "run") if what is NewFile.STUDY else (new_design, "design")
    path = _toml(file, f"my-{what}")
    in_place = robot in library_names() or Path(robot).is_absolute()
    source = robot if in_place else os.path.relpath(robot, path.parent)
    return path, made(path.stem, load(robot), Path(source).as_posix()), ["check", step]


def _toml(file: Path | None, default: str) -> Path:
    """The path of a new file, which ends in .toml; its stem is the name in the file."""
    path = file or Path(default)
    if not path.name or not path.name.isprintable() or path.suffix.lower() == ".json":
        raise wrong_usage(
            "FILE", f"{str(path)!r} cannot be used; expected a name like my-machine.toml"
        )
    return path if path.suffix.lower() == ".toml" else path.with_name(f"{path.name}.toml")
