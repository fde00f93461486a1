"""`gough travel`: how far a robot goes from a pose along each axis alone, and what ends it."""

from __future__ import annotations

from gough.cli.frame_options import (
    ToolOption,
    ToolRpyOption,
    WorkOption,
    WorkRpyOption,
    frame_facts,
    frame_lines,
    frames_of,
)
from gough.cli.limit_options import IgnoreOption, MaxConditionOption, limits_of
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of
from gough.cli.pose_text import pose_lines
from gough.cli.travel_text import travel_facts, travel_table


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
    """Show how far a robot goes from a pose along, and about, each axis alone, and what ends it.

    Example:  gough travel demo-hexapod --tool 0 0 200mm
    """
    from gough.cli.pose_options import taken_pose
    from gough.kinematics.model import Model
    from gough.robot import load

    limits = limits_of(ignore, max_condition)
    frames = frames_of(work, work_rpy, tool, tool_rpy, degrees)
    model = Model(load(robot))
    pose, remarks = taken_pose(model, pose_of(model.robot, position, rpy, degrees, frames=frames))
    found = model.travel(pose, frames=frames, limits=limits)
    shown, free = [name for part in found for name in part.freedoms], model.structure.freedoms
    if len(shown) < len(free):
        remarks.append(
            f"{model.robot.name} moves in {' '.join(free)}: of the axes of the work frame through "
            f"this tool that leaves {' '.join(shown)}"
        )
    if as_json:
        facts = {"pose": pose.tolist(), **frame_facts(frames, pose)}
        print_json({**facts, "travels": [travel_facts(part) for part in found], "notes": remarks})
        return
    for line in [*frame_lines(frames), *pose_lines(pose, frames)]:
        say(line)
    for part in found:
        console.print(travel_table(part, "here"))
    for remark in remarks:
        say(remark, "note")
