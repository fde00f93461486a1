"""`gough show`: a robot's geometry, masses and limits, and a drawing of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gough.cli.option_checks import picture_option
from gough.cli.output import (
    JsonOption,
    RobotArgument,
    console,
    diagonal,
    print_json,
    say,
    shown,
    shown_lines,
    table,
    vector,
)

if TYPE_CHECKING:
    from gough.robot import Robot


def show(
    robot: RobotArgument,
    plot: Annotated[
        Path | None, picture_option("Save a drawing of the machine (.png, .svg, .pdf).", "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a robot: structure, geometry, masses, limits, and where it is at its home pose.

    Example:  gough show demo-hexapod --plot hexapod.png
    """
    from gough.cli.robot_facts import home_facts
    from gough.robot import load

    machine = load(robot)
    if plot is not None:
        from gough.plots.machine import save_drawing

        save_drawing(machine, plot)
    at_home = home_facts(machine)
    if as_json:
        print_json({**machine.to_dict(), "at_home": at_home})
        return
    _print(machine, at_home)
    if plot is not None:
        say(f"drawing saved in {plot}")


def _print(robot: Robot, at_home: dict[str, Any]) -> None:
    from gough.cli.robot_text import structure_rows

    home = robot.platform.home
    console.print(f"[bold]{shown(robot.name)}[/]  {shown(robot.reference)}")
    if robot.notes:
        console.print(shown_lines(robot.notes.strip()), style="dim")
    console.print(
        table(
            "Machine",
            ("", "value", "unit"),
            [
                *structure_rows(at_home["structure"]),
                ("platform mass", robot.platform.mass, "kg"),
                ("platform mass centre", vector(robot.platform.center_of_mass), "m"),
                ("platform inertia xx yy zz", vector(diagonal(robot.platform.inertia)), "kg m²"),
                ("gravity", vector(robot.gravity), "m/s²"),
                ("home position", vector(home.position), "m"),
                ("home quaternion", vector(home.quaternion), "w x y z"),
                ("condition of J at home", at_home["jacobian_condition"], "1"),
                ("  with rotations scaled by", at_home["characteristic_length"], "m"),
            ],
        )
    )
    for part in _tables(robot, at_home):
        console.print(part)


def _tables(robot: Robot, at_home: dict[str, Any]) -> list[Any]:
    from gough.cli.robot_text import hexapod_tables, mechanism_tables
    from gough.robot import Hexapod, Mechanism

    if isinstance(robot, Hexapod):
        return [*hexapod_tables(robot, at_home), *_meshes(robot)]
    assert isinstance(robot, Mechanism)
    return [*mechanism_tables(robot, at_home), *_meshes(robot)]


def _meshes(robot: Robot) -> list[Any]:
    """The files that say what bodies look like; no table without any."""
    rows = [
        (found.body, Path(found.mesh.file).name, found.mesh.unit or "m") for found in robot.meshes
    ]
    return [table("Meshes, drawn in pages", ("body", "file", "unit"), rows)] if rows else []
