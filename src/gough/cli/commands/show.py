"""`gough show`: a robot's geometry, masses and limits, and a figure of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from gough.cli import output
from gough.cli.options import picture_option
from gough.cli.output import JsonOption, RobotArgument


def show(
    robot: RobotArgument,
    plot: Annotated[
        Path | None, picture_option("Save a figure of the robot (.png, .svg, .pdf).", "--plot")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show a robot: structure, geometry, masses, limits and its home pose.

    Example:  gough show demo-hexapod --plot hexapod.png
    """
    from gough.kinematics.description import RobotDescription
    from gough.robot import load

    machine = load(robot)
    if plot is not None:
        from gough.plots import plot_machine

        output.save_plot(plot_machine(machine), plot)
    notes = machine.notes.strip().split("\n") if machine.notes and not as_json else []
    output.show(RobotDescription(machine), as_json, notes=notes, files={"figure": plot})
