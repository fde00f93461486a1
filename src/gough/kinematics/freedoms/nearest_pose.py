"""Possible poses of a machine near impossible ones, and the deviations from them.

Possible poses have the same independent coordinates as the given ones.

A machine with a constant twist basis ignores the impossible part: kernels use a Delta's pose with
the orientation of home. Of others, as a Tricept, kernels are NaN where loops do not close, and
Newton's method satisfies the platform constraints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.compiler import Argument, Function, Kernel, compiled, remembered
from gough.compiler.front.function import iterate
from gough.display.brief import Brief
from gough.errors import GoughError
from gough.kinematics.forward.status import AT_MOST, STRIDE, Status
from gough.kinematics.size import default_length, machine_size
from gough.model import Kernels, Machines, machine_of, structure_of
from gough.model.definition import ACCELERATION, POSE, TWIST
from gough.model.kernels import kernels_of
from gough.model.mechanism.kept import findings
from gough.poses import difference
from gough.poses.given import array_of_numbers, finite
from gough.robot import MOVES, Mechanism, Robot

if TYPE_CHECKING:
    from gough.equations.machine import Machine
    from gough.equations.spatial.algebra import Value

CLOSED = 1e-10
"""Last step below which only rounding error remains: machine sizes, radians."""


@dataclass(frozen=True, repr=False)
class PossiblePose(Brief):
    """Possible poses, for a batch `(...)`, and the deviations of the given ones."""

    pose: Array
    """(..., 7) with the same u; NaN where none was found."""
    step: Array
    """(..., 6) from there to the given pose: translation [m], rotation vector [rad], base axes."""
    status: AnyArray
    """(...) CONVERGED; SINGULAR or NO_CONVERGENCE where none was found."""


def possible_pose(robot: Robot | Kernels, given: ArrayLike) -> PossiblePose:
    """The poses that a machine can take, with the coordinates of the given ones in its moves.

    `given` is (..., 7). With a constant twist basis (a Delta, a planar machine), the other
    coordinates are those of home. Else the platform constraints are satisfied by Newton's method,
    in steps that leave u = S · twist: x and y of a five-bar stay, and its orientation follows.
    """
    poses, robot = array_of_numbers(given, "pose"), kernels_of(robot).own_robot("a possible pose")
    if poses.shape[-1:] != (7,):
        raise GoughError(f"pose has shape {poses.shape}; expected (..., 7)")
    found, status = closed_poses(robot, poses)
    known = np.isfinite(found).all(-1) & np.isfinite(poses).all(-1)
    step = np.full((*known.shape, 6), np.nan)
    step[known] = difference(np.broadcast_to(poses, found.shape)[known], found[known])
    return PossiblePose(found, step, np.broadcast_to(status, known.shape).astype(np.int8))


def closed_poses(robot: Robot, poses: Array) -> tuple[Array, AnyArray]:
    """Return only the possible poses (..., 7), and their status (...)."""
    if has_constant_basis(robot):
        return projected_poses(robot, poses), np.full((), Status.CONVERGED)
    found, status = _closing_kernel(robot)(poses)
    return found, status


def gap(model: Kernels, given: ArrayLike) -> Array:
    """Return the maximum violation of platform constraints at poses (...) [m, rad], first order.

    Zero for machines with a constant twist basis: the impossible part of their poses is not used.
    """
    return np.asarray(_gap_kernel(Machines(model.own_robot("a gap")))(given))


def has_constant_basis(robot: Robot) -> bool:
    """Whether the platform's twist basis is the same in every pose."""
    return not isinstance(robot, Mechanism) or findings(robot).possible is not None


def projected_poses(robot: Robot, poses: Array) -> Array:
    """Return poses as kernels use them: dependent coordinates of a constant basis are home's."""
    if robot.has_extensible_legs or not has_constant_basis(robot) or not poses.size:
        return poses
    columns = finite(poses, "pose", POSE.size).reshape(-1, POSE.size).T
    found = np.array(_projection(robot)(columns)).T.reshape(poses.shape)
    return finite(found, "pose", POSE.size)  # not so of a zero quaternion


