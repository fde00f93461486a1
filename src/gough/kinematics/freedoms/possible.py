"""Poses that a machine can take, near those that it cannot.

A machine whose moves are constant ignores what it cannot do: kernels see a Delta's pose with the
attitude of home. Of others, as a Tricept, kernels are NaN where loops stay open. Here is the pose
meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.kinematics.forward.status import Status
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.parameters import machine_of
from gough.poses import difference, pose
from gough.poses.given import array_of_numbers
from gough.poses.quaternions import conjugate, of_rotation_vector, product, unit
from gough.robot import Hexapod, Robot
from gough.shown.brief import brief

if TYPE_CHECKING:
    from gough.equations.mechanism.machine import Machine


@dataclass(frozen=True)
class PossiblePose:
    """Poses that a machine can take, for a batch `(...)`, and how far the given ones are off."""

    pose: Array
    """(..., 7) with the same u; NaN where none was found."""
    step: Array
    """(..., 6) from there to the given pose: a way [m] and a rotation vector [rad], base axes."""
    status: AnyArray
    """(...) CONVERGED, or NO_CONVERGENCE where none was found, SINGULAR where that is why."""

    __repr__ = brief


def possible_pose(model: Kernels, given: Any) -> PossiblePose:
    """The poses that a machine can take, with the coordinates of the given ones in its moves.

    `given` (..., 7). Where the moves are constant (a Delta, a planar machine), what the machine
    cannot do is that of home. Else the rows left over are closed by Newton's method, in steps that
    leave u = S · twist as it is: x and y of a five-bar stay, and it turns as it must.
    """
    poses, robot = array_of_numbers(given, "pose"), model.own_robot("a possible pose")
    if poses.shape[-1:] != (7,):
        raise GoughError(f"pose has shape {poses.shape}; expected (..., 7)")
    found, status = closed_poses(robot, poses)
    known = np.isfinite(found).all(-1) & np.isfinite(poses).all(-1)
    step = np.full((*known.shape, 6), np.nan)
    step[known] = difference(np.broadcast_to(poses, found.shape)[known], found[known])
    return PossiblePose(found, step, np.broadcast_to(status, known.shape).astype(np.int8))


def closed_poses(robot: Robot, poses: Array) -> tuple[Array, AnyArray]:
    """The same poses alone (..., 7), and their status (...)."""
    if has_constant_moves(robot):
        return as_seen(robot, poses), np.full((), Status.CONVERGED)
    from gough.kinematics.freedoms.closing import closing_kernel  # noqa: PLC0415  (slow)

    found, status = closing_kernel(robot)(poses)
    return found, status


def gap(model: Kernels, given: Any) -> Array:
    """How far the worst of the rows left over is open at poses (...) [m, rad], to first order.

    Zero of machines whose moves are constant: of their poses nothing that does not fit is used.
    """
    from gough.kinematics.freedoms.closing import gap_kernel  # noqa: PLC0415  (slow)

    return np.asarray(gap_kernel(Machines(model.own_robot("a gap")))(given))


def as_seen(robot: Robot, poses: Array) -> Array:
    """Poses as kernels see them: what constant moves leave out is that of home."""
    if isinstance(robot, Hexapod) or not has_constant_moves(robot):
        return poses
    machine, home = _of_any_kind(robot), np.array(robot.home)
    turn = _turn_from_home(machine, home, poses)
    away = np.concatenate([poses[..., :3] - home[:3], turn], -1) @ possible_steps(machine).T
    attitude = unit(poses[..., 3:])
    if machine.stance.turning != "any":
        attitude = product(of_rotation_vector(away[..., 3:]), home[3:])
    return pose(home[:3] + away[..., :3], quaternion=attitude)


def possible_steps(machine: Machine) -> Array:
    """(6, 6) from a step to what the machine can do of it, base axes."""
    P = np.kron(np.eye(2), np.array(machine.stance.axes))
    return np.asarray(P.T @ np.array(machine.freedom.possible) @ P)


def has_constant_moves(robot: Robot) -> bool:
    """Whether what the platform can do is the same in every pose."""
    return isinstance(robot, Hexapod) or _of_any_kind(robot).freedom.T is not None


def _of_any_kind(robot: Robot) -> Machine:
    """The machine of a robot that is no hexapod."""
    return cast("Machine", machine_of(robot))


def _turn_from_home(machine: Machine, home: Array, poses: Array) -> Array:
    """The part of the turn from home about the machine's z axis, as a rotation vector."""
    axis = np.array(machine.stance.axes)[2]
    turned = product(poses[..., 3:], conjugate(home[3:]))
    angle = 2 * np.arctan2(turned[..., 1:] @ axis, turned[..., 0])
    angle = np.angle(np.exp(1j * angle))
    turning = machine.stance.turning == "z"
    return np.asarray(angle[..., None] * axis * turning)
