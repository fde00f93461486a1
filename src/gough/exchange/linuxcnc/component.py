"""A machine's kinematics as a component of LinuxCNC, for `halcompile`.

Forward kinematics are Gough's own search, tracked from where LinuxCNC says that the platform is;
lengths of the machine are pins, as those of `genhexkins` are, so that a builder can adjust them.
Names of pins, axes and offsets are those of `genhexkins` where they mean the same [LinuxCNC manual
page kins(9)]; A B C are roll, pitch and yaw: R = Rz(C) Ry(B) Rx(A).
"""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from gough.compiler.front.function import Function
from gough.compiler.front.program import Program, flat_size
from gough.compiler.source.c import C
from gough.compiler.source.language import braces, provenance
from gough.compiler.source.library import c_identifier
from gough.disk.sources import write_sources
from gough.equations import any_machine
from gough.exchange.linuxcnc import pins
from gough.exchange.linuxcnc.geometry import adjustable
from gough.exchange.linuxcnc.pins import Pin
from gough.kinematics.forward.kernel import forward_function, lengths_of
from gough.kinematics.forward.precision import AT_MOST, STRIDE
from gough.kinematics.forward.status import Status
from gough.kinematics.freedoms.closing import closing
from gough.model.definition import POSE
from gough.model.machines import Machines
from gough.poses import euler
from gough.robot import Hexapod, Mechanism, Robot
from gough.simulation.arguments import instance

_METHOD = "newton"
_AXES = "XYZABC"


def export_linuxcnc(robot: Robot, directory: str | Path) -> list[Path]:
    """Write `NAME_kins.comp` into a folder, which is made if need be; the path of the file.

    The name is the robot's. Lengths are in millimetres unless a pin says otherwise.
    """
    instance("robot", robot, Robot)
    name = _component_name(robot)
    return write_sources(Path(directory), {f"{name}.comp": _component(robot, name)})


def _component_name(robot: Robot) -> str:
    """What the robot's component is called: letters, digits and _."""
    return f"{c_identifier(robot.name.lower())}_kins"


def _component(robot: Robot, name: str) -> str:
    machines = adjustable(robot)
    code, own_pins = _corrections(robot)
    all_pins = [*pins.lengths(machines), *own_pins, *pins.COMMON]
    pins.check_names(name, all_pins)
    return "\n".join(
        [
            f"// {provenance(name, robot.identity)}; adjust its pins, not its text.",
            f'component {name} "Kinematics of {_plain(robot.name)}";',
            f'description """{_description(robot)}""";',
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
            _function(Program.of(_inverse_kinematics(machines))),
            _function(Program.of(forward_function(machines, _METHOD, AT_MOST))),
            _file("kinematics.c"),
            _taking("take_geometry", pins.lengths(machines), " / *pins->units_per_metre"),
            code,
        ]
    )


def _corrections(robot: Robot) -> tuple[str, list[Pin]]:
    """What joints read beside positions of the actuators: code, and pins that it has."""
    if not isinstance(robot, Hexapod):
        return _file("no_corrections.c"), []
    axes, shown = pins.joint_axes(len(robot.legs)), pins.screw_corrections(len(robot.legs))
    lines = [f"{pin.in_code} = correction[{k}];" for k, pin in enumerate(shown)]
    show = f"static void show_corrections(const double *correction) {braces(lines)}\n"
    code = [_file("screw_corrections.c"), _taking("take_axes", axes), show]
    return "\n".join(code), [*axes, pins.SCREW_LEAD, *shown]


def _inverse_kinematics(machines: Machines) -> Function:
    """Positions of the actuators at a pose that the machine can take, near the one given; both."""
    possible = closing(machines.robot)

    def equation(machine: Any, pose: Any) -> tuple[Any, Any]:
        found, _ = possible(pose)
        return any_machine.inverse_kinematics(machine, found), found

    outputs = [lengths_of(machines), replace(POSE, name="found")]
    return machines.function("inverse_kinematics", equation, [POSE], outputs)


def _function(program: Program) -> str:
    """A function from all its inputs, one behind the other, to all its outputs."""
    language = C(program)
    language.names[id(program)] = program.name
    main = language.function(program, language.straight(program))
    return "\n".join([*language.functions(), main, ""])


def _definitions(machines: Machines) -> list[str]:
    """Facts about the machine, by the names that the code has for them."""
    robot, structure = machines.robot, machines.structure
    has = _axes(robot)
    turns = ", ".join(str(int(a.turns)) for a in robot.actuators)
    angles = euler(robot.home, "xyz", degrees=True).tolist()
    return [
        f"#define JOINTS {structure.actuators}",
        f"#define NUMBERS {flat_size(machines.numbers)}",
        "#define GUESS (NUMBERS + JOINTS)",
        f"#define STRIDE {STRIDE}",
        f"#define CONVERGED {Status.CONVERGED:d}",
        f"#define OUTSIDE_STROKE {Status.OUTSIDE_STROKE:d}",
        *(f"#define HAS_{axis} {int(axis in has)}" for axis in _AXES),
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


def _axes(robot: Robot) -> str:
    """The axes that the machine has."""
    if not isinstance(robot, Mechanism):
        return _AXES
    seen = zip(_AXES, zip(*robot.platform.rows, strict=True), strict=True)
    return "".join(axis for axis, column in seen if any(column))


def _description(robot: Robot) -> str:
    """What the manual page says, which halcompile makes of it."""
    units = {
        False: "machine units, millimetres unless units-per-metre says otherwise",
        True: "degrees",
    }
    joints = " or ".join(units[turns] for turns in sorted({a.turns for a in robot.actuators}))
    statuses = [f"{s:d}: {s.meaning}." for s in Status if s is not Status.UNCERTAIN]
    return "\n".join(
        [
            "",
            f"[KINS] KINEMATICS = {_component_name(robot)}",
            f"[KINS] JOINTS = {len(robot.actuators)}",
            f"[TRAJ] COORDINATES = {' '.join(_axes(robot))}",
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


def _plain(text: str) -> str:
    """A text without quotes."""
    return text.replace('"', "'").replace("\\", "/")
