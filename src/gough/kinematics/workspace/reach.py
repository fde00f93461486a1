"""Which poses a robot can take: strokes, joint limits, leg radii and singularities as margins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import AnyArray, Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations import any_machine
from gough.equations.any_machine import AnyMachine
from gough.equations.legs.closure import inverse_kinematics
from gough.equations.machine import Machine as HexapodMachine
from gough.equations.mechanism import nearness
from gough.equations.mechanism import reach as of_joints
from gough.equations.mechanism.machine import Machine
from gough.equations.platform import reach as of_legs
from gough.errors import GoughError
from gough.kinematics.freedoms.closing import closing
from gough.kinematics.singularity.singularity import check_length, singularity
from gough.kinematics.workspace.stated import ENDS, FAMILIES, leg_gaps, leg_limits, machine_limits
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.singular_values import singular_values
from gough.robot import Hexapod, Mechanism, Robot

Equation = Callable[..., Any]

_SINGULAR = 1e8


@dataclass(frozen=True)
class Limits:
    """Which limits count, and how near to a singularity a pose may be.

    Without `max_condition`, det J must have the sign that it has at home. With it, the condition
    number of J must also be below that bound, with rotations scaled by the characteristic length
    (by default the largest distance of a platform joint from the platform's origin).

    The stroke is the travel of all motors, of a hexapod that of its legs; which joints of a machine
    of any kind count as base and platform joints: see `stated`.
    """

    families: tuple[str, ...] = FAMILIES
    max_condition: float | None = None
    characteristic_length: float | None = None

    def __post_init__(self) -> None:
        unknown = [name for name in self.families if name not in FAMILIES]
        if unknown:
            raise GoughError(f"unknown limit {unknown[0]!r}; expected some of {list(FAMILIES)}")
        if self.max_condition is not None and not self.max_condition > 1:
            raise GoughError(f"max_condition is {self.max_condition}; expected above 1")


ALL_LIMITS = Limits()


def margins(model: Kernels, pose: Any, limits: Limits = ALL_LIMITS) -> Array:
    """How far each pose is within each limit: (..., 5), in the order of FAMILIES.

    At least zero inside. 1 for a leg at mid-stroke, a joint in its home direction, det J at home;
    the gap between legs is over the sum of their radii. Limits that the robot does not have, and
    those that do not count, have infinite margins. A pose that is none (not finite, a zero
    quaternion) and one that leaves a leg without length have NaN.
    """
    return np.asarray(margin_kernel(model.own_robot("a margin"), limits)(pose))


def reachable(model: Kernels, pose: Any, limits: Limits = ALL_LIMITS) -> Array:
    """Whether each pose is within all limits (...)."""
    return np.asarray((margins(model, pose, limits) >= 0).all(-1))


def ended_by(margins: Array) -> AnyArray:
    """What margins (..., 5) say against poses: (...) indices of ENDS, or -1 where nothing does."""
    limit = np.where(margins.min(-1) < 0, margins.argmin(-1), -1)
    return np.where(np.isnan(margins).any(-1), ENDS.index("assembly"), limit)


def margin_function(robot: Robot, limits: Limits) -> Function:
    """The symbolic function from a pose to its margins."""
    each = each_margin(robot, limits)

    def equation(machine: AnyMachine, pose: Any) -> Any:
        exists, margins = each(machine, pose)
        least = ca.vertcat(*(reduce(ca.fmin, family, ca.inf) for family in margins))
        return ca.if_else(exists, least, ca.DM.nan(len(FAMILIES)))

    return Machines(robot).function(
        "margins",
        equation,
        [POSE],
        [Argument("margins", (len(FAMILIES),), "1", ", ".join(FAMILIES))],
        "How far a pose is within each kind of limit; at least zero inside.",
    )


@compiled
def margin_kernel(robot: Robot, limits: Limits) -> Kernel:
    """The kernel of the margins."""
    return Kernel(margin_function(robot, limits))


def each_margin(robot: Robot, limits: Limits) -> Equation:
    """The equation from a pose to whether it is one, and a list of margins for each family.

    There is a margin for each limit that counts: see `one_by_one`.
    """
    own = _of_hexapod if isinstance(robot, Hexapod) else _of_any_kind
    return own(robot, limits)  # type: ignore[arg-type]


def _of_hexapod(robot: Hexapod, limits: Limits) -> Equation:
    legs, gaps = leg_limits(robot, limits.families), leg_gaps(robot, limits.families)
    singular = _singularity_margin(robot, limits)

    def equation(machine: HexapodMachine, pose: Any) -> Any:
        home = machine.home
        lengths = inverse_kinematics(machine, pose)
        exists = ca.logic_and(ca.mmin(lengths) > 0, ca.sum1(lengths) < ca.inf)
        return exists, [
            of_legs.stroke_margins(machine, legs, pose),
            of_legs.base_joint_margins(machine, legs, pose, home),
            of_legs.platform_joint_margins(machine, legs, pose, home),
            of_legs.clearance_margins(machine, gaps, pose),
            singular(machine, pose),
        ]

    return equation


def _of_any_kind(robot: Mechanism, limits: Limits) -> Equation:
    """Margins of the pose that the machine can take: with x and y of a five-bar it turns along."""
    stated, home = machine_limits(robot, limits.families), ca.DM(robot.home)
    singular, closed = _singularity_margin(robot, limits), closing(robot)

    def equation(machine: Machine, given: Any) -> Any:
        pose, _ = closed(given)
        exists = ca.fabs(ca.sum1(any_machine.inverse_kinematics(machine, pose))) < ca.inf
        return exists, [
            of_joints.travel_margins(machine, stated.travel, pose),
            of_joints.joint_margins(machine, stated.base_joints, home, pose),
            of_joints.joint_margins(machine, stated.platform_joints, home, pose),
            of_joints.clearance_margins(machine, stated.gaps, pose),
            singular(machine, pose),
        ]

    return equation


def _singularity_margin(robot: Robot, limits: Limits) -> Equation:
    """det J over its value at home; and how far the condition number is below its bound.

    Of a machine that is held to its freedoms by as many rows as needed, their determinant, too.
    """
    if "singularity" not in limits.families:
        return lambda *_: []
    length = check_length(robot, limits.characteristic_length)
    at_home = singularity(Kernels(robot), robot.home, characteristic_length=length)
    if not at_home.condition < _SINGULAR:
        raise GoughError(
            f"{robot.name}: singular at home (condition number {float(at_home.condition):.3g}), so "
            "no side of a singularity is its own; leave 'singularity' out of the limits' families"
        )
    sides = {part: float(_side_kernel(Machines(robot), part, length)(robot.home)) for part in SIDES}

    def margin(machine: AnyMachine, pose: Any) -> Any:
        ratios = [
            side(machine, pose, length) / _at_home(machine, side, sides[part], length)
            for part, side in SIDES.items()
            if np.isfinite(sides[part])
        ]
        if limits.max_condition is not None:
            values, _ = singular_values(any_machine.scaled_jacobian(machine, pose, length))
            ratios.append(limits.max_condition * values[-1] / values[0] - 1)
        return [reduce(ca.fmin, ratios)]

    return margin


def _at_home(machine: AnyMachine, side: Equation, known: float, length: float) -> Any:
    """A side at home, as it is known; where home is one of the machine's parameters, there."""
    if isinstance(machine, HexapodMachine) and not isinstance(machine.home, ca.DM):
        return side(machine, machine.home, length)
    return known


def _parallel_side(machine: AnyMachine, pose: Any, length: float) -> Any:
    """det J, scaled; of a machine with more motors than freedoms the root of det JᵀJ."""
    J = any_machine.scaled_jacobian(machine, pose, length)
    return ca.det(J) if J.shape[0] == J.shape[1] else ca.sqrt(ca.det(J.T @ J))


def _constraint_side(machine: AnyMachine, pose: Any, length: float) -> Any:
    """The determinant of what holds the platform to its moves; infinite where it has none."""
    if isinstance(machine, HexapodMachine) or not machine.freedom.outside.shape[0]:
        return ca.inf
    K = nearness.constraint_matrix(machine, pose, length)
    return ca.det(K) if K.shape[0] == K.shape[1] else ca.inf


SIDES = {"parallel": _parallel_side, "constraint": _constraint_side}


@compiled
def _side_kernel(machines: Machines, part: str, length: float) -> Kernel:
    return machines.kernel(
        f"{part}_side",
        lambda machine, pose: SIDES[part](machine, pose, length),
        [POSE],
        [Argument("side", (), "1", "a determinant; its sign changes at a singularity")],
    )
