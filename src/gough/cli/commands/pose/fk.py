"""`gough pose fk`: forward kinematics."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from gough.cli.output import JsonOption, RobotArgument, show, usage_error
from gough.cli.pose_options import (
    DegreesOption,
    JointsOption,
    Three,
    ToolOption,
    ToolRpyOption,
    WorkOption,
    WorkRpyOption,
    frames_of,
    joint_positions,
    option_of,
    pose_of,
    positions_and_travels,
)
from gough.errors import GoughError


class StartChoice(StrEnum):
    """Starts of the search without a guess."""

    HOME = "home"
    NEURAL = "neural"


class MethodName(StrEnum):
    """The methods of the library."""

    NEWTON = "newton"
    THIRD_ORDER = "third-order"


def fk(
    robot: RobotArgument,
    joints: JointsOption = None,
    start: Annotated[
        StartChoice, typer.Option("--start", help="Start of the search without a guess.")
    ] = StartChoice.HOME,
    guess: Annotated[
        Three | None,
        typer.Option(
            "--guess",
            metavar="X Y Z",
            help="Position of a guess.",
        ),
    ] = None,
    guess_rpy: Annotated[
        Three | None,
        typer.Option(
            "--guess-rpy",
            metavar="R P Y",
            help="Roll, pitch, yaw of a guess, in rad or with units.",
        ),
    ] = None,
    degrees: DegreesOption = False,
    work: WorkOption = None,
    work_rpy: WorkRpyOption = None,
    tool: ToolOption = None,
    tool_rpy: ToolRpyOption = None,
    method: Annotated[MethodName, typer.Option("--method", help="Iteration.")] = MethodName.NEWTON,
    as_json: JsonOption = False,
) -> None:
    """Compute the forward kinematics: the pose at given leg lengths or actuator positions.

    Up to forty poses have the same leg lengths; 'gough pose assemblies' finds all of them.

    Example:  gough pose fk kalani-2016 --lengths 1.2 1.2 1.2 1.2 1.2 1.2
    """
    import numpy as np

    from gough.kinematics.actuator_positions import position_facts
    from gough.kinematics.forward.forward import forward_kinematics
    from gough.kinematics.forward.status import Status
    from gough.kinematics.model import Model
    from gough.poses.rows import frame_facts
    from gough.robot import load

    frames = frames_of(work, work_rpy, tool, tool_rpy, degrees)
    machine = load(robot)
    if joints is None:
        raise usage_error(f"Missing option '{option_of(machine)}'")
    q = joint_positions(machine, joints, degrees)
    guessed = guess is not None or guess_rpy is not None
    first = pose_of(machine, guess, guess_rpy, degrees, ("--guess", "--guess-rpy"), frames)
    model = Model(machine)
    found = forward_kinematics(model, q, first if guessed else start.value, method=method.value)
    status = Status(int(found.status))
    words = status.of(*positions_and_travels(machine))
    if np.isnan(found.pose).any():
        raise GoughError(f"{machine.name}: {words} (after {found.iterations} steps)")
    facts = {**frame_facts(frames, found.pose), **position_facts(machine, q)}
    notes = [] if status is Status.CONVERGED else [words]
    tables = found.tables(frames)
    show(found, as_json, about=machine.name, tables=tables, notes=notes, facts=facts)
