"""`gough pose assemblies`: all assembly modes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gough.cli.options import picture_option
from gough.cli.output import JsonOption, RobotArgument, show
from gough.cli.pose_options import DegreesOption, JointsOption, joint_positions


def assemblies(
    robot: RobotArgument,
    joints: JointsOption = None,
    degrees: DegreesOption = False,
    plot: Annotated[
        Path | None, picture_option("Save a figure of them (.png, .svg, .pdf).", "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find all assembly modes: every pose of the platform at given leg lengths, by default home's.

    Example:  gough pose assemblies kalani-2016 --lengths 1.2 1.2 1.2 1.2 1.2 1.2
    """
    from gough.kinematics.assembly import assembly_modes
    from gough.kinematics.model import Model
    from gough.robot import load

    model = Model(load(robot))
    if joints is None:
        q = model.inverse_kinematics(model.robot.home)
    else:
        q = joint_positions(model.robot, joints, degrees)
    found = assembly_modes(model, q)
    if plot is not None:
        from gough.kinematics.assembly.drawing import save_modes

        save_modes(found, plot)
    show(found, as_json, files={"figure": plot})
