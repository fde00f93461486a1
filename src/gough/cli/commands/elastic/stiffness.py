"""`gough elastic stiffness`: stiffness at a pose and over the workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gough.cli.options import (
    ActuatorsOption,
    MapAxesOption,
    RotationalOption,
    actuators_of,
    picture_option,
)
from gough.cli.output import JsonOption, RobotArgument, save_plot, show
from gough.cli.pose_options import DegreesOption, PositionOption, RpyOption, pose_of


def stiffness(
    robot: RobotArgument,
    position: PositionOption = None,
    rpy: RpyOption = None,
    degrees: DegreesOption = False,
    actuators: ActuatorsOption = "locked",
    plot: Annotated[
        Path | None, picture_option("Save a figure of the machine with its ellipsoids.", "--plot")
    ] = None,
    map_file: Annotated[
        Path | None, picture_option("Save a map over the workspace.", "--map")
    ] = None,
    axes: MapAxesOption = ("x", "y"),
    rotational: RotationalOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compute the stiffness at a pose, under the robot's own weight.

    Example:  gough elastic stiffness demo-hexapod --position 0.1 0 0.95 --map stiffness.png
    """
    from gough.elastic.stiffness import stiffness as find
    from gough.kinematics.model import Model
    from gough.robot import load

    model = Model(load(robot))
    held = actuators_of(actuators)
    found = find(model, pose_of(model.robot, position, rpy, degrees), actuators=held)
    if plot is not None:
        save_plot(found.plot(), plot)
    if map_file is not None:
        from gough.elastic.stiffness import stiffness_map

        drawn = stiffness_map(model, axes, found.pose, actuators=held, rotational=rotational)
        save_plot(drawn.plot(title=model.robot.name), map_file)
    show(
        found,
        as_json,
        notes=[f"actuators: {actuators}"],
        files={"ellipsoids": plot, "map": map_file},
        facts={"actuators": actuators},
    )
