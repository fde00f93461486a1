"""`gough workspace box`: whether a box of poses lies in the workspace, and its worst pose."""

from __future__ import annotations

from typing import Annotated

import typer

from gough.cli.options import IgnoreOption, MaxConditionOption, limits_of
from gough.cli.output import JsonOption, RobotArgument, show
from gough.cli.pose_options import (
    DegreesOption,
    PositionOption,
    RpyOption,
    Three,
    angle,
    length,
    pose_of,
    taken_pose,
)
from gough.errors import GoughError

_NONE = ("0", "0", "0")

TranslationOption = Annotated[
    Three,
    typer.Option(metavar="X Y Z", help="Half-widths of the box of positions, in m or with units."),
]
RotationOption = Annotated[
    Three,
    typer.Option(metavar="R P Y", help="Half-widths in roll, pitch, yaw, in rad or with units."),
]


def box(
    robot: RobotArgument,
    translation: TranslationOption = _NONE,
    rotation: RotationOption = _NONE,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    max_condition: MaxConditionOption = None,
    ignore: IgnoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check whether a box of positions and orientations lies in the workspace.

    The box lies around a pose, by default home. Its corners, edges and interior are sampled, and
    the worst pose is searched from there; strokes of hexapods are proved for the whole box.

    Example:  gough workspace box demo-hexapod --translation 4cm 4cm 4cm --rotation 8deg 8deg 8deg
    """
    from gough.kinematics.model import Model
    from gough.robot import load

    limits = limits_of(ignore, max_condition)
    model = Model(load(robot))
    pose, remarks = taken_pose(model, pose_of(model.robot, position, rpy, degrees))
    sides = [length("--translation", text) for text in translation]
    turns = [angle("--rotation", text, degrees) for text in rotation]
    if not any([*sides, *turns]):
        raise GoughError("a box without sides; expected --move or --turn, and a number above 0")
    found = model.workspace_box(sides, turns, pose=pose, limits=limits)
    show(found, as_json, notes=remarks)
