"""Machines for other programs: files of each format, made where they are asked for."""

from importlib import import_module
from pathlib import Path
from typing import Any, cast

from gough.checks import require_instance
from gough.compiler.source.language import is_single
from gough.disk.sources import write_sources
from gough.errors import GoughError
from gough.exchange.tree.document import Export
from gough.robot import Robot

_FORMATS = {  # the functions that make them, by their modules here
    "mjcf": "tree.mjcf:mjcf",
    "urdf": "tree.urdf:urdf",
    "sdf": "tree.sdf:sdf",
    "usd": "tree.usd:usd",
    "ros2": "tree.ros2_package:ros2_package",
    "ros2-node": "ros2.node:ros2_node",
    "linuxcnc": "linuxcnc.component:linuxcnc",
    "firmware": "firmware.export:firmware",
}


def machine_export(robot: Robot, to: str, *, loops: bool = False, dtype: str = "float64") -> Export:
    """The machine in a format of other programs: texts, and what must be known of them.

    With `loops`, which is for "urdf", they are in the file itself; "float32" is for "firmware".
    """
    require_instance("robot", robot, Robot)
    if to not in _FORMATS:
        expected = ", ".join(repr(known) for known in _FORMATS)
        raise GoughError(f"cannot export a machine to {to!r}; expected one of {expected}")
    options: dict[str, dict[str, Any]] = {"urdf": {"loops": loops}, "firmware": {"dtype": dtype}}
    for format_, option, given in (("urdf", "loops", loops), ("firmware", dtype, is_single(dtype))):
        if given and to != format_:
            raise GoughError(f"{option} is for {format_!r}, and not for {to!r}")
    module, _, name = _FORMATS[to].partition(":")
    make = getattr(import_module(f"{__package__}.{module}"), name)
    return cast(Export, make(robot, **options.get(to, {})))


def export_machine(
    robot: Robot,
    directory: str | Path,
    to: str,
    *,
    loops: bool = False,
    dtype: str = "float64",
    overwrite: bool = False,
) -> list[Path]:
    """Write the machine into a folder, which is made if need be; the paths of the files.

    Meshes of bodies become OBJ files beside it, NAME-BODY.obj, in the bodies' frames.

    "mjcf": `NAME.xml`, for MuJoCo and Pinocchio.
    "urdf": `NAME.urdf`, and `NAME.yaml`, which says which of its frames close loops; with `loops`
    only the first, with the loops in it as URDF+ has them.
    "sdf": `NAME.sdf`, whose joints close the loops themselves.
    "usd": `NAME.usda`, as "sdf", for Isaac Sim and others.
    "ros2": `NAME_description`, a package of ROS 2 with the machine as xacro, and how to show it.
    "ros2-node": `NAME_kinematics`, a package of ROS 2 whose node computes commands of the motors
    and, from joint states, the platform's pose.
    "linuxcnc": `NAME_kins.comp`, a component, and the configuration of a machine with it.
    "firmware": `NAME_ik`, inverse kinematics as a CMake project and an Arduino sketch; with dtype
    "float32" in single precision.

    Files that are not as Gough made them are refused, unless `overwrite`.
    """
    texts = machine_export(robot, to, loops=loops, dtype=dtype).texts
    return write_sources(Path(directory), texts, overwrite=overwrite)
