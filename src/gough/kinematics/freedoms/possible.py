"""Possible poses of a machine, near impossible ones.

A machine with a constant twist basis ignores the impossible part: kernels use a Delta's pose with
the orientation of home. Of others, as a Tricept, kernels are NaN where loops do not close. This
module finds the corresponding possible pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.display.brief import brief
from gough.errors import GoughError
from gough.kinematics.forward.status import Status
from gough.model.kernels import Kernels, kernels_of
from gough.model.machines import Machines
from gough.model.parameters import machine_of
from gough.poses import difference, pose
from gough.poses.given import array_of_numbers
from gough.poses.quaternions import conjugate, of_rotation_vector, product, unit
from gough.robot import Robot

if TYPE_CHECKING:
    from gough.equations.machine import Machine


@dataclass(frozen=True)
class PossiblePose:
    """Possible poses, for a batch `(...)`, and the deviations of the given ones."""

    pose: Array
    """(..., 7) with the same u; NaN where none was found."""
    step: Array
    """(..., 6) from there to the given pose: translation [m], rotation vector [rad], base axes."""
    status: AnyArray
    """(...) CONVERGED; SINGULAR or NO_CONVERGENCE where none was found."""

    __repr__ = brief


def possible_pose(robot: Robot | Kernels, given: ArrayLike) -> PossiblePose:
    """The poses that a machine can take, with the coordinates of the given ones in its moves.

    `given` is (..., 7). With a constant twist basis (a Delta, a planar machine), the other
    coordinates are those of home. Else the platform constraints are satisfied by Newton's method,
    in steps that leave u = S · twist: x and y of a five-bar stay, and its orientation follows.
    """
    model = kernels_of(robot)
    poses, robot = array_of_numbers(given, "pose"), model.own_robot("a possible pose")
    if poses.shape[-1:] != (7,):
        raise GoughError(f"pose has shape {poses.shape}; expected (..., 7)")
    found, status = closed_poses(robot, poses)
    known = np.isfinite(found).all(-1) & np.isfinite(poses).all(-1)
    step = np.full((*known.shape, 6), np.nan)
    step[known] = difference(np.broadcast_to(poses, found.shape)[known], found[known])
    return PossiblePose(found, step, np.broadcast_to(status, known.shape).astype(np.int8))


def closed_poses(robot: Robot, poses: Array) -> tuple[Array, AnyArray]:
    """Return only the possible poses (..., 7), and their status (...)."""
    if has_constant_moves(robot):
        return as_seen(robot, poses), np.full((), Status.CONVERGED)
    from gough.kinematics.freedoms.closing import closing_kernel  # noqa: PLC0415  (slow)

    found, status = closing_kernel(robot)(poses)
    return found, status


def gap(model: Kernels, given: ArrayLike) -> Array:
    """Return the maximum violation of platform constraints at poses (...) [m, rad], first order.

    Zero for machines with a constant twist basis: the impossible part of their poses is not used.
    """
    from gough.kinematics.freedoms.closing import gap_kernel  # noqa: PLC0415  (slow)

    return np.asarray(gap_kernel(Machines(model.own_robot("a gap")))(given))


def as_seen(robot: Robot, poses: Array) -> Array:
    """Return poses as kernels use them: dependent coordinates of a constant basis are home's."""
    machine, home = machine_of(robot), np.array(robot.home)
    if machine.freedom.T is None or machine.freedom.possible is None:
        return poses
    turn = _turn_from_home(machine, home, poses)
    away = np.concatenate([poses[..., :3] - home[:3], turn], -1) @ possible_steps(machine).T
    attitude = unit(poses[..., 3:])
    if machine.frame_convention.turning != "any":
        attitude = product(of_rotation_vector(away[..., 3:]), home[3:])
    return pose(home[:3] + away[..., :3], quaternion=attitude)


def possible_steps(machine: Machine) -> Array:
    """Return the matrix (6, 6) from a step to its possible part, base axes."""
    P = np.kron(np.eye(2), np.array(machine.frame_convention.axes))
    return np.asarray(P.T @ np.array(machine.freedom.possible) @ P)


def has_constant_moves(robot: Robot) -> bool:
    """Whether the platform's twist basis is the same in every pose."""
    return machine_of(robot).freedom.T is not None


def _turn_from_home(machine: Machine, home: Array, poses: Array) -> Array:
    """The part of the rotation from home about the machine's z axis, as a rotation vector."""
    axis = np.array(machine.frame_convention.axes)[2]
    turned = product(poses[..., 3:], conjugate(home[3:]))
    angle = 2 * np.arctan2(turned[..., 1:] @ axis, turned[..., 0])
    angle = np.angle(np.exp(1j * angle))
    turning = machine.frame_convention.turning == "z"
    return np.asarray(angle[..., None] * axis * turning)
