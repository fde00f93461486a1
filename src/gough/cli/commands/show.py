"""`gough show`: a robot's geometry, masses and limits, and a drawing of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

from gough.cli.option_checks import picture_option
from gough.cli.output import (
    JsonOption,
    RobotArgument,
    console,
    print_json,
    say,
    shown,
    shown_lines,
    table,
    vector,
)
from gough.cli.robot_remarks import home_facts
from gough.robot import Leg, Robot, load


def show(
    robot: RobotArgument,
    plot: Annotated[
        Path | None, picture_option("Save a drawing of the machine (.png, .svg, .pdf).", "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a robot: geometry, masses, strokes and limits at its home pose.

    Example:  gough show demo-hexapod --plot hexapod.png
    """
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
    home = robot.platform.home
    console.print(f"[bold]{shown(robot.name)}[/]  {shown(robot.reference)}")
    if robot.notes:
        console.print(shown_lines(robot.notes.strip()), style="dim")
    console.print(
        table(
            "Machine",
            ("", "value", "unit"),
            [
                ("platform mass", robot.platform.mass, "kg"),
                ("platform mass centre", vector(robot.platform.center_of_mass), "m"),
                ("platform inertia xx yy zz", vector(_diagonal(robot.platform.inertia)), "kg m²"),
                ("gravity", vector(robot.gravity), "m/s²"),
                ("home position", vector(home.position), "m"),
                ("home quaternion", vector(home.quaternion), "w x y z"),
                ("condition of J at home", at_home["jacobian_condition"], "1"),
                ("  with rotations scaled by", at_home["characteristic_length"], "m"),
            ],
        )
    )
    console.print(_joints(robot))
    console.print(_lengths(robot, at_home["leg_lengths"]))
    console.print(_parts(robot))


def _joints(robot: Robot) -> Any:
    columns = ("leg", "kind", *(f"{body} {k}" for body in ("base", "platform") for k in "xyz"))
    rows = [(str(k), g.kind, *g.base, *g.platform) for k, g in enumerate(robot.legs, 1)]
    return table("Joint centres [m]", columns, rows)


def _lengths(robot: Robot, lengths: list[float]) -> Any:
    rows = [
        (str(k), length, *(leg.stroke or (None, None)))
        for k, (leg, length) in enumerate(zip(robot.legs, lengths, strict=True), 1)
    ]
    return table("Leg lengths [m]", ("leg", "at home", "shortest", "longest"), rows)


def _parts(robot: Robot) -> Any:
    """One row per quantity; one column per leg, or a single one if all legs are the same."""
    columns = [_part_cells(leg) for leg in robot.legs]
    heads = [f"leg {k}" for k, _ in enumerate(robot.legs, 1)]
    if all(cells == columns[0] for cells in columns):
        columns, heads = columns[:1], ["each leg"]
    rows = [(*name, *cells) for name, cells in zip(_PARTS, zip(*columns, strict=True), strict=True)]
    return table("Parts and limits", ("", "unit", *heads), rows)


_PARTS = [
    (f"{part} {quantity}", unit)
    for part in ("cylinder", "piston")
    for quantity, unit in (("mass", "kg"), ("mass centre", "m"), ("inertia xx yy zz", "kg m²"))
] + [
    ("max force", "N"),
    ("max speed", "m/s"),
    ("base joint limit", "deg"),
    ("platform joint limit", "deg"),
    ("radius", "m"),
]


def _part_cells(leg: Leg) -> list[object]:
    cells: list[object] = []
    for body in (leg.cylinder, leg.piston):
        cells += [body.mass, body.center_of_mass, vector(_diagonal(body.inertia), 3)]
    limits = (leg.base_joint_limit, leg.platform_joint_limit)
    angles = [None if angle is None else math.degrees(angle) for angle in limits]
    return [*cells, leg.max_force, leg.max_speed, *angles, leg.radius]


def _diagonal(inertia: tuple[tuple[float, ...], ...]) -> list[float]:
    return [inertia[k][k] for k in range(3)]
