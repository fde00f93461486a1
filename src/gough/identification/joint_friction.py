"""What friction in joints adds to the forces, as columns beside the regressor.

Of a hexapod that of the passive joints, four numbers of each leg. Of a machine of any kind the
numbers that its file states: those of the driven joints only where efforts were measured at the
joints, as motors feel them together with the friction of their own drives.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations import any_machine
from gough.equations.actuators.friction import JointFriction
from gough.equations.any_machine import AnyMachine
from gough.equations.mechanism.friction import SLIDING_FADE, TURNING_FADE, Rubbing
from gough.equations.spatial.algebra import Value
from gough.identification.recording import Measured
from gough.model.actuators import joint_frictions_of
from gough.model.definition import POSE, TWIST
from gough.model.machines import Machines
from gough.robot import Hexapod, Mechanism, Robot

OF_A_LEG = ("base_damping", "base_friction", "platform_damping", "platform_friction")
OF_A_JOINT = ("damping", "friction")
Numbers = tuple[tuple[int, str], ...]
"""Leg or joint, and key, of each."""


def friction_numbers(robot: Robot, measured: Measured) -> Numbers:
    """Which numbers of joint friction count where this was measured."""
    if isinstance(robot, Hexapod):
        return tuple((k, key) for k in range(len(robot.legs)) for key in OF_A_LEG)
    assert isinstance(robot, Mechanism)
    return tuple(
        (rubbing.joint, key)
        for rubbing in _rubbing(robot)
        if measured == "force" or not robot.joints[rubbing.joint].is_driven
        for key in OF_A_JOINT
        if getattr(robot.joints[rubbing.joint], key)
    )


def friction_names(robot: Robot, numbers: Numbers) -> list[str]:
    """Their places in the robot file."""
    place = "legs[{}].joint_friction.{}" if isinstance(robot, Hexapod) else "joints[{}].{}"
    return [place.format(k, key) for k, key in numbers]


def friction_priors(robot: Robot, numbers: Numbers) -> Array:
    """What the robot file says of them."""
    if isinstance(robot, Hexapod):
        legs = joint_frictions_of(robot)
        return np.array([float(getattr(legs[k], key)) for k, key in numbers])
    assert isinstance(robot, Mechanism)
    return np.array([getattr(robot.joints[k], key) for k, key in numbers], dtype=float)


def friction_at_motors(robot: Robot, key: str) -> list[float]:
    """That of the driven joints themselves; not a number of those that state none."""
    if isinstance(robot, Hexapod):
        return [np.nan] * len(robot.actuators)
    assert isinstance(robot, Mechanism)
    return [getattr(joint, key) or np.nan for joint in robot.driven]


def transmission_damping(robot: Robot) -> Array:
    """Viscous friction of actuator and transmission [N s/m]; not a number where none is stated."""
    if not isinstance(robot, Hexapod):
        return np.full(len(robot.actuators), np.nan)
    stated = (leg.connector.damping if leg.connector else None for leg in robot.legs)
    return np.array([damping or np.nan for damping in stated])


def joint_direction(robot: Robot, speed: Array) -> Array:
    """The signs of the driven joints' speeds (T, n), faded as dry friction in joints is."""
    fades = np.array([TURNING_FADE if a.turns else SLIDING_FADE for a in robot.actuators])
    return np.asarray(speed / np.hypot(speed, fades))


@compiled
def joint_friction_kernel(machines: Machines, numbers: Numbers) -> Kernel:
    """(pose, twist) -> forces by each of some numbers of joint friction (n, k)."""
    shape = machines.structure.actuators, len(numbers)
    output = Argument("columns", shape, "SI", "forces by numbers of joint friction")

    def equation(machine: AnyMachine, pose: Value, twist: Value) -> Value:
        """What friction asks of the actuators by its numbers: it is linear."""
        each = ca.SX.sym("friction", len(numbers))
        rubs = _as_equations(machines.robot, numbers, ca.vertsplit(each))
        wrench = any_machine.friction_wrench(machine, rubs, pose, twist)
        slopes = ca.jacobian(wrench, each)  # the same everywhere, which CasADi does not see
        slopes = ca.densify(ca.substitute(slopes, each, ca.DM.zeros(len(numbers))))
        by_moves = any_machine.moves(machine, pose).T @ slopes
        return -any_machine.balancing_forces(machine, pose, by_moves)

    return machines.kernel("joint_friction", equation, (POSE, TWIST), (output,))


def _as_equations(
    robot: Robot, numbers: Numbers, values: Sequence[Value]
) -> list[JointFriction] | list[Rubbing]:
    """The friction that numbers make, as the equations of the robot's kind take it."""
    given = dict(zip(numbers, values, strict=True))
    if isinstance(robot, Hexapod):
        legs = range(len(robot.legs))
        return [JointFriction(*(given[k, key] for key in OF_A_LEG)) for k in legs]
    joints = dict.fromkeys(k for k, _ in numbers)
    return [Rubbing(k, *(given.get((k, key), ca.DM(0)) for key in OF_A_JOINT)) for k in joints]


def _rubbing(robot: Mechanism) -> list[Rubbing]:
    return [rub for rub in joint_frictions_of(robot) if isinstance(rub, Rubbing)]
