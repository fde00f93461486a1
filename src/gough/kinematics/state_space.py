"""A machine near a state as a linear system of python-control, for control design."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.distinct import distinct
from gough.errors import GoughError
from gough.kinematics.freedoms.off import off_freedoms
from gough.model.definition import TWIST, WRENCH
from gough.model.kernels import Kernels
from gough.poses.given import finite
from gough.robot import Hexapod

if TYPE_CHECKING:
    from control import StateSpace

NEAR = 1e-6
"""So far [m, rad] a pose may be from one that the platform can have: it is a rounded form of it."""


def state_space(
    model: Kernels, pose: Any, twist: Any = None, force: Any = None, wrench: Any = None
) -> StateSpace:
    """Small deviations of the rigid bodies from a state, ẋ = A x + B u, y = C x.

    Without friction, damping and springs of the joints.

    x are the machine's freedoms, as deviations of the platform [m, rad], and their rates; u the
    actuators' forces and torques beyond `force` [N, N m]; y the freedoms again, and the positions
    of the actuators [m, rad]. Left out, the twist is zero, there is no wrench, and the force is
    what the machine needs there to keep its speed. Signals have the names of joints, without dots;
    one that is called as a freedom or as another one gets a number, such as `x_2`.
    """
    robot, structure = model.own_robot("a state space"), model.structure
    at = _row("pose", pose, 7)
    moving = np.zeros(TWIST.size) if twist is None else _row("twist", twist, TWIST.size)
    pushed = np.zeros(WRENCH.size) if wrench is None else _row("wrench", wrench, WRENCH.size)
    freedoms = structure.freedoms
    actuators = signal_names((joint.name for joint in structure.driven), beside=freedoms)
    if len(freedoms) < TWIST.size and not off_freedoms(robot, at).size <= NEAR:
        listed = ", ".join(f"{x:.12g}" for x in at)
        raise GoughError(f"{robot.name}: the platform cannot be at {listed}; expected another pose")
    acting = _holding(model, at, moving, pushed) if force is None else force
    acting = _row("force", acting, len(actuators))
    A, B = model.linearize(at, moving, acting, pushed)
    if not (np.isfinite(A).all() and np.isfinite(B).all()):
        raise GoughError(
            f"{robot.name}: forces do not determine how it moves at the pose {at.tolist()}; "
            "expected a robot with masses and inertias, at a pose that is not singular"
        )
    of_actuators = model.jacobian if isinstance(robot, Hexapod) else model.actuation_matrix
    C = np.concatenate([np.eye(len(freedoms)), of_actuators(at)])

    from control import StateSpace  # noqa: PLC0415  (slow to import)

    return StateSpace(
        A,
        B,
        np.concatenate([C, np.zeros_like(C)], axis=1),
        np.zeros((len(C), len(actuators))),
        states=[*freedoms, *(f"{name}_rate" for name in freedoms)],
        inputs=actuators,
        outputs=[*freedoms, *actuators],
        name=signal_name(robot.name),
    )


def signal_name(name: str) -> str:
    """A name as python-control takes it: without dots."""
    return name.replace(".", "_")


def signal_names(names: Iterable[str], beside: Iterable[str] = ()) -> list[str]:
    """Names of signals, all distinct: python-control would take those that are alike for one."""
    return distinct(map(signal_name, names), beside)


def _holding(model: Kernels, pose: Array, twist: Array, wrench: Array) -> Array:
    """The forces with which a machine keeps its speed; at rest, those that hold it."""
    if not model.structure.determined:
        raise GoughError(
            f"{model.robot.name}: its motion does not determine the forces, as it has "
            f"{model.structure.actuators} actuators for {len(model.structure.freedoms)} freedoms; "
            "expected a force for each actuator"
        )
    return np.asarray(model.checked_inverse_dynamics(pose, twist, None, wrench))


def _row(name: str, value: Any, size: int) -> Array:
    numbers = finite(value, name, size)
    if numbers.ndim != 1:
        raise GoughError(f"{name} has shape {numbers.shape}; expected ({size},), one state")
    return numbers
