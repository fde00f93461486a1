"""What actuators and joints add to the forces, as columns beside the regressor.

A drive's effort, seen from the leg [Bingul 2012 (52)], is F + m_r q̈ + b q̇ + (c + μ |F|) d(q̇), with
the reflected mass m_r of rotor and screw, viscous friction b, dry friction c, friction μ = 1/η - 1
in proportion to the load, and the faded sign d of the speed. All but μ |F| = μ sign(F) F are linear
in what is not known; that one is a product.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.actuators.drive import (
    FADE_SPEED,
    Drive,
    friction,
    load_factor,
    reduction,
    reflected_damping,
    reflected_mass,
)
from gough.equations.actuators.friction import JointFriction, friction_wrench
from gough.equations.legs.closure import leg_forces
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.identification.measured import MeasuredMotion
from gough.identification.recording import Measured
from gough.model.actuators import drives_of, joint_frictions_of
from gough.model.definition import POSE, TWIST
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.robot import Hexapod, Robot

Part = Literal["viscous", "dry", "load", "joints", "offset"]
OF_MOTORS: tuple[Part, ...] = ("viscous", "dry", "load")
JOINT_PARTS = ("base_damping", "base_friction", "platform_damping", "platform_friction")
_FAST = 1e6
"""A speed at which dry friction has not faded [m/s]."""


@dataclass(frozen=True, eq=False)
class Terms:
    """Columns (T, n, k) beside the regressor, with their names and the robot's own numbers."""

    names: tuple[str, ...]
    columns: Array
    priors: Array


def checked_parts(parts: Iterable[str] | None, measured: Measured) -> tuple[Part, ...]:
    """Which friction is estimated; left out, that of drives where motors were measured."""
    if parts is None:
        return () if measured == "force" else OF_MOTORS
    known = get_args(Part)
    for part in parts:
        if part not in known:
            raise GoughError(f"friction has {part!r}; expected some of {', '.join(known)}")
    return tuple(part for part in known if part in parts)


def force_factor(robot: Robot, measured: Measured) -> Array:
    """The force on each leg [N] per effort that was measured."""
    if measured == "force":
        return np.ones(len(robot.actuators))
    drives = drives_of(robot)
    per_torque = np.array([float(reduction(drive)) for drive in drives])
    if measured == "motor_torque":
        return per_torque
    return np.array(
        [t * float(drive.torque_constant) for t, drive in zip(per_torque, drives, strict=True)]
    )


def terms_of(
    model: Kernels, motion: MeasuredMotion, parts: tuple[Part, ...], measured: Measured
) -> Terms:
    """All terms that are linear: all but that of the load."""
    robot, n = model.robot, len(model.robot.actuators)
    names, columns, priors = list[str](), list[Array](), list[float]()

    def add(name: str, values: Array, prior: Iterable[float]) -> None:
        names.extend(f"{actuator.key}.{name}" for actuator in robot.actuators)
        columns.append(values[:, :, None] * np.eye(n))
        priors.extend(prior)

    if measured != "force":
        drives = drives_of(robot)
        add("drive.reflected_mass", motion.acceleration, map(float, map(reflected_mass, drives)))
        if "viscous" in parts:
            add("drive.damping", motion.speed, map(float, map(reflected_damping, drives)))
        if "dry" in parts:
            add("drive.friction", direction(robot, motion.speed), map(_dry, drives))
    if "offset" in parts:
        add("offset", np.ones_like(motion.speed), [0.0] * n)
    if "joints" in parts:
        columns.append(joint_friction_kernel(model.machines)(*motion.states[:2]))
        names += [f"legs[{k}].joint_friction.{part}" for k in range(n) for part in JOINT_PARTS]
        priors += [float(getattr(f, part)) for f in _frictions(robot) for part in JOINT_PARTS]
    empty = np.empty((*motion.speed.shape, 0))
    return Terms(tuple(names), np.concatenate([empty, *columns], -1), np.array(priors))


def load_priors(robot: Robot) -> Terms:
    """Friction in proportion to the load: names, and by the robot's drives; no columns yet."""
    names = tuple(f"{actuator.key}.drive.load_friction" for actuator in robot.actuators)
    priors = [float(load_factor(drive, _FAST, 1.0)) - 1.0 for drive in drives_of(robot)]
    return Terms(names, np.empty((0, len(names), len(names))), np.array(priors))


def direction(robot: Robot, speed: Array) -> Array:
    """The signs of the legs' speeds (T, n), faded as the drives' dry friction is."""
    turns = np.array([float(reduction(drive)) for drive in drives_of(robot)])
    return np.tanh(turns * speed / FADE_SPEED)


@compiled
def joint_friction_kernel(machines: Machines) -> Kernel:
    """(pose, twist) -> forces by the four numbers of each leg's joint friction (n, 4 n)."""
    n = machines.structure.actuators
    output = Argument("columns", (n, 4 * n), "SI", "forces by JOINT_PARTS of each leg")
    return machines.kernel("joint_friction", _joint_friction, (POSE, TWIST), (output,))


def _joint_friction(machine: Machine, pose: Value, twist: Value) -> Value:
    """What friction in the passive joints asks of the actuators, by its numbers: it is linear."""
    numbers = ca.SX.sym("friction", len(JOINT_PARTS) * len(machine.legs))
    frictions = [JointFriction(*ca.vertsplit(four)) for four in ca.vertsplit(numbers, 4)]
    wrench = friction_wrench(machine, frictions, pose, twist)
    return -leg_forces(machine, pose, ca.densify(ca.jacobian(wrench, numbers)))


def _dry(drive: Drive) -> float:
    """Dry friction of a drive at the leg [N]."""
    return float(friction(drive, _FAST)) - float(reflected_damping(drive)) * _FAST


def _frictions(robot: Robot) -> tuple[JointFriction, ...]:
    assert isinstance(robot, Hexapod)
    return tuple(f for f in joint_frictions_of(robot) if isinstance(f, JointFriction))
