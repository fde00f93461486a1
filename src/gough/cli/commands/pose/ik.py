"""`gough pose ik`: inverse kinematics."""

from __future__ import annotations

from gough.cli.output import JsonOption, RobotArgument, show
from gough.cli.pose_options import (
    DegreesOption,
    PositionOption,
    RpyOption,
    ToolOption,
    ToolRpyOption,
    WorkOption,
    WorkRpyOption,
    frames_of,
    pose_of,
    taken_pose,
)


def ik(
    robot: RobotArgument,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    work: WorkOption = None,
    work_rpy: WorkRpyOption = None,
    tool: ToolOption = None,
    tool_rpy: ToolRpyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the inverse kinematics: leg lengths or actuator positions at a pose, and limits.

    Example:  gough pose ik demo-hexapod --position 0 0 1 --rpy 0 10 0 --degrees
    """
    from gough.kinematics.actuator_positions import actuator_positions
    from gough.kinematics.model import Model
    from gough.robot import load

    frames = frames_of(work, work_rpy, tool, tool_rpy, degrees)
    model = Model(load(robot))
    asked = pose_of(model.robot, position, rpy, degrees, frames=frames)
    pose, remarks = taken_pose(model, asked)
    show(actuator_positions(model, pose, frames), as_json, notes=remarks)
