"""A machine's kinematics as a component of LinuxCNC, for `halcompile`.

Forward kinematics are Gough's own search, tracked from where LinuxCNC says that the platform is;
lengths of the machine are pins, as those of `genhexkins` are, so that a builder can adjust them.
Names of pins, axes and offsets are those of `genhexkins` where they mean the same [LinuxCNC manual
page kins(9)]; A B C are roll, pitch and yaw: R = Rz(C) Ry(B) Rx(A).
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path

import casadi as ca

from gough.checks import require_instance
from gough.compiler.front.function import Function
from gough.compiler.front.program import Program
from gough.compiler.source.c import private_function
from gough.compiler.source.language import c_identifier, provenance
from gough.disk.sources import rendered, write_sources
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.kinematics.forward.kernel import forward_function, lengths_of
from gough.kinematics.forward.status import AT_MOST, DOUBLE, STRIDE, Status
from gough.kinematics.freedoms.nearest_pose import has_constant_basis, loop_closing
from gough.model.definition import POSE
from gough.model.machines import Machines
from gough.model.variables import variables
from gough.poses import euler
from gough.robot import Robot

_MILLIMETRES = 1000.0
_LONGEST_NAME = 47
"""Maximum length of a pin's name, with the component's [hal.h: HAL_NAME_LEN]."""

_LENGTHS = (
    re.compile(
        r"legs?(\[\d+\])?\.(base|platform|elbow|links\[\d+\]\.length)\b|joints\[\d+\]\.at\b"
    ),
    re.compile(r"legs?(\[\d+\])?\.links\[\d+\]\.length$"),
)
"""Joint centres and lengths of bars, and the latter alone."""

_METHOD = "newton"
_UNITS = ("machine units, millimetres unless units-per-metre says otherwise", "degrees")
"""Units of joints that slide, and of those that turn."""
_AXES = "XYZABC"


def export_linuxcnc(robot: Robot, directory: str | Path, *, overwrite: bool = False) -> list[Path]:
    """Write `NAME_kins.comp` into a folder, which is made if need be; the path of the file.

    The name is the robot's. Lengths are in millimetres unless a pin says otherwise.
    """
    require_instance("robot", robot, Robot)
    name = f"{c_identifier(robot.name.lower())}_kins"
    texts = {f"{name}.comp": _component(robot, name)}
    return write_sources(Path(directory), texts, overwrite=overwrite)


def _component(robot: Robot, name: str) -> str:
    machines, axes = (
        _adjustable(robot),
        product(("base", "platform"), range(len(robot.actuators)), "xyz"),
    )
    searched = forward_function(machines, _METHOD, AT_MOST)
    facts = {
        "name": name,
        "mark": provenance(name, robot.identity),
        "title": robot.name.replace('"', "'").replace("\\", "/"),
        "axes": machine_axes(robot),
        "turns": [int(a.turns) for a in robot.actuators],
        "units": [_UNITS[turns] for turns in sorted({a.turns for a in robot.actuators})],
        "home": robot.home,
        "home_angles": euler(robot.home, "xyz", degrees=True).tolist(),
        "lengths": _length_pins(machines),
        "struts": robot.has_extensible_legs,
        "joint_axes": [(f"{end}-n.{leg}.{axis}", end) for end, leg, axis in axes],
        "Status": Status,
        "tolerance": DOUBLE.tolerance,
        "at_most": AT_MOST,
        "stride": STRIDE,
        "inverse_kinematics": private_function(Program.of(_inverse_kinematics(machines))),
        "forward_kinematics": private_function(Program.of(searched)),
    }
    text = rendered(__name__, "kins.comp", facts)
    for pin in re.findall(r"^pin \w+ \w+ (\S+)", text, re.MULTILINE):
        full = f"{name.replace('_', '-')}.{pin}"
        if len(full) > _LONGEST_NAME:
            raise GoughError(
                f"{full} is too long for a pin of LinuxCNC: {len(full)} characters; expected at "
                f"most {_LONGEST_NAME}: give the robot a shorter name"
            )
    return text


def _inverse_kinematics(machines: Machines) -> Function:
    """Positions of the actuators at a pose that the machine can take, near the one given; both."""
    possible = loop_closing(machines.robot)

    def equation(machine: Machine, pose: Value) -> tuple[Value, Value]:
        found, _ = possible(pose)
        return kinematics.inverse_kinematics(machine, found), found

    outputs = [lengths_of(machines), replace(POSE, name="found")]
    return machines.function("inverse_kinematics", equation, [POSE], outputs)


def machine_axes(robot: Robot) -> str:
    """The axes that the machine has."""
    seen = zip(_AXES, zip(*robot.freedom_rows, strict=True), strict=True)
    return "".join(axis for axis, column in seen if any(column))


def _adjustable(robot: Robot) -> Machines:
    """The machines of a robot's kind with other lengths: as many of these as can be others.

    Of a hexapod the joint centres of each leg, as genhexkins has them. Of other machines what
    their file states: joint centres and lengths of bars; or only the latter, or none, where the
    machine would be another one at others. None, too, where a platform's moves follow its pose.
    """
    if robot.has_extensible_legs:
        by_legs = robot.with_parameters(robot.parameters)
        return Machines(by_legs, parametric=["legs[*].base", "legs[*].platform"])
    for pattern in _LENGTHS if has_constant_basis(robot) else ():
        names = [name for name in variables(robot).names if pattern.match(name)]
        if names:
            machines = Machines(robot, parametric=names)
            with suppress(GoughError):  # where it is another kind of machine at other numbers
                machines.machine(*(ca.SX.sym(a.name, a.size) for a in machines.numbers))
                return machines
    return Machines(robot)


def _length_pins(machines: Machines) -> list[tuple[str, str, float]]:
    """Pins of lengths, in the order in which equations take them, with their names and values."""
    values: list[float] = machines.values.tolist() if machines.family else []
    return [
        (_pin_name(name), name, float(f"{value * _MILLIMETRES:.15g}"))
        for name, value in zip(machines.family, values, strict=True)
    ]


def _pin_name(name: str) -> str:
    """The pin of a number of a robot file: of `legs[2].base.x` it is `base.2.x`."""
    short = re.sub(r"^legs\[(\d+)\]\.(base|platform)\.([xyz])$", r"\2.\1.\3", name)
    return re.sub(r"\[(\d+)\]", r".\1", short).replace("_", "-")
