"""Inverse kinematics for microcontrollers: C99 with checks, built by CMake or as an Arduino sketch.

A pose is x, y, z, roll, pitch and yaw; positions that are not finite or not in the ranges that
actuators have never leave the function.
"""

from collections.abc import Iterable

import casadi as ca
import numpy as np

from gough.compiler import Argument, Program
from gough.compiler.front.transformed import for_single_precision
from gough.compiler.source.c import C, private_function
from gough.compiler.source.language import c_identifier, in_comment, is_single, provenance
from gough.disk.sources import rendered
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.attitude import euler_quaternion
from gough.exchange.joint_states import motors_at_home
from gough.exchange.linuxcnc.component import machine_axes
from gough.exchange.tree.document import Export
from gough.kinematics.forward.kernel import lengths_of
from gough.kinematics.freedoms.nearest_pose import loop_closing
from gough.model.machines import Machines
from gough.poses import euler
from gough.robot import Robot

AXES = {"X": "x", "Y": "y", "Z": "z", "A": "roll", "B": "pitch", "C": "yaw"}
_POSE = Argument("pose", (len(AXES),), "m, rad", "x y z and roll pitch yaw of the platform")


def firmware(robot: Robot, dtype: str) -> Export:
    """`NAME_ik`, a CMake project and an Arduino sketch.

    `NAME_ik.c` computes positions of the actuators [m, rad] of x, y, z [m] and roll, pitch, yaw
    [rad], and returns a status: positions are written only if all are finite and in their ranges.
    """
    name, single = f"{c_identifier(robot.name.lower())}_ik", is_single(dtype)
    program = _inverse_kinematics(robot)
    program = for_single_precision(program) if single else program
    language, ranges = C(program, single=single), [a.travel for a in robot.actuators]

    def listed(numbers: Iterable[float]) -> str:
        return ", ".join(language.number(float(x)) for x in numbers)

    facts = {
        "name": name,
        "NAME": name.upper(),
        "mark": provenance(name, robot.identity),
        "real": language.real,
        "digits": 6 if single else 12,
        "actuators": [
            (in_comment(a.name), "rad" if a.turns else "m", a.travel) for a in robot.actuators
        ],
        "unread": [word for axis, word in AXES.items() if axis not in machine_axes(robot)],
        "positions": listed(motors_at_home(robot)),
        "lowest": listed(-np.inf if travel is None else travel[0] for travel in ranges),
        "highest": listed(np.inf if travel is None else travel[1] for travel in ranges),
        "function": private_function(program, single),
    }
    files = {f"{name}.{ending}": f"ik.{ending}" for ending in ("h", "c", "ino")}
    files["CMakeLists.txt"] = "CMakeLists.txt"
    return Export({f"{name}/{to}": rendered(__name__, of, facts) for to, of in files.items()}, [])


def _inverse_kinematics(robot: Robot) -> Program:
    """Positions of the actuators at a pose that the machine can take, near the one given."""
    machines, possible, has = Machines(robot), loop_closing(robot), machine_axes(robot)
    home = [*robot.home[:3], *euler(robot.home, "xyz").tolist()]

    def equation(machine: Machine, axes: Value) -> Value:
        given = [axes[k] if axis in has else ca.SX(home[k]) for k, axis in enumerate(AXES)]
        pose = ca.vertcat(*given[:3], euler_quaternion("xyz", ca.vertcat(*given[3:])))
        return kinematics.inverse_kinematics(machine, possible(pose)[0])

    function = machines.function("inverse_kinematics", equation, [_POSE], [lengths_of(machines)])
    return Program.of(function, robot.identity)
