"""`gough check`: whether a file describes a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gough.cli.output import JsonOption, print_json, say
from gough.errors import RobotError
from gough.robot import Robot, load


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .toml or .json robot file.")],
    as_json: JsonOption = False,
) -> None:
    """Check a robot file: the first thing that is wrong, or what it describes.

    Example:  gough check my-hexapod.toml
    """
    if not file.exists():
        raise RobotError("no such file", file=file, expected="a .toml or .json robot file")
    from gough.kinematics.soundness import problems_at_home  # noqa: PLC0415  (CasADi is slow)

    robot = load(file)
    facts, problems = _facts(robot), problems_at_home(robot)
    if as_json:
        print_json({"file": str(file), **facts, "warnings": problems, "notes": _remarks(robot)})
        return
    words = "{name}, 6 {legs} legs of {leg_mass:.4g} kg, platform of {platform_mass:.4g} kg"
    say(f"{file}: {words.format(**facts)}", "ok", "green")
    for problem in problems:
        say(problem, "warning")
    for remark in _remarks(robot):
        say(remark, "note")


def _facts(robot: Robot) -> dict[str, object]:
    return {
        "name": robot.name,
        "legs": "/".join(sorted({leg.kind for leg in robot.legs})),
        "leg_mass": sum(leg.cylinder.mass + leg.piston.mass for leg in robot.legs),
        "platform_mass": robot.platform.mass,
    }


def _remarks(robot: Robot) -> list[str]:
    """What is allowed, and perhaps not meant."""
    remarks = []
    for key, use in (
        ("stroke", "workspace"),
        ("max_force", "force margins"),
        ("radius", "clearance"),
    ):
        if all(getattr(leg, key) is None for leg in robot.legs):
            remarks.append(f"no leg has a {key}: {use} will not be limited by it")
    return remarks
