"""`gough workspace travel`: travel from a pose along each axis, and the limits that bound it."""

from __future__ import annotations

from gough.cli.options import IgnoreOption, MaxConditionOption, limits_of
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


def travel(
    robot: RobotArgument,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    work: WorkOption = None,
    work_rpy: WorkRpyOption = None,
    tool: ToolOption = None,
    tool_rpy: ToolRpyOption = None,
    max_condition: MaxConditionOption = None,
    ignore: IgnoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute the travel from a pose along and about each axis alone, and the limits that bound it.

    Example:  gough workspace travel demo-hexapod --tool 0 0 200mm
    """
    from gough.kinematics.model import Model
    from gough.robot import load

    limits = limits_of(ignore, max_condition)
    frames = frames_of(work, work_rpy, tool, tool_rpy, degrees)
    model = Model(load(robot))
    pose, remarks = taken_pose(model, pose_of(model.robot, position, rpy, degrees, frames=frames))
    show(model.travel(pose, frames=frames, limits=limits), as_json, notes=remarks)