@remembered
def _projection(robot: Robot) -> ca.Function:
    pose = ca.SX.sym("pose", POSE.size)
    return ca.Function("projection", [pose], [pose_projection(robot)(pose)])


def pose_projection(robot: Robot) -> Callable[[Value], Value]:
    """Return the equation of `projected_poses`."""
    from gough.equations.spatial.algebra import position, quaternion  # noqa: PLC0415  (slow)
    from gough.equations.spatial.pose import displace, normalised, turn_between  # noqa: PLC0415

    found = findings(robot) if isinstance(robot, Mechanism) else None
    if found is None or found.possible is None:
        return lambda pose: pose
    home, turning, P = ca.DM(robot.home), found.turning, np.kron(np.eye(2), found.axes)
    possible, axis = ca.DM(P.T @ np.array(found.possible) @ P), ca.DM(found.axes[2])

    def equation(pose: Value) -> Value:
        turned = turn_between(pose, home)
        along = ca.dot(turned[1:4], axis)
        angle = 2 * ca.atan2(ca.if_else(turned[0] < 0, -along, along), ca.fabs(turned[0]))
        turn = angle * axis if turning == "z" else ca.DM.zeros(3)
        seen = displace(home, possible @ ca.vertcat(position(pose) - position(home), turn))
        attitude = quaternion(pose if turning == "any" else seen)
        return normalised(ca.vertcat(position(seen), attitude))

    return equation


def loop_closing(robot: Robot) -> Callable[[Value], tuple[Value, Value]]:
    """Return the equation from a pose to the possible one, and a status."""
    from gough.equations.closure.closing import closing_step  # noqa: PLC0415  (slow)
    from gough.equations.spatial.pose import normalised, nudge  # noqa: PLC0415

    if has_constant_basis(robot):
        return lambda pose: (pose, ca.DM(Status.CONVERGED))
    size, machine = machine_size(robot), machine_of(robot)

    def step(pose: Value) -> tuple[Value, Value]:
        motion = closing_step(machine, pose)
        longest = ca.mmax(ca.fabs(ca.vertcat(motion[0:3] / size, motion[3:6])))
        ended = ca.if_else(longest < CLOSED, Status.CONVERGED, 0)
        status = ca.if_else(longest < ca.inf, ended, Status.SINGULAR)
        return normalised(nudge(pose, motion * ca.fmin(1, STRIDE / longest))), status

    function = Function.from_equation("closing_step", step, [POSE], [POSE, Argument("status")])
    repeated = iterate(function, AT_MOST)

    def equation(pose: Value) -> tuple[Value, Value]:
        found, _, status = repeated(normalised(pose))
        return ca.if_else(status == Status.CONVERGED, found, ca.DM.nan(7)), status

    return equation


@compiled
def _closing_kernel(robot: Robot) -> Kernel:
    possible = Argument("possible", (7,), POSE.unit, "with the same u as the given one")
    outputs = [possible, Argument("status", (), "1", "see Status")]
    return Kernel.from_equation("possible_pose", loop_closing(robot), [POSE], outputs)


@compiled
def _gap_kernel(machines: Machines) -> Kernel:
    from gough.equations.closure.closing import open_gaps  # noqa: PLC0415  (slow)

    def equation(machine: Machine, pose: Value) -> Value:
        gaps = open_gaps(machine, pose)
        return ca.mmax(ca.fabs(gaps)) if gaps.shape[0] else ca.DM(0)

    output = Argument("gap", (), "m, rad", "violation of the platform constraints")
    return machines.kernel("gap", equation, [POSE], [output])


TOLERANCE = 1e-9
"""Deviation, relative to the machine's size, that counts as rounding."""


