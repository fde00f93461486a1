"""A machine linearised at a state, as a system of python-control, for control design."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_row
from gough.compiler import Kernel, compiled
from gough.distinct import distinct
from gough.equations.forces.passive_joints import joint_wrench, resists, without_dry_friction
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError, needing
from gough.kinematics.freedoms.nearest_pose import pose_violation
from gough.model import Kernels, Machines
from gough.model.definition import POSE, TWIST, WRENCH
from gough.model.kernels import kernels_of
from gough.robot import Robot

if TYPE_CHECKING:
    from control import StateSpace

NEAR = 1e-6
"""Maximum deviation [m, rad] of a pose from a possible one: it may be rounded."""


def state_space(
    robot: Robot | Kernels,
    pose: ArrayLike,
    twist: ArrayLike | None = None,
    force: ArrayLike | None = None,
    wrench: ArrayLike | None = None,
) -> StateSpace:
    """Linearise a machine at a state: ẋ = A x + B u, y = C x.

    Includes damping and springs, of joints and between bodies, that the robot file gives; dry
    friction, which has no derivative at rest, is left out.

    x are deviations of the platform along its degrees of freedom [m, rad], and their rates; u the
    actuators' forces and torques beyond `force` [N, N m]; y these deviations, and the positions of
    the actuators [m, rad]. By default, twist and wrench are zero, and the force keeps the machine
    at its speed, without dry friction. Signals have the names of joints, without dots; a duplicate
    name gets a number, such as `x_2`.
    """
    model = kernels_of(robot)
    robot, structure = model.own_robot("a state space", of_forces=True), model.structure
    at = require_row("pose", pose, 7, expected="(7,), one state of finite numbers")
    moving = np.zeros(TWIST.size) if twist is None else require_row("twist", twist, TWIST.size)
    pushed = np.zeros(WRENCH.size) if wrench is None else require_row("wrench", wrench, WRENCH.size)
    freedoms = structure.degrees_of_freedom
    actuators = signal_names((joint.name for joint in structure.driven), beside=freedoms)
    if len(freedoms) < TWIST.size and not pose_violation(robot, at).size <= NEAR:
        listed = ", ".join(f"{x:.12g}" for x in at)
        raise GoughError(f"{robot.name}: the platform cannot be at {listed}; expected another pose")
    acting = holding_force(model, at, moving, pushed) if force is None else force
    acting = require_row("force", acting, len(actuators))
    A, B = model.linearize(at, moving, acting, pushed)
    if not (np.isfinite(A).all() and np.isfinite(B).all()):
        raise GoughError(
            f"{robot.name}: forces do not determine how it moves at the pose {at.tolist()}; "
            "expected a robot with masses and inertias, at a pose that is not singular"
        )
    seen = np.concatenate([np.eye(len(freedoms)), model.actuation_matrix(at)])
    C, D = np.hstack([seen, np.zeros_like(seen)]), np.zeros((len(seen), len(actuators)))
    states, outputs = [*freedoms, *(f"{name}_rate" for name in freedoms)], [*freedoms, *actuators]
    names = {"states": states, "inputs": actuators, "outputs": outputs}
    return linear_system(A, B, C, D, **names, name=signal_name(robot.name))


def linear_system(*matrices: Array, **names: object) -> StateSpace:
    """Return a system of python-control by its matrices A, B, C, D and names of signals."""
    with needing("control", "control", "state spaces"):
        from control import StateSpace  # noqa: PLC0415  (slow to import)

    return StateSpace(*matrices, **names)


def signal_name(name: str) -> str:
    """Return a name that is valid in python-control: without dots."""
    return name.replace(".", "_")


def signal_names(names: Iterable[str], beside: Iterable[str] = ()) -> list[str]:
    """Return distinct names of signals: python-control treats equal ones as one."""
    return distinct(map(signal_name, names), beside)


def holding_force(model: Kernels, pose: Array, twist: Array, wrench: Array) -> Array:
    """Return the forces that keep a machine at its speed, or hold it, without dry friction."""
    if not model.structure.determined:
        raise GoughError(
            f"{model.robot.name}: its motion does not determine the forces, as it has "
            f"{model.structure.actuators} actuators for {model.structure.dof} degrees of "
            "freedom; expected a force for each actuator"
        )
    wrench = wrench + _joint_wrench(model.machines)(pose, twist)
    return np.asarray(model.checked_inverse_dynamics(pose, twist, None, wrench))


@compiled
def _joint_wrench(machines: Machines) -> Kernel:
    """The kernel (pose, twist) -> wrench of damping and springs of the joints, zero without any."""

    def equation(machine: Machine, pose: Value, twist: Value) -> Value:
        if not resists(machine):
            return ca.SX.zeros(6)
        return joint_wrench(without_dry_friction(machine), pose, twist)

    return machines.kernel("smooth_joint_wrench", equation, [POSE, TWIST], [WRENCH])
