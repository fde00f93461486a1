"""A machine's kinematics as a component of LinuxCNC, for `halcompile`.

Forward kinematics are Gough's own search, tracked from where LinuxCNC says that the platform is;
lengths of the machine are pins, as those of `genhexkins` are, so that a builder can adjust them.
Names of pins, axes and offsets are those of `genhexkins` where they mean the same [LinuxCNC manual
page kins(9)]; A B C are roll, pitch and yaw: R = Rz(C) Ry(B) Rx(A).
"""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from gough._version import __version__
from gough.compiler.front.function import Function
from gough.compiler.front.program import Program, flat_size
from gough.compiler.source.c import C
from gough.compiler.source.language import braces
from gough.disk.sources import MARK, write_sources
from gough.equations import any_machine
from gough.errors import GoughError
from gough.exchange.linuxcnc.geometry import adjustable, pin_name
from gough.kinematics.forward.forward import AT_MOST, STRIDE, TOLERANCE
from gough.kinematics.forward.kernel import forward_function, lengths_of
from gough.kinematics.forward.status import Status
from gough.kinematics.freedoms.closing import closing
from gough.kinematics.freedoms.possible import has_constant_moves
from gough.model.definition import POSE
from gough.model.machines import Machines
from gough.model.structure import structure_of
from gough.robot import Robot
from gough.robot.mechanism import MOVES

_METHOD = "newton"
_MILLIMETRES = 1000.0
_AXES = "XYZABC"
_LONGEST_NAME = 47
"""Of a pin, with the component's [hal.h: HAL_NAME_LEN]."""
_PINS = (
    ("in float units-per-metre = 1000.0", "machine units in a metre; 39.37007874015748 of inches"),
    ("in float spindle-offset = 0.0", "how far the spindle's nose is below the platform's origin"),
    ("in float tool-offset = 0.0", "how long the tool is below that, such as motion.tooloffset.z"),
    (
        f"in float convergence-criterion = {TOLERANCE}",
        "the largest last step: lengths over the machine's size, angles in radians",
    ),
    (f"in unsigned limit-iterations = {AT_MOST}", f"more are no convergence; {AT_MOST} at most"),
    ("out unsigned last-iterations", "steps of the last search for a pose"),
    ("out unsigned max-iterations", "the most steps of a search that found a pose"),
    ("out float residual", "largest miss of a joint at the last pose tried, in metres or radians"),
    ("out signed status", "how the last search ended, see above"),
    ("out bit fwd-kins-fail", "whether the last search found no pose to rely on"),
)


def export_linuxcnc(robot: Robot, directory: str | Path) -> list[Path]:
    """Write `NAME_kins.comp` into a folder, which is made if need be; the path of the file.

    The name is the robot's. Lengths are in millimetres unless a pin says otherwise.
    """
    name = component_name(robot)
    return write_sources(Path(directory), {f"{name}.comp": _component(robot, name)})


def component_name(robot: Robot) -> str:
    """What the robot's component is called: letters, digits and _."""
    name = re.sub(r"\W+", "_", robot.name.lower(), flags=re.ASCII).strip("_")
    return f"{name}_kins" if name[:1].isalpha() else f"robot_{name}_kins".replace("__", "_")


def _component(robot: Robot, name: str) -> str:
    machines = adjustable(robot)
    inverse = Program.of(_inverse_kinematics(machines))
    forward = Program.of(forward_function(machines, _METHOD, AT_MOST))
    return "\n".join(
        [
            f"// {name}: {MARK} {__version__}; adjust its pins, not its text.",
            f'component {name} "Kinematics of {_plain(robot.name)}";',
            f'description """{_description(robot, machines)}""";',
            *_declared(machines, name),
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
            _function(inverse),
            _function(forward),
            files(__package__).joinpath("kinematics.c").read_text(encoding="utf-8"),
            _geometry(machines),
        ]
    )


def _inverse_kinematics(machines: Machines) -> Function:
    """Positions of the actuators at a pose, or at the one that the machine can take near it."""
    robot = machines.robot
    possible = closing(robot)

    def equation(machine: Any, pose: Any) -> Any:
        seen = pose if has_constant_moves(robot) else possible(pose)[0]
        return any_machine.inverse_kinematics(machine, seen)

    return machines.function("inverse_kinematics", equation, [POSE], [lengths_of(machines)])


def _function(program: Program) -> str:
    """A function from all its inputs, one behind the other, to all its outputs."""
    language = C(program)
    language.names[id(program)] = program.name
    main = language.function(program, language.straight(program))
    return "\n".join([*language.functions(), main, ""])


def _declared(machines: Machines, component: str) -> list[str]:
    """Pins: lengths of the machine in millimetres, then what every component has."""
    values: list[float] = machines.values.tolist() if machines.family else []
    lengths = [
        (f"in float {pin_name(name)} = {_millimetres(value)}", f"{name} of the machine")
        for name, value in zip(machines.family, values, strict=True)
    ]
    declared = [*lengths, *_PINS]
    for pin, _ in declared:
        full = f"{component.replace('_', '-')}.{pin.split()[2]}"
        if len(full) > _LONGEST_NAME:
            raise GoughError(
                f"{full} is too long for a pin of LinuxCNC: {len(full)} characters; expected at "
                f"most {_LONGEST_NAME}: give the robot a shorter name"
            )
    return [f'pin {pin} "{words}";' for pin, words in declared]


def _millimetres(length: float) -> float:
    return float(f"{length * _MILLIMETRES:.15g}")


def _definitions(machines: Machines) -> list[str]:
    """Facts about the machine, by the names that the code has for them."""
    robot, structure = machines.robot, machines.structure
    has = _axes(robot)
    turns = ", ".join(str(int(a.turns)) for a in robot.actuators)
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
        "",
    ]


def _geometry(machines: Machines) -> str:
    """The function that takes lengths of the machine from its pins, in metres."""
    pins = [re.sub(r"[-.]", "_", pin_name(name)) for name in machines.family]
    lines = [
        "const double unit = *pins->units_per_metre;" if pins else "(void)in;",
        *(f"in[{k}] = *pins->{pin} / unit;" for k, pin in enumerate(pins)),
    ]
    return f"static void take_geometry(double *in) {braces(lines)}\n"


def _axes(robot: Robot) -> str:
    """The axes that the machine has."""
    free = structure_of(robot).freedoms
    return "".join(axis for axis, move in zip(_AXES, MOVES, strict=True) if move in free)


def _description(robot: Robot, machines: Machines) -> str:
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
            f"[KINS] KINEMATICS = {component_name(robot)}",
            f"[KINS] JOINTS = {machines.structure.actuators}",
            f"[TRAJ] COORDINATES = {' '.join(_axes(robot))}",
            "",
            f"Joints are the positions of the actuators in {joints}.",
            "X Y Z are those of the tool's tip. A B C, in degrees, are roll, pitch and yaw of the",
            "platform: R = Rz(C) Ry(B) Rx(A). Axes that are not named are zero.",
            "",
            "Forward kinematics start where LinuxCNC says that the platform is, and from the home",
            "pose if nothing is found from there. A pose of status 1 or 4 is taken, no other.",
            "Status:",
            "",
            *statuses,
            "",
        ]
    )


def _plain(text: str) -> str:
    """A text without quotes."""
    return text.replace('"', "'").replace("\\", "/")
