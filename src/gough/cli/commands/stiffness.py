"""`gough stiffness`: how a robot yields under load at a pose, and over its workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from gough.cli.elastic_options import ActuatorsOption, MapAxesOption, TurningOption, actuators_of
from gough.cli.option_checks import picture_option
from gough.cli.output import (
    JsonOption,
    RobotArgument,
    console,
    print_json,
    say,
    table,
    vector,
)
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of
from gough.cli.pose_text import pose_lines
from gough.digits import ROUNDING

if TYPE_CHECKING:
    from gough.kinematics.elastic.stiffness import Principal, Stiffness

_TURNS = {"rx": "about x", "ry": "about y", "rz": "about z"}


def stiffness(
    robot: RobotArgument,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    actuators: ActuatorsOption = "locked",
    plot: Annotated[
        Path | None, picture_option("Save the machine with its ellipsoids.", "--plot")
    ] = None,
    map_file: Annotated[
        Path | None, picture_option("Save a map over the workspace.", "--map")
    ] = None,
    axes: MapAxesOption = ("x", "y"),
    turning: TurningOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how stiff a robot is at a pose, where it bears its own weight.

    Example:  gough stiffness demo-hexapod --position 0.1 0 0.95 --map stiffness.png
    """
    from gough.kinematics.elastic.stiffness import stiffness as find
    from gough.kinematics.model import Model
    from gough.robot import load

    model = Model(load(robot))
    held = actuators_of(actuators)
    found = find(model, pose_of(model.robot, position, rpy, degrees), actuators=held)
    if plot is not None:
        from gough.kinematics.elastic.drawing import save_ellipsoids

        save_ellipsoids(found, plot)
    if map_file is not None:
        from gough.kinematics.elastic.maps import stiffness_map
        from gough.kinematics.maps import save_map

        drawn = stiffness_map(model, axes, found.pose, actuators=held, turning=turning)
        save_map(drawn, map_file, title=model.robot.name)
    if as_json:
        print_json(_plain(found, actuators))
        return
    _show(found, actuators, model.structure.freedoms)
    for words in found.warnings:
        say(words, "warning")
    for file in (plot, map_file):
        if file is not None:
            say(f"picture saved in {file}")


def _show(found: Stiffness, actuators: str, freedoms: Sequence[str]) -> None:
    for line in pose_lines(found.pose, None):
        say(line)
    rows: list[tuple[object, ...]] = [
        *_principal("softest way", found.ways, "N/m"),
        *_principal("softest turn", found.turns, "N m/rad"),
        ("stiffest by softest, turns at the farthest joint", found.condition(), "1"),
    ]
    name = found.robot.name
    columns = ("", "value", "unit", "direction")
    console.print(table(f"{name}: stiffness, actuators {actuators}", columns, rows))
    axes = [_TURNS.get(name, name) for name in freedoms]
    least = ROUNDING * abs(found.matrix).max()
    matrix = [
        (axis, *(float(f"{x:.4g}") if abs(x) > least else 0.0 for x in row))
        for axis, row in zip(axes, found.matrix, strict=True)
    ]
    console.print(table("Forces [N] and moments [N m] per m and rad", ("", *axes), matrix))


def _principal(word: str, part: Principal, unit: str) -> list[tuple[object, ...]]:
    words = (word, "  across it", "  stiffest")
    return [
        (name, float(value), unit, vector(direction.round(6)))
        for name, value, direction in zip(words, part.values, part.directions, strict=True)
    ]


def _plain(found: Stiffness, actuators: str) -> dict[str, Any]:
    return {
        "pose": found.pose.tolist(),
        "actuators": actuators,
        "force": found.force.tolist(),
        "stiffness": found.matrix.tolist(),
        "compliance": found.compliance.tolist(),
        "ways": {
            "values": found.ways.values.tolist(),
            "directions": found.ways.directions.tolist(),
        },
        "turns": {
            "values": found.turns.values.tolist(),
            "directions": found.turns.directions.tolist(),
        },
        "condition": found.condition(),
        "warnings": list(found.warnings),
    }
