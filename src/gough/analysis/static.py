"""Static analysis: the forces that hold a robot still at some poses, under some wrench."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.limits import of_actuators
from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations import any_machine
from gough.equations.any_machine import AnyMachine
from gough.kinematics.singularity.singularity import condition_number
from gough.kinematics.size import default_length
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.parameters import parameters_of
from gough.robot import Robot
from gough.shown.brief import brief


@dataclass(frozen=True, eq=False)
class Static:
    """Forces at rest at a batch of poses `(...)`; NaN at singular ones."""

    force: Array
    """(..., actuators) actuator forces [N], torques [N m] of those that turn."""
    gravity_share: Array
    """(..., actuators) what all weights need [N]."""
    external_share: Array
    """(..., actuators) what the wrench needs [N, N m]."""
    force_index: Array
    """(..., actuators) (max force - |force|) / max force; NaN where none is stated."""
    force_per_unit_force: Array
    """(..., actuators) the most that an external force of 1 N can add to an actuator, in the worst
    direction [1, m]."""
    force_per_unit_moment: Array
    """(..., actuators) the same of an external moment of 1 N m [1/m, 1]."""
    condition: Array
    """(...) condition number of J, rotations scaled."""

    __repr__ = brief


def static_analysis(robot: Robot, pose: Any, wrench: Any = None) -> Static:
    """What the actuators must do to hold the robot still, and how sensitive they are to loads.

    `wrench` [N, N m] is what the world does to the platform, at each pose or at all of them.
    """
    model = Kernels(robot, parametric=True)
    poses = np.asarray(pose, dtype=float)
    load = np.zeros(6) if wrench is None else np.asarray(wrench, dtype=float)
    numbers, rest = parameters_of(robot), np.zeros(6)
    parts = model.force_parts(numbers, poses, rest, rest, load)
    force = model.actuator_force(numbers, poses, rest, rest, load)
    J, T = _rates_and_moves(model.machines)(numbers, poses)
    by_wrench = _forces_by_wrench(J, T, model.is_singular(numbers, poses) != 0)
    return Static(
        force=force,
        gravity_share=parts.gravity,
        external_share=parts.external,
        force_index=1.0 - np.abs(force) / of_actuators(robot, "max_force"),
        force_per_unit_force=np.linalg.norm(by_wrench[..., :3], axis=-1),
        force_per_unit_moment=np.linalg.norm(by_wrench[..., 3:], axis=-1),
        condition=condition_number(model.machines)(numbers, poses, default_length(robot)),
    )


@compiled
def _rates_and_moves(machines: Machines) -> Kernel:
    """The kernel of J over the freedoms and of T, the twists that these are."""

    def equation(machine: AnyMachine, pose: Any) -> tuple[Any, Any]:
        return any_machine.actuation_matrix(machine, pose), any_machine.moves(machine, pose)

    structure = machines.structure
    n = len(structure.freedoms)
    outputs = Argument("J", (structure.actuators, n), "SI"), Argument("T", (6, n), "SI")
    return machines.kernel("rates_and_moves", equation, [POSE], outputs)


def _forces_by_wrench(J: Array, T: Array, singular: Array) -> Array:
    """(..., actuators, 6) J⁻ᵀ Tᵀ: the forces that each part of a wrench needs; NaN if singular.

    Of more actuators than freedoms the least forces.
    """
    rows, columns = J.shape[-2:]
    safe = np.where(singular[..., None, None], np.eye(rows, columns), J)
    inverse = np.linalg.inv(safe) if rows == columns else np.linalg.pinv(safe)
    found = inverse.swapaxes(-1, -2) @ T.swapaxes(-1, -2)
    return np.where(singular[..., None, None], np.nan, found)
