"""Poses, frames and positions of actuators on the command line, with units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from gough.cli.command_class import AS_MANY
from gough.cli.output import usage_error, wrong_usage
from gough.display.table import vector
from gough.errors import GoughError, InputError
from gough.fields import units

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.kinematics.model import Model
    from gough.poses import Frames
    from gough.robot import Actuator, Robot

_SAME = 1e-9
"""Tolerance of equal poses [m, rad]."""
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
    return quantity(option, text, units.LENGTH)


def angle(option: str, text: str, degrees: bool) -> float:
    """Return an angle [rad], from text with or without a unit; without one it may be in degrees."""
    number = _number(text)
    if isinstance(number, str):
        return quantity(option, text, units.ANGLE)
    if not degrees and abs(number) > 2 * math.pi:
        problem = f"{text} rad is more than a turn; did you mean {text} deg? Write {text}deg"
        raise wrong_usage(option, problem)
    return quantity(option, f"{text} deg" if degrees else text, units.ANGLE)


def quantity(option: str, text: str, dimension: units.Dimension) -> float:
    """Return a quantity in SI, from text with or without a unit."""
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
    freedoms = " ".join(model.structure.degrees_of_freedom)
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


WorkOption = Annotated[
    Three | None,
    typer.Option(
        "--work",
        metavar="X Y Z",
        help="Origin of a work frame in the base; poses are in this frame.",
    ),
]
WorkRpyOption = Annotated[
    Three | None,
    typer.Option(
        "--work-rpy", metavar="R P Y", help="Roll, pitch, yaw of the work frame in the base."
    ),
]
ToolOption = Annotated[
    Three | None,
    typer.Option(
        "--tool",
        metavar="X Y Z",
        help="Origin of a tool frame on the platform; poses are the tool's.",
    ),
]
ToolRpyOption = Annotated[
    Three | None,
    typer.Option(
        "--tool-rpy", metavar="R P Y", help="Roll, pitch, yaw of the tool on the platform."
    ),
]


def frames_of(
    work: Three | None,
    work_rpy: Three | None,
    tool: Three | None,
    tool_rpy: Three | None,
    degrees: bool,
) -> Frames | None:
    """The frames that the four options ask for; None without any of them."""
    from gough.poses import Frames

    if work is work_rpy is tool is tool_rpy is None:
        return None
    own = Frames()
    return Frames(
        given_pose(own.work, work, work_rpy, degrees, ("--work", "--work-rpy")),
        given_pose(own.tool, tool, tool_rpy, degrees, ("--tool", "--tool-rpy")),
    )


JointsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--joints",
        "--lengths",
        metavar=f"Q1 Q2 {AS_MANY}",
        help="Positions of all actuators: lengths in m or with units, angles in rad or with units.",
    ),
]


def joint_positions(robot: Robot, texts: Sequence[str], degrees: bool = False) -> Array:
    """(n,) positions of n actuators [m, rad], from texts with or without units."""
    import numpy as np

    option, actuators = option_of(robot), robot.actuators
    if len(texts) != len(actuators):
        names = ", ".join(actuator.name for actuator in actuators)
        each = "" if option == "--lengths" else f", one for each of {names}"
        raise usage_error(f"Option '{option}' requires {len(actuators)} arguments{each}")
    return np.array(
        [_position(option, *pair, degrees) for pair in zip(actuators, texts, strict=True)]
    )


def option_of(robot: Robot) -> str:
    """Return the name of the option: lengths where actuators are whole legs."""
    from gough.kinematics.actuator_positions import are_lengths

    return "--lengths" if are_lengths(robot) else "--joints"


def positions_and_travels(robot: Robot) -> tuple[str, str]:
    """Return the names of actuator positions and ranges: lengths and strokes of whole legs."""
    if option_of(robot) == "--lengths":
        return "leg lengths", "the strokes"
    return "positions of the actuators", "their ranges"


def _position(option: str, actuator: Actuator, text: str, degrees: bool) -> float:
    if actuator.turns:
        return angle(option, text, degrees)
    value = length(option, text)
    if option == "--lengths" and value <= 0:
        raise wrong_usage(option, f"{actuator.name} has length {value:g} m; expected one above 0")
    return value


ParametersOption = Annotated[
    list[str] | None,
    typer.Option(
        "--parameter",
        metavar="NAME",
        help='Parameter to identify: "legs[*].base"; again for more. Default: all joint centres '
        "and offsets.",
    ),
]
UnknownOption = Annotated[
    Literal["work", "tool", "both"] | None,
    typer.Option("--unknown", metavar="FRAME", help="Frames to identify, too: work, tool or both."),
]
SigmaOption = Annotated[
    str | None,
    typer.Option(
        "--sigma",
        metavar="LENGTH",
        help='Standard deviation of lengths, in m or "15 um".',
    ),
]
AngleSigmaOption = Annotated[
    str | None,
    typer.Option(
        "--angle-sigma",
        metavar="ANGLE",
        help='Standard deviation of angles, in rad or "20 urad".',
    ),
]


def unknown_frames(option: str | None) -> list[Any]:
    """The names of frames that --unknown says."""
    if option is None:
        return []
    return ["work", "tool"] if option == "both" else [option]


def sigma_from(text: str | None) -> float | None:
    """A standard deviation [m]."""
    return None if text is None else length("--sigma", text)


def angle_sigma_from(text: str | None) -> float | None:
    """A standard deviation [rad]."""
    return None if text is None else angle("--angle-sigma", text, degrees=False)
