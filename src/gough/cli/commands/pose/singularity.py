"""`gough pose singularity`: distance of a pose to singularities."""

from __future__ import annotations

from gough.cli.output import JsonOption, RobotArgument, show
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of, taken_pose


def singularity(
    robot: RobotArgument,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how near a pose is to a singularity, and which motion gets out of control there.

    Example:  gough pose singularity kalani-2016 --position 0 0 1 --rpy 0 0 85 --degrees
    """
    from gough.display import Table
    from gough.kinematics.model import Model
    from gough.kinematics.singularity.singularity import singular_words
    from gough.kinematics.singularity.singularity import singularity as measure
    from gough.poses.rows import pose_rows
    from gough.robot import load

    machine = load(robot)
    model = Model(machine)
    pose, remarks = taken_pose(model, pose_of(machine, position, rpy, degrees))
    found, warnings = measure(model, pose), [*remarks, *singular_words(machine, pose)]
    show(
        found,
        as_json,
        about=machine.name,
        tables=[Table.properties("Pose", pose_rows(pose)), *found.tables()],
        warnings=warnings,
        facts={"pose": pose, "warnings": warnings},
    )
