"""A machine's kinematics as a component of LinuxCNC, for `halcompile`, with its configuration.

Forward kinematics are Gough's own search, tracked from where LinuxCNC says that the platform is;
lengths of the machine are pins, as those of `genhexkins` are, so that a builder can adjust them.
Names of pins, axes and offsets are those of `genhexkins` where they mean the same [LinuxCNC manual
page kins(9)]; A B C are roll, pitch and yaw: R = Rz(C) Ry(B) Rx(A). They can be switched
[switchkins]: type 0 are the machine's, in type 1 every axis is a joint.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product

import casadi as ca
import numpy as np

from gough.compiler import Function, Program
from gough.compiler.source.c import private_function
from gough.compiler.source.language import c_identifier, provenance
from gough.disk.sources import rendered
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.exchange.joint_states import motors_at_home
from gough.exchange.tree.document import Export
from gough.kinematics import Model, Status
from gough.kinematics.forward.kernel import forward_function, lengths_of
from gough.kinematics.forward.status import AT_MOST, DOUBLE, STRIDE
from gough.kinematics.freedoms.nearest_pose import has_constant_basis, loop_closing
from gough.model import Machines, variables
from gough.model.definition import POSE
from gough.poses import euler
from gough.robot import Robot

_MILLIMETRES = 1000.0
_LONGEST_NAME = 47  # maximum length of a pin's name, with the component's [hal.h: HAL_NAME_LEN]
_LENGTHS = (  # joint centres and lengths of bars, and the latter alone
    re.compile(
        r"legs?(\[\d+\])?\.(base|platform|elbow|links\[\d+\]\.length)\b|joints\[\d+\]\.at\b"
    ),
    re.compile(r"legs?(\[\d+\])?\.links\[\d+\]\.length$"),
)
_METHOD = "newton"
_UNITS = ("machine units, millimetres unless units-per-metre says otherwise", "degrees")
"""Units of joints that slide, and of those that turn."""
_AXES = "XYZABC"
_TYPES = {428: "the machine's kinematics", 429: "every axis is a joint"}
"""M-codes of the types of kinematics, 0 and 1."""
_ASSUMED = (0.05, float(np.radians(30.0)))
"""Maximum speed of an actuator whose file states none [m/s, rad/s]."""


def linuxcnc(robot: Robot) -> Export:
    """A component and its configuration.

    `NAME_kins.comp`, `NAME.ini` with the limits of joints, `NAME.hal`, an empty tool table
    `NAME.tbl`, and in `NAME_remap` two M-codes that switch kinematics. The name is the robot's.
    Lengths are in millimetres unless a pin says otherwise.
    """
    name = c_identifier(robot.name.lower())
    axes, mark = machine_axes(robot), provenance(f"{name}_kins", robot.identity)
    facts: dict[str, object] = {
        "mark": mark,
        "title": " ".join(robot.name.replace('"', "'").replace("\\", "/").split()),
        "axes": axes,
        "identity": axes[: len(robot.actuators)] if len(robot.actuators) <= len(axes) else "",
    }
    texts = {f"{name}_kins.comp": _component(robot, f"{name}_kins", facts)}
    facts |= {"name": name, "prefix": f"{name}_kins".replace("_", "-")} | _configuration(robot)
    for ending in ("ini", "hal", "tbl"):
        texts[f"{name}.{ending}"] = rendered(__name__, f"machine.{ending}", facts)
    for kind, (code, meaning) in enumerate(_TYPES.items() if facts["identity"] else ()):
        own = {"mark": mark, "code": code, "type": kind, "meaning": meaning}
        texts[f"{name}_remap/{code}remap.ngc"] = rendered(__name__, "remap.ngc", own)
    return Export(texts, [])


def _configuration(robot: Robot) -> dict[str, object]:
    """Limits, speeds and the home of joints [mm, deg], and what of these is assumed.

    Axes are as fast as the joints allow at the home pose, each moved alone.
    """
    model, home, motors = Model(robot), np.array(robot.home), robot.actuators
    units = np.array([np.degrees(1.0) if a.turns else _MILLIMETRES for a in motors])
    positions = motors_at_home(robot)
    speeds = [_ASSUMED[a.turns] if a.max_speed is None else a.max_speed for a in motors]
    rates = np.asarray(model.jacobian(home))
    if "admissible" in model.kernel_names:
        rates = rates @ model.admissible(home, np.eye(6)).T
    with np.errstate(divide="ignore", invalid="ignore"):
        along = np.min(np.array(speeds)[:, None] / np.abs(rates), axis=0)
    axes, fastest = machine_axes(robot), dict[str, float]()
    for letters, unit, usual in (("XYZ", _MILLIMETRES, 0), ("ABC", np.degrees(1.0), 1)):
        own = [along[_AXES.index(axis)] for axis in letters if axis in axes]
        fastest[letters] = unit * min((x for x in own if np.isfinite(x)), default=_ASSUMED[usual])
    joints = [
        {
            "name": a.name,
            "turns": a.turns,
            "travel": a.travel and [x * unit for x in a.travel],
            "speed": speed * unit,
            "is_assumed": a.max_speed is None,
            "home": x * unit,
        }
        for a, unit, speed, x in zip(motors, units, speeds, positions, strict=True)
    ]
    at_home = [*home[:3] * _MILLIMETRES, *euler(robot.home, "xyz", degrees=True)]
    return {
        "joints": joints,
        "fastest": fastest,
        "home": [x * (axis in axes) for axis, x in zip(_AXES, at_home, strict=True)],
    }


def _component(robot: Robot, name: str, shared: dict[str, object]) -> str:
    machines, identity = _adjustable(robot), str(shared["identity"])
    ends = product(("base", "platform"), range(len(robot.actuators)), "xyz")
    searched = forward_function(machines, _METHOD, AT_MOST)
    facts = shared | {
        "name": name,
        "places": [_AXES.index(axis) for axis in identity] or [0] * len(robot.actuators),
        "turns": [int(a.turns) for a in robot.actuators],
        "units": [_UNITS[turns] for turns in sorted({a.turns for a in robot.actuators})],
        "home": robot.home,
        "home_angles": euler(robot.home, "xyz", degrees=True).tolist(),
        "lengths": list(_length_pins(machines)),
        "struts": robot.has_extensible_legs,
        "joint_axes": [(f"{end}-n.{leg}.{axis}", end) for end, leg, axis in ends],
        "Status": Status,
        "tolerance": DOUBLE.tolerance,
        "at_most": AT_MOST,
        "stride": STRIDE,
        "inverse_kinematics": private_function(Program.of(possible_inverse_kinematics(machines))),
        "forward_kinematics": private_function(Program.of(searched)),
    }
    text = rendered(__name__, "kins.comp", facts)
    for pin in re.findall(r"^pin \w+ \w+ (\S+)", text, re.MULTILINE):
        full = f"{name.replace('_', '-')}.{pin}"
        if len(full) > _LONGEST_NAME:
            problem = f"{full} is too long for a pin of LinuxCNC: {len(full)} characters"
            expected = f"at most {_LONGEST_NAME}: give the robot a shorter name"
            raise GoughError(f"{problem}; expected {expected}")
    return text


def possible_inverse_kinematics(machines: Machines) -> Function:
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


def _length_pins(machines: Machines) -> Iterator[tuple[str, str, float]]:
    """Yield pins of lengths, in the order in which equations take them, with names and values.

    That of `legs[2].base.x` of a robot file is `base.2.x`.
    """
    for name, value in zip(
        machines.family, machines.values if machines.family else (), strict=True
    ):
        short = re.sub(r"^legs\[(\d+)\]\.(base|platform)\.([xyz])$", r"\2.\1.\3", name)
        pin = re.sub(r"\[(\d+)\]", r".\1", short).replace("_", "-")
        yield pin, name, float(f"{value * _MILLIMETRES:.15g}")
