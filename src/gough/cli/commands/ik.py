"""`gough ik`: positions of the actuators at a pose."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gough.cli.frame_options import (
    ToolOption,
    ToolRpyOption,
    WorkOption,
    WorkRpyOption,
    frame_facts,
    frame_lines,
    frames_of,
)
from gough.cli.joint_options import as_read, joint_facts, option_of, unit_read
from gough.cli.output import JsonOption, RobotArgument, console, print_json, say, table
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of
from gough.cli.pose_text import pose_lines
from gough.errors import GoughError

if TYPE_CHECKING:
    from gough.robot import Actuator, Robot


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
    """Show the leg lengths, or the positions of all actuators, at a pose, and whether limits allow.

    Example:  gough ik demo-hexapod --position 0 0 1 --rpy 0 10 0 --degrees
    """
    from gough.cli.pose_options import taken_pose
    from gough.kinematics.model import Model
    from gough.kinematics.singularity.soundness import singular_words
    from gough.robot import load

    frames = frames_of(work, work_rpy, tool, tool_rpy, degrees)
    machine = load(robot)
    model = Model(machine)
    pose, remarks = taken_pose(model, pose_of(machine, position, rpy, degrees, frames=frames))
    q = model.inverse_kinematics(pose)
    _check_reached(machine, q)
    within = [_within(actuator, x) for actuator, x in zip(machine.actuators, q, strict=True)]
    warnings = [*remarks, *singular_words(machine, pose)]
    if as_json:
        facts = {"pose": pose.tolist(), **frame_facts(frames, pose), **joint_facts(machine, q)}
        legs = _in_legs(machine, q, within)
        print_json({**facts, "within_travel": within, **legs, "warnings": warnings})
        return
    for line in [*frame_lines(frames), *pose_lines(pose, frames)]:
        say(line)
    console.print(_table(machine, q, within))
    for words in warnings:
        say(words, "warning")


_OF_LEGS = ("leg", "length", "shortest", "longest", "")
_OF_JOINTS = ("joint", "unit", "position", "least", "greatest", "")


def _table(robot: Robot, q: Any, within: list[bool | None]) -> Any:
    by_length = option_of(robot) == "--lengths"
    rows = []
    for k, (actuator, x, inside) in enumerate(zip(robot.actuators, q, within, strict=True), 1):
        ends = [as_read(actuator, end) for end in actuator.travel or (None, None)]
        name = (str(k),) if by_length else (actuator.name, unit_read(actuator))
        limit = "stroke" if not actuator.turns else "range"
        outside = "" if inside in (True, None) else f"outside its {limit}"
        rows.append((*name, f"{as_read(actuator, float(x)):z.6f}", *ends, outside))
    if by_length:
        return table(f"{robot.name}: leg lengths [m]", _OF_LEGS, rows)
    return table(f"{robot.name}: positions of the driven joints", _OF_JOINTS, rows)


def _in_legs(robot: Robot, q: Any, within: list[bool | None]) -> dict[str, Any]:
    """The same by the names that hexapods' legs have."""
    if option_of(robot) != "--lengths":
        return {}
    return {"leg_lengths": [float(x) for x in q], "within_stroke": within}


def _check_reached(robot: Robot, q: Any) -> None:
    lost = [a.name for a, x in zip(robot.actuators, q, strict=True) if not math.isfinite(x)]
    if lost:
        raise GoughError(
            f"{robot.name} cannot take this pose: no position of {', '.join(lost)} fits it"
        )


def _within(actuator: Actuator, position: float) -> bool | None:
    """None if the actuator has no limits."""
    travel = actuator.travel
    return None if travel is None else bool(travel[0] <= position <= travel[1])
