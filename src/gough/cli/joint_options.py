"""Positions of a machine's actuators on the command line and in tables, by the kind of joint."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.command_class import AS_MANY
from gough.cli.output import usage_error, wrong_usage
from gough.cli.pose_options import angle, length

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.robot import Actuator, Robot

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
    """What the option is called: by lengths where actuators are whole legs."""
    from gough.plots.names import actuator_names

    return "--lengths" if actuator_names(robot).word == "leg" else "--joints"


def positions_and_travels(robot: Robot) -> tuple[str, str]:
    """What its actuators' positions and travels are called: lengths and strokes of whole legs."""
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


def as_read(actuator: Actuator, value: float | None) -> float | None:
    """A position, speed or range of an actuator as people read it: angles in degrees."""
    return math.degrees(value) if actuator.turns and value is not None else value


def unit_read(actuator: Actuator) -> str:
    """The unit of that."""
    return "deg" if actuator.turns else "m"


def joint_facts(robot: Robot, positions: Any) -> dict[str, Any]:
    """Names, units and positions [SI] of all actuators as plain data."""
    return {
        "names": [actuator.name for actuator in robot.actuators],
        "units": ["rad" if actuator.turns else "m" for actuator in robot.actuators],
        "positions": [float(q) for q in positions],
    }
