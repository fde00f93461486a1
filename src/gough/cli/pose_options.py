"""Poses on the command line: --position and --rpy, with units, in the base or a work frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.output import vector, wrong_usage
from gough.errors import GoughError, InputError
from gough.fields import units

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.kinematics.model import Model
    from gough.poses import Frames
    from gough.robot import Robot


_SAME = 1e-9
"""What is nearer than this [m, rad] is the same pose."""
Three = tuple[str, str, str]
PositionOption = Annotated[
    Three | None,
    typer.Option(
        "--position",
        metavar="X Y Z",
        help="Position of the platform's origin, in m or with units. Default: home.",
    ),
]
RpyOption = Annotated[
    Three | None,
    typer.Option(
        "--rpy",
        metavar="R P Y",
        help="Roll, pitch, yaw about the fixed axes, in rad or with units (10deg). Default: home.",
    ),
]
DegreesOption = Annotated[
    bool, typer.Option("--degrees", help="Angles without a unit are in degrees, not radians.")
]


def pose_of(
    robot: Robot,
    position: Any,
    rpy: Any,
    degrees: bool,
    options: tuple[str, str] = ("--position", "--rpy"),
    frames: Frames | None = None,
) -> Array:
    """The platform's pose that two options ask for; what they leave out is as at home.

    With frames the options are about the tool in the work frame.
    """
    if frames is None:
        return given_pose(robot.home, position, rpy, degrees, options)
    home = frames.tool_pose(robot.home)
    return frames.platform_pose(given_pose(home, position, rpy, degrees, options))


def given_pose(
    start: Any, position: Any, rpy: Any, degrees: bool, options: tuple[str, str]
) -> Array:
    """The pose that two options ask for; what they leave out is as at the start."""
    from gough.poses import pose

    place = start[:3] if position is None else [length(options[0], x) for x in position]
    if rpy is None:
        return pose(place, quaternion=start[3:])
    return pose(place, rpy=[angle(options[1], x, degrees) for x in rpy])


def length(option: str, text: str) -> float:
    """A length [m], from text with or without a unit."""
    return _quantity(option, text, units.LENGTH)


def angle(option: str, text: str, degrees: bool) -> float:
    """An angle [rad], from text with or without a unit; without one it may be in degrees."""
    bare = degrees and isinstance(_number(text), float)
    return _quantity(option, f"{text} deg" if bare else text, units.ANGLE)


def _quantity(option: str, text: str, dimension: units.Dimension) -> float:
    try:
        return units.to_si(_number(text), dimension)
    except InputError as error:
        raise wrong_usage(option, str(error)) from None


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def taken_pose(model: Model, given: Array) -> tuple[Array, list[str]]:
    """The pose that the machine takes, and a remark where that is not the given one."""
    import numpy as np

    found = model.possible_pose(given)
    freedoms = " ".join(model.structure.freedoms)
    if not np.isfinite(found.pose).all():
        raise GoughError(
            f"{model.robot.name} cannot take this pose, nor one with the same {freedoms}"
        )
    if np.abs(found.step).max() <= _SAME:
        return given, []
    way, turn = found.step[:3].round(12), np.degrees(found.step[3:]).round(9)
    return found.pose, [
        f"{model.robot.name} moves in {freedoms} only: shown is the pose that has these as asked, "
        f"from which the given one is off by {vector(way)} m and {vector(turn)} deg"
    ]
