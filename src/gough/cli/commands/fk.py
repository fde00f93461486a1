"""`gough fk`: the pose at given leg lengths."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from gough.cli.joint_options import (
    JointsOption,
    joint_facts,
    joint_positions,
    option_of,
    positions_and_travels,
)
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table, usage_error
from gough.cli.pose_options import DegreesOption, pose_of
from gough.cli.pose_text import pose_rows
from gough.digits import short_decimal
from gough.errors import GoughError


class Start(StrEnum):
    """Where the search may start without a guess."""

    HOME = "home"
    NEURAL = "neural"


class MethodName(StrEnum):
    """The methods of the library."""

    NEWTON = "newton"
    THIRD_ORDER = "third-order"


Three = tuple[str, str, str]


def fk(
    robot: RobotArgument,
    joints: JointsOption = None,
    start: Annotated[
        Start, typer.Option("--start", help="Where to search first, if no guess is given.")
    ] = Start.HOME,
    near: Annotated[
        Three | None,
        typer.Option("--near", metavar="X Y Z", help="A guess: position, in m or with units."),
    ] = None,
    near_rpy: Annotated[
        Three | None,
        typer.Option("--near-rpy", metavar="R P Y", help="A guess: roll, pitch, yaw."),
    ] = None,
    degrees: DegreesOption = False,
    method: Annotated[
        MethodName, typer.Option("--method", help="How to search.")
    ] = MethodName.NEWTON,
    as_json: JsonOption = False,
) -> None:
    """Find a pose at given leg lengths, or positions of all actuators, from home or from a guess.

    Up to forty poses have the same leg lengths; 'gough modes' finds all of them.

    Example:  gough fk kalani-2016 --lengths 1.2 1.2 1.2 1.2 1.2 1.2
    """
    import numpy as np

    from gough.kinematics.forward.forward import forward_kinematics
    from gough.kinematics.forward.status import Status
    from gough.kinematics.model import Model
    from gough.robot import load

    machine = load(robot)
    if joints is None:
        raise usage_error(f"Missing option '{option_of(machine)}'")
    q = joint_positions(machine, joints, degrees)
    guessed = near is not None or near_rpy is not None
    guess = pose_of(machine, near, near_rpy, degrees, ("--near", "--near-rpy"))
    model = Model(machine)
    found = forward_kinematics(model, q, guess if guessed else start.value, method=method.value)
    status = Status(int(found.status))
    words = status.of(*positions_and_travels(machine))
    if np.isnan(found.pose).any():
        raise GoughError(f"{machine.name}: {words} (after {found.iterations} steps)")
    if as_json:
        print_json(
            {
                "pose": found.pose.tolist(),
                **joint_facts(machine, q),
                "residual": float(found.residual),
                "iterations": int(found.iterations),
                "status": status.name.lower(),
            }
        )
        return
    rows = [
        *pose_rows(found.pose),
        ("residual", short_decimal(float(found.residual), 2), model.structure.unit),
        ("iterations", str(found.iterations), ""),
        ("status", status.name.lower().replace("_", " "), ""),
    ]
    console.print(table(f"{machine.name}: pose", ("", "value", "unit"), rows))
    if status is not Status.CONVERGED:
        say(words, "note")
