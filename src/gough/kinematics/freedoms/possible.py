"""Poses that a machine can take, near those that it cannot.

A machine with fewer than six freedoms ignores what it cannot do: kernels see a Delta's pose with
the attitude of home, and close the legs of a Tricept as well as they can. Here is the pose meant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function, iterate
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations import any_machine
from gough.equations.machine import Machine as HexapodMachine
from gough.equations.spatial.algebra import position, quaternion
from gough.equations.spatial.pose import displace, normalised, nudge, turn_between
from gough.kinematics.forward.status import Status
from gough.kinematics.size import machine_size
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.parameters import machine_of
from gough.poses import difference, pose
from gough.poses.quaternions import conjugate, of_rotation_vector, product, unit
from gough.robot import Hexapod, Mechanism, Robot
from gough.shown.brief import brief

if TYPE_CHECKING:
    from gough.equations.mechanism.machine import Machine

AT_MOST = 30
STRIDE = 0.3
"""The longest step of Newton's method: machine sizes, radians."""
CLOSED = 1e-10
"""A last step as small leaves what rounding leaves: machine sizes, radians."""


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
    poses, robot = np.asarray(given, dtype=float), model.own_robot("a possible pose")
    found, status = closed_poses(robot, poses)
    known = np.isfinite(found).all(-1) & np.isfinite(poses).all(-1)
    step = np.full((*known.shape, 6), np.nan)
    step[known] = difference(np.broadcast_to(poses, found.shape)[known], found[known])
    return PossiblePose(found, step, np.broadcast_to(status, known.shape).astype(np.int8))


def closed_poses(robot: Robot, poses: Array) -> tuple[Array, AnyArray]:
    """The same poses alone (..., 7), and their status (...)."""
    if has_constant_moves(robot):
        return as_seen(robot, poses), np.full((), Status.CONVERGED)
    found, status = _closing_kernel(robot)(poses)
    return found, status


def gap(model: Kernels, given: Any) -> Array:
    """How far the worst of the rows left over is open at poses (...) [m, rad], to first order.

    Zero of machines whose moves are constant: of their poses nothing that does not fit is used.
    """
    return np.asarray(_gap_kernel(Machines(model.own_robot("a gap")))(given))


def as_seen(robot: Robot, poses: Array) -> Array:
    """Poses as kernels see them: what constant moves leave out is that of home."""
    if isinstance(robot, Hexapod):
        return poses
    machine, home = machine_of(robot), np.array(robot.home)
    assert not isinstance(machine, HexapodMachine)
    if machine.freedom.T is None:
        return poses
    turn = _turn_from_home(machine, home, poses)
    away = np.concatenate([poses[..., :3] - home[:3], turn], -1) @ _possible_steps(machine).T
    attitude = unit(poses[..., 3:])
    if machine.stance.turning != "any":
        attitude = product(of_rotation_vector(away[..., 3:]), home[3:])
    return pose(home[:3] + away[..., :3], quaternion=attitude)


def seeing(robot: Mechanism) -> Callable[[Any], Any]:
    """The equation of it, for a machine whose moves are constant."""
    machine, home = machine_of(robot), ca.DM(robot.home)
    assert not isinstance(machine, HexapodMachine)
    possible, axis = ca.DM(_possible_steps(machine)), machine.stance.axes[2, :].T

    def equation(pose: Any) -> Any:
        turned = turn_between(pose, home)
        along = ca.dot(turned[1:4], axis)
        angle = 2 * ca.atan2(ca.if_else(turned[0] < 0, -along, along), ca.fabs(turned[0]))
        turn = angle * axis if machine.stance.turning == "z" else ca.DM.zeros(3)
        seen = displace(home, possible @ ca.vertcat(position(pose) - position(home), turn))
        keeps = machine.stance.turning == "any"
        return normalised(ca.vertcat(position(seen), quaternion(pose if keeps else seen)))

    return equation


def _possible_steps(machine: Machine) -> Array:
    """(6, 6) from a step to what the machine can do of it, base axes."""
    P = np.kron(np.eye(2), np.array(machine.stance.axes))
    return np.asarray(P.T @ np.array(machine.freedom.possible) @ P)


def has_constant_moves(robot: Robot) -> bool:
    """Whether what the platform can do is the same in every pose."""
    machine = machine_of(robot)
    return isinstance(machine, HexapodMachine) or machine.freedom.T is not None


def _turn_from_home(machine: Machine, home: Array, poses: Array) -> Array:
    """The part of the turn from home about the machine's z axis, as a rotation vector."""
    axis = np.array(machine.stance.axes)[2]
    turned = product(poses[..., 3:], conjugate(home[3:]))
    angle = 2 * np.arctan2(turned[..., 1:] @ axis, turned[..., 0])
    angle = np.angle(np.exp(1j * angle))
    turning = machine.stance.turning == "z"
    return np.asarray(angle[..., None] * axis * turning)


def closing(robot: Robot) -> Callable[[Any], tuple[Any, Any]]:
    """The equation from a pose to the one that the machine can take, and a status."""
    size, machine = machine_size(robot), machine_of(robot)
    if isinstance(machine, HexapodMachine) or machine.freedom.T is not None:
        return lambda pose: (pose, Status.CONVERGED)

    def step(pose: Any) -> tuple[Any, Any]:
        motion = any_machine.closing_step(machine, pose)
        longest = ca.mmax(ca.fabs(ca.vertcat(motion[0:3] / size, motion[3:6])))
        ended = ca.if_else(longest < CLOSED, Status.CONVERGED, 0)
        status = ca.if_else(longest < ca.inf, ended, Status.SINGULAR)
        return normalised(nudge(pose, motion * ca.fmin(1, STRIDE / longest))), status

    function = Function.from_equation("closing_step", step, [POSE], [POSE, Argument("status")])
    repeated = iterate(function, AT_MOST)

    def equation(pose: Any) -> tuple[Any, Any]:
        found, _, status = repeated(normalised(pose))
        return ca.if_else(status == Status.CONVERGED, found, ca.DM.nan(7)), status

    return equation


@compiled
def _closing_kernel(robot: Robot) -> Kernel:
    return Kernel.from_equation(
        "possible_pose",
        closing(robot),
        [POSE],
        [Argument("possible", (7,), POSE.unit, "the pose that the machine can take"),
         Argument("status", (), "1", "see Status")],
        "The pose that a machine can take, with the same u as the given one.",
    )  # fmt: skip


@compiled
def _gap_kernel(machines: Machines) -> Kernel:
    def equation(machine: Any, pose: Any) -> Any:
        gaps = any_machine.open_gaps(machine, pose)
        return ca.mmax(ca.fabs(gaps)) if gaps.shape[0] else ca.DM(0)

    return machines.kernel(
        "gap", equation, [POSE], [Argument("gap", (), "m, rad", "of the worst row left over")],
        "How far the rows that the legs have left over are open.",
    )  # fmt: skip
