"""A machine's kinematics as a component of LinuxCNC, for `halcompile`.

Forward kinematics are Gough's own search, tracked from where LinuxCNC says that the platform is;
lengths of the machine are pins, as those of `genhexkins` are, so that a builder can adjust them.
Names of pins, axes and offsets are those of `genhexkins` where they mean the same [LinuxCNC manual
page kins(9)]; A B C are roll, pitch and yaw: R = Rz(C) Ry(B) Rx(A).
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import product
from pathlib import Path

import casadi as ca

from gough.checks import require_instance
from gough.compiler.front.function import Function
from gough.compiler.front.program import Program, flat_size
from gough.compiler.source.c import private_function
from gough.compiler.source.language import braces, c_identifier, provenance
from gough.disk.sources import write_sources
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
_MEASURES = "lengths over the machine's size, angles in radians"
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
    machines, (code, own_pins) = _adjustable(robot), _corrections(robot)
    plain_name, lengths = robot.name.replace('"', "'").replace("\\", "/"), _length_pins(machines)
    all_pins = [*lengths, *own_pins, *_COMMON_PINS]
    for full in (f"{name.replace('_', '-')}.{pin.name}" for pin in all_pins):
        if len(full) > _LONGEST_NAME:
            raise GoughError(
                f"{full} is too long for a pin of LinuxCNC: {len(full)} characters; expected at "
                f"most {_LONGEST_NAME}: give the robot a shorter name"
            )
    return "\n".join(
        [
            f"// {provenance(name, robot.identity)}; adjust its pins, not its text.",
            f'component {name} "Kinematics of {plain_name}";',
            f'description """{_description(robot, name)}""";',
            *(pin.declared for pin in all_pins),
            "option singleton yes;",
            "option extra_setup yes;",
            "option no_convenience_defines yes;",
            'license "Dual BSD/GPL";',
            'author "Gough";',
            ";;",
            '#include "rtapi_math.h"',
            '#include "kinematics.h"',
            "",
            *_definitions(machines),
            private_function(Program.of(_inverse_kinematics(machines))),
            private_function(Program.of(forward_function(machines, _METHOD, AT_MOST))),
            _file("kinematics.c"),
            _taking("take_geometry", lengths, " / *pins->units_per_metre"),
            code,
        ]
    )


def _corrections(robot: Robot) -> tuple[str, list[Pin]]:
    """Return the corrections of joint readings beside actuator positions: code, and its pins."""
    if not robot.has_extensible_legs:
        return _file("no_corrections.c"), []
    legs, by = range(len(robot.actuators)), "by the turn of the strut"
    axes = [  # unit vectors along those of universal joints: at the base, then at the platform
        Pin(f"{end}-n.{leg}.{axis}", f"joint axis at the {end}, in its own axes")
        for end, leg, axis in product(("base", "platform"), legs, "xyz")
    ]
    lead = Pin("screw-lead", "of screws that turn with their struts; right-handed: > 0")
    shown = [Pin(f"correction.{leg}", by, 0, "out float") for leg in legs]
    lines = [f"{pin.in_code} = correction[{k}];" for k, pin in enumerate(shown)]
    show = f"static void show_corrections(const double *correction) {braces(lines)}\n"
    code = [_file("screw_corrections.c"), _taking("take_axes", axes), show]
    return "\n".join(code), [*axes, lead, *shown]


def _inverse_kinematics(machines: Machines) -> Function:
    """Positions of the actuators at a pose that the machine can take, near the one given; both."""
    possible = loop_closing(machines.robot)

    def equation(machine: Machine, pose: Value) -> tuple[Value, Value]:
        found, _ = possible(pose)
        return kinematics.inverse_kinematics(machine, found), found

    outputs = [lengths_of(machines), replace(POSE, name="found")]
    return machines.function("inverse_kinematics", equation, [POSE], outputs)


def _definitions(machines: Machines) -> list[str]:
    """Facts about the machine, by the names that the code has for them."""
    robot, structure = machines.robot, machines.structure
    turns = ", ".join(str(int(a.turns)) for a in robot.actuators)
    angles = euler(robot.home, "xyz", degrees=True).tolist()
    return [
        f"#define JOINTS {structure.actuators}",
        f"#define NUMBERS {flat_size(machines.numbers)}",
        "#define GUESS (NUMBERS + JOINTS)",
        f"#define STRIDE {STRIDE}",
        f"#define CONVERGED {Status.CONVERGED:d}",
        f"#define OUTSIDE_STROKE {Status.OUTSIDE_STROKE:d}",
        *(f"#define HAS_{axis} {int(axis in machine_axes(robot))}" for axis in _AXES),
        f"static const int TURNS[JOINTS] = {{{turns}}};",
        f"static const double HOME[7] = {{{', '.join(map(repr, robot.home))}}};",
        f"static const double HOME_ANGLES[3] = {{{', '.join(map(repr, angles))}}};",
        "",
    ]


def _taking(name: str, taken: list[Pin], unit: str = "") -> str:
    """A function that takes numbers from pins."""
    lines = [f"numbers[{k}] = {pin.in_code}{unit};" for k, pin in enumerate(taken)]
    return f"static void {name}(double *numbers) {braces(lines or ['(void)numbers;'])}\n"


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def machine_axes(robot: Robot) -> str:
    """The axes that the machine has."""
    seen = zip(_AXES, zip(*robot.freedom_rows, strict=True), strict=True)
    return "".join(axis for axis, column in seen if any(column))


def _description(robot: Robot, name: str) -> str:
    """Return the text of the manual page, which halcompile makes."""
    units = ("machine units, millimetres unless units-per-metre says otherwise", "degrees")
    joints = " or ".join(units[turns] for turns in sorted({a.turns for a in robot.actuators}))
    statuses = [f"{s:d}: {s.meaning}." for s in Status if s is not Status.UNCERTAIN]
    return "\n".join(
        [
            "",
            f"[KINS] KINEMATICS = {name}",
            f"[KINS] JOINTS = {len(robot.actuators)}",
            f"[TRAJ] COORDINATES = {' '.join(machine_axes(robot))}",
            "",
            f"Joints are the positions of the actuators in {joints}.",
            "X Y Z are those of the tool's tip, plus the two offsets along z: a tool changes no",
            "axis of a platform that is not tilted. A B C, in degrees, are roll, pitch and yaw of",
            "the platform: R = Rz(C) Ry(B) Rx(A). Axes that are not named are zero, whatever the",
            "machine does along and about them.",
            "",
            "Forward kinematics start where LinuxCNC says that the platform is; the first time",
            "also at home, if nothing is found from there. Poses of status 1 or 4 are taken only.",
            "Status:",
            "",
            *statuses,
            "",
        ]
    )


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


@dataclass(frozen=True)
class Pin:
    """A pin: its name behind the component's, its meaning, and its direction and type."""

    name: str
    meaning: str
    value: float = 0
    """Before anybody sets it."""
    kind: str = "in float"

    @property
    def declared(self) -> str:
        """Its line in the component's file."""
        return f'pin {self.kind} {self.name} = {self.value} "{self.meaning}";'

    @property
    def in_code(self) -> str:
        """The pin's name in the component's code."""
        return f"*pins->{re.sub(r'[-.]', '_', self.name)}"


