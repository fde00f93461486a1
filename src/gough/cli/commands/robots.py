"""`gough robots`: the library."""

from __future__ import annotations

from gough.cli.output import JsonOption, console, print_json, table
from gough.robot import Robot, library_names, load


def robots(as_json: JsonOption = False) -> None:
    """List the robots that come with Gough, each with its reference.

    Example:  gough robots
    """
    found = [load(name) for name in library_names()]
    if as_json:
        print_json([_facts(robot) for robot in found])
        return
    rows = [(r.name, _kinds(r), r.platform.mass, r.reference) for r in found]
    console.print(table("Robots", ("name", "legs", "platform [kg]", "reference"), rows))


def _facts(robot: Robot) -> dict[str, object]:
    return {
        "name": robot.name,
        "legs": _kinds(robot),
        "platform_mass": robot.platform.mass,
        "reference": robot.reference,
        "notes": robot.notes,
    }


def _kinds(robot: Robot) -> str:
    return f"{len(robot.legs)} {'/'.join(sorted({leg.kind for leg in robot.legs}))}"