class Worst(NamedTuple):
    """The maximum deviation, its component and unit, and its place in the batch."""

    deviation: float
    component: str
    """x, y, z, rx, ry or rz, base axes."""
    unit: str
    where: tuple[int, ...]


@dataclass(frozen=True, repr=False)
class ConstraintViolation(Brief):
    """Parts of poses, twists or accelerations `(...)` that violate a machine's constraints."""

    parts: Array
    """(..., 6) in base axes: of poses translation [m] and rotation vector [rad]; NaN: unknown."""
    units: tuple[str, str]
    """Units of the first and of the last three."""
    length: float
    """Length that makes angles comparable with lengths [m]."""

    @property
    def size(self) -> Array:
        """(...) maximum component in the first unit, angles multiplied by the length."""
        return np.asarray(np.abs(self.parts * self._scales).max(-1))

    @property
    def worst(self) -> Worst:
        """Maximum component of the batch; unknown ones count as infinite."""
        sizes = np.nan_to_num(np.abs(self.parts * self._scales), nan=np.inf)
        *index, k = (int(i) for i in np.unravel_index(sizes.argmax(), sizes.shape))
        return Worst(float(self.parts[*index, k]), MOVES[k], self.units[k // 3], tuple(index))

    @property
    def impossible(self) -> Worst | None:
        """Return the maximum part, if it is more than rounding; unknown ones are left out."""
        worst = ConstraintViolation(np.nan_to_num(self.parts), self.units, self.length).worst
        return worst if abs(worst.deviation) > TOLERANCE * self.length else None

    @property
    def _scales(self) -> Array:
        return np.repeat([1.0, self.length], 3)


def pose_violation(robot: Robot, poses: ArrayLike) -> ConstraintViolation:
    """Compute the distance of poses (..., 7) to those that the machine can take with the same u."""
    step = possible_pose(Kernels(robot), poses).step
    return ConstraintViolation(step, ("m", "rad"), default_length(robot))


def twist_violation(robot: Robot, poses: ArrayLike, twists: ArrayLike) -> ConstraintViolation:
    """Compute the part of twists (..., 6) that a machine cannot do at poses (..., 7)."""
    parts = np.asarray(_violation_kernel(Machines(robot), accelerated=False)(poses, twists))
    return ConstraintViolation(parts, ("m/s", "rad/s"), default_length(robot))


def acceleration_violation(
    robot: Robot, poses: ArrayLike, twists: ArrayLike, accelerations: ArrayLike
) -> ConstraintViolation:
    """Compute the part of accelerations (..., 6) that a machine cannot do at poses and twists."""
    kernel = _violation_kernel(Machines(robot), accelerated=True)
    parts = np.asarray(kernel(poses, twists, accelerations))
    return ConstraintViolation(parts, ("m/s^2", "rad/s^2"), default_length(robot))


def what_it_cannot(robot: Robot, worst: Worst) -> str:
    """Return in words what a machine cannot do: "roll = 0.1 rad, which delta (x y z) cannot do"."""
    freedoms = " ".join(structure_of(robot).degrees_of_freedom)
    deviation = f"{worst.component} = {worst.deviation:.4g} {worst.unit}"
    return f"{deviation}, which {robot.name} ({freedoms}) cannot do"


@compiled
def _violation_kernel(machines: Machines, accelerated: bool) -> Kernel:
    from gough.equations.motion import kinematics  # noqa: PLC0415  (slow)

    def equation(machine: Machine, pose: Value, twist: Value, *given: Value) -> Value:
        asked = given[0] if given else twist
        bias = kinematics.bias_acceleration(machine, pose, twist) if given else 0
        return asked - kinematics.admissible(machine, pose, asked) - bias

    inputs = [POSE, TWIST, *([ACCELERATION] if accelerated else [])]
    output = Argument("violation", (6,), inputs[-1].unit, "part that the machine cannot do")
    return machines.kernel(f"{inputs[-1].name}_violation", equation, inputs, [output])
