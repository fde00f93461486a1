"""`gough export machine`: the whole machine for simulators and motion controllers."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gough.cli.exporting import DirectoryOption, show_files
from gough.cli.options import OverwriteOption
from gough.cli.output import JsonOption, RobotArgument, wrong_usage


class Format(StrEnum):
    """Formats of a whole machine."""

    MJCF = "mjcf"
    URDF = "urdf"
    SDF = "sdf"
    ROS2 = "ros2"
    LINUXCNC = "linuxcnc"


def machine(
    robot: RobotArgument,
    to: Annotated[
        Format, typer.Option("--to", metavar="FORMAT", help="Format: one of those above.")
    ],
    output: DirectoryOption = Path(),
    close_loops: Annotated[
        bool, typer.Option("--close-loops", help="Close loops in the urdf itself, as URDF+.")
    ] = False,
    overwrite: OverwriteOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write the whole machine for another tool.

    Formats: mjcf for MuJoCo, urdf, sdf for Gazebo, ros2 (a package), linuxcnc (a component).

    Example:  gough export machine demo-hexapod --to mjcf -o generated
    """
    from gough.disk.sources import write_sources
    from gough.exchange.linuxcnc.component import export_linuxcnc
    from gough.exchange.tree.export import machine_export
    from gough.robot import load

    if close_loops and to is not Format.URDF:
        raise wrong_usage("--close-loops", f"not for --to {to}; for urdf")
    loaded = load(robot)
    if to is Format.LINUXCNC:
        show_files(export_linuxcnc(loaded, output, overwrite=overwrite), as_json)
        return
    made = machine_export(loaded, to.value, loops=close_loops)
    show_files(write_sources(output, made.texts, overwrite=overwrite), as_json, made.remarks)
