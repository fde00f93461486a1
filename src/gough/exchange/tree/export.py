"""Machines as files of other programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gough.disk.sources import write_sources
from gough.errors import GoughError
from gough.exchange.ros2.package import ros2_package
from gough.exchange.tree.document import Export
from gough.exchange.tree.mjcf import mjcf
from gough.exchange.tree.sdf import sdf
from gough.exchange.tree.urdf import urdf
from gough.robot import Robot

_FORMATS: dict[str, Callable[[Robot], Export]] = {
    "mjcf": mjcf,
    "urdf": urdf,
    "sdf": sdf,
    "ros2": ros2_package,
}


def machine_export(robot: Robot, to: str, *, loops: bool = False) -> Export:
    """The machine in a format of other programs: texts, and what must be known of them.

    With `loops`, which is for "urdf", they are in the file itself.
    """
    if to not in _FORMATS:
        expected = ", ".join(repr(known) for known in _FORMATS)
        raise GoughError(f"cannot export a machine to {to!r}; expected one of {expected}")
    if loops and to != "urdf":
        raise GoughError(f"loops={loops} is for 'urdf'; {to!r} has one way to close them")
    return urdf(robot, loops=True) if loops else _FORMATS[to](robot)


def export_machine(
    robot: Robot, directory: str | Path, to: str, *, loops: bool = False, overwrite: bool = False
) -> list[Path]:
    """Write the machine into a folder, which is made if need be; the paths of the files.

    Meshes of bodies become OBJ files beside it, NAME-BODY.obj, in the bodies' frames.

    "mjcf": `NAME.xml`, for MuJoCo and Pinocchio.
    "urdf": `NAME.urdf`, and `NAME.yaml`, which says which of its frames close loops; with `loops`
    only the first, with the loops in it as URDF+ has them.
    "sdf": `NAME.sdf`, whose joints close the loops themselves.
    "ros2": `NAME_description`, a package of ROS 2 with the machine as xacro, and how to show it.

    Files that are not as Gough made them are refused, unless `overwrite`.
    """
    texts = machine_export(robot, to, loops=loops).texts
    return write_sources(Path(directory), texts, overwrite=overwrite)
