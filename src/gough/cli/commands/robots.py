"""`gough robots`: the library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough.cli.output import JsonOption, console, print_json, say, table

if TYPE_CHECKING:
    from gough.robot import Robot


def robots(as_json: JsonOption = False) -> None:
    """List the robots that come with Gough, with references.

    Example:  gough robots
    """
    from gough.robot import library_names, load

    found = [load(name) for name in library_names()]
    if as_json:
        print_json([_facts(robot) for robot in found])
        return
    rows = [(r.name, _legs(r), _freedoms(r), r.reference) for r in found]
    columns = ("name", "legs", "freedoms", "reference")
    listed = table("Robots; driven joints of a leg have a *", columns, rows)
    for column in listed.columns:
        column.no_wrap = True
    listed.expand, listed.columns[-1].ratio = True, 1  # what is left of a line
    console.print(listed)
    say("all about one of them: gough show NAME")


def _facts(robot: Robot) -> dict[str, object]:
    from gough.model.structure import structure_of

    structure = structure_of(robot)
    return {
        "name": robot.name,
        "legs": _legs(robot),
        "freedoms": list(structure.freedoms),
        "actuators": [actuator.name for actuator in robot.actuators],
        "units": [joint.unit for joint in structure.driven],
        "platform_mass": robot.platform.mass,
        "reference": robot.reference,
        "notes": robot.notes,
    }


def _freedoms(robot: Robot) -> str:
    from gough.model.structure import structure_of
    from gough.robot.mechanism import MOVES

    freedoms = structure_of(robot).freedoms
    return "all six" if freedoms == MOVES else " ".join(freedoms)


def _legs(robot: Robot) -> str:
    from gough.cli.robot_facts import leg_kinds
    from gough.model.structure import structure_of

    return f"{len(structure_of(robot).legs)} {leg_kinds(robot)}"