_COMMON_PINS = (
    Pin("units-per-metre", "machine units in a metre; of inches 39.3701", _MILLIMETRES),
    Pin("spindle-offset", "how far the spindle's nose is below the platform's origin"),
    Pin("tool-offset", "how far the tool's tip is below that: motion.tooloffset.z"),
    Pin("convergence-criterion", f"maximum last step: {_MEASURES}", DOUBLE.tolerance),
    Pin("limit-iterations", f"more fail; {AT_MOST} are the most", AT_MOST, "in unsigned"),
    Pin("last-iterations", "steps of the last search for a pose", 0, "out unsigned"),
    Pin("max-iterations", "maximum steps of a search that found a pose", 0, "out unsigned"),
    Pin("residual", "maximum joint error at the last pose, in metres or radians", 0, "out float"),
    Pin("status", "how the last search ended, see above", 0, "out signed"),
    Pin("fwd-kins-fail", "whether the last search found no pose to rely on", 0, "out bit"),
)
"""Pins of every component."""


def _length_pins(machines: Machines) -> list[Pin]:
    """Lengths of a machine [machine units], in the order in which equations take them."""
    values: list[float] = machines.values.tolist() if machines.family else []
    return [
        Pin(_pin_name(name), f"{name} of the machine", float(f"{value * _MILLIMETRES:.15g}"))
        for name, value in zip(machines.family, values, strict=True)
    ]


def _pin_name(name: str) -> str:
    """The pin of a number of a robot file: of `legs[2].base.x` it is `base.2.x`."""
    short = re.sub(r"^legs\[(\d+)\]\.(base|platform)\.([xyz])$", r"\2.\1.\3", name)
    return re.sub(r"\[(\d+)\]", r".\1", short).replace("_", "-")
