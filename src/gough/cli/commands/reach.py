"""`gough reach`: whether a robot reaches positions and turns together, and where it is worst."""

from __future__ import annotations

from math import degrees as in_degrees
from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli.limit_options import IgnoreOption, MaxConditionOption, limits_of
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table, vector
from gough.cli.pose_options import (
    DegreesOption,
    PositionOption,
    RpyOption,
    Three,
    angle,
    length,
    pose_of,
)
from gough.errors import GoughError

if TYPE_CHECKING:
    from gough.kinematics import Together, WorstLimit

_NONE = ("0", "0", "0")
_ROWS = 8
"""So many limits are shown; the rest is in --json."""

MoveOption = Annotated[
    Three,
    typer.Option(metavar="X Y Z", help="Half of the box of positions, in m or with units."),
]
TurnOption = Annotated[
    Three,
    typer.Option(metavar="R P Y", help="The same of roll, pitch, yaw, in rad or with units."),
]


def reach(
    robot: RobotArgument,
    move: MoveOption = _NONE,
    turn: TurnOption = _NONE,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    max_condition: MaxConditionOption = None,
    ignore: IgnoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show whether a box of positions and turns is reached.

    The box lies around a pose, by default home. Its corners, edges and interior are looked at, and
    the worst pose is searched from there; strokes of hexapods are proved for the whole box.

    Example:  gough reach demo-hexapod --move 4cm 4cm 4cm --turn 8deg 8deg 8deg
    """
    from gough.cli.pose_options import taken_pose
    from gough.kinematics.model import Model
    from gough.robot import load

    limits = limits_of(ignore, max_condition)
    model = Model(load(robot))
    pose, remarks = taken_pose(model, pose_of(model.robot, position, rpy, degrees))
    sides = [length("--move", text) for text in move]
    turns = [angle("--turn", text, degrees) for text in turn]
    if not any([*sides, *turns]):
        raise GoughError("a box without sides; expected --move or --turn, and a number above 0")
    found = model.reach_together(sides, turns, pose=pose, limits=limits)
    if as_json:
        print_json({**found.to_dict(), "notes": remarks})
        return
    _show(found)
    for remark in remarks:
        say(remark, "note")


def _show(found: Together) -> None:
    sides = f"± {vector(found.position)} m with ± {vector(map(in_degrees, found.rotation))} deg"
    word = "reaches" if found.reached else "does not reach"
    say(f"{found.robot.name} {word} {sides}, all together")
    rows = [_row(worst) for worst in found.worst[:_ROWS]]
    columns = ("limit", "of", "left", "unit", "x y z [m]", "roll pitch yaw [deg]")
    console.print(table("Where it is worst", columns, rows))
    if found.legs:
        least = min(leg.shortest for leg in found.legs)
        most = max(leg.longest for leg in found.legs)
        proved = [f(leg.proved[k] for leg in found.legs) for k, f in enumerate((min, max))]
        say(
            f"legs from {least:.4f} to {most:.4f} m: a stroke of {most - least:.4f} m; proved for "
            f"all poses: within {proved[0]:.4f} to {proved[1]:.4f} m"
        )
    kept = f"; {', '.join(found.proved)} is proved for all poses" if found.proved else ""
    say(f"all limits were looked at in {found.looked_at} poses{kept}")


def _row(worst: WorstLimit) -> tuple[object, ...]:
    from gough.poses import euler

    angular = worst.limit.unit == "rad"
    left = in_degrees(worst.inside) if angular else worst.inside
    return (
        worst.limit.family,
        ", ".join(worst.limit.of),
        left,
        "deg" if angular else worst.limit.unit,
        vector(worst.pose[:3]),
        vector(euler(worst.pose, "xyz", degrees=True).round(6)),
    )
