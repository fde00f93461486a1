"""Which poses a robot can take: strokes, joint limits, leg radii and singularities as margins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from gough.equations.platform.reach import Limiting
from gough.errors import GoughError
from gough.kinematics.forward.status import Status
from gough.kinematics.freedoms.closing import closing
from gough.kinematics.freedoms.possible import has_constant_moves
from gough.kinematics.singularity.singularity import check_length, singularity
from gough.kinematics.workspace.stated import ENDS, FAMILIES, Stated, stated_limits
from gough.model.definition import POSE
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.model.singular_values import singular_values
from gough.robot import Hexapod, Robot

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


def margins(
    model: Kernels, pose: Any, limits: Limits = ALL_LIMITS, *, parameters: Any = None
) -> Array:
    """How far each pose is within each limit: (..., 5), in the order of FAMILIES.

    At least zero inside. 1 for a leg at mid-stroke, a joint in its home direction, det J at home;
    the gap between legs is over the sum of their radii. Limits that the robot does not have, and
    those that do not count, have infinite margins. A pose that is none (not finite, a zero
    quaternion) and one that leaves a leg without length have NaN.

    A parametric model takes the robot's numbers as `parameters`, (..., p): its own if left out.
    Which limits there are, and which legs meet by design, its own robot says.
    """
    numbers = model.numbers(parameters)
    stated = stated_limits(model.robot, limits.families)
    return np.asarray(_margins(model.machines, stated, limits)(*numbers, pose))


def reachable(
    model: Kernels, pose: Any, limits: Limits = ALL_LIMITS, *, parameters: Any = None
) -> Array:
    """Whether each pose is within all limits (...)."""
    return np.asarray((margins(model, pose, limits, parameters=parameters) >= 0).all(-1))


def ended_by(margins: Array) -> AnyArray:
    """What margins (..., 5) say against poses: (...) indices of ENDS, or -1 where nothing does."""
    limit = np.where(margins.min(-1) < 0, margins.argmin(-1), -1)
    return np.where(np.isnan(margins).any(-1), ENDS.index("assembly"), limit)


def margin_function(robot: Robot, limits: Limits) -> Function:
    """The symbolic function from a pose to its margins."""
    return _function(Machines(robot), stated_limits(robot, limits.families), limits)


def margin_kernel(robot: Robot, limits: Limits) -> Kernel:
    """The kernel of the margins."""
    return _margins(Machines(robot), stated_limits(robot, limits.families), limits)


@compiled
def _margins(machines: Machines, stated: Limiting | Stated, limits: Limits) -> Kernel:
    return Kernel(_function(machines, stated, limits))


def _function(machines: Machines, stated: Limiting | Stated, limits: Limits) -> Function:
    return machines.function(
        "margins",
        least_margins(machines, stated, limits),
        [POSE],
        [Argument("margins", (len(FAMILIES),), "1", ", ".join(FAMILIES))],
        "How far a pose is within each kind of limit; at least zero inside.",
    )


def least_margins(
    machines: Machines, stated: Limiting | Stated, limits: Limits, *, possible: bool = False
) -> Equation:
    """The equation from a pose to its margins, the least of each family; NaN where it is none.

    Where all poses are `possible` ones it has derivatives.
    """
    each = each_margin(machines, stated, limits, possible=possible)

    def equation(machine: AnyMachine, pose: Any) -> Any:
        exists, margins = each(machine, pose)
        least = ca.vertcat(*(reduce(ca.fmin, family, ca.inf) for family in margins))
        return ca.if_else(exists, least, ca.DM.nan(len(FAMILIES)))

    return equation


def each_margin(
    machines: Machines, stated: Limiting | Stated, limits: Limits, *, possible: bool = False
) -> Equation:
    """The equation from a pose to whether it is one, and a list of margins for each family.

    There is a margin for each limit that counts: see `one_by_one`.
    """
    singular = _singularity_margin(machines, limits)
    if isinstance(stated, Limiting):
        return _of_hexapod(stated, singular)
    if machines.family and not has_constant_moves(machines.robot):
        raise GoughError(
            f"{machines.robot.name}: margins are about one geometry of a machine whose moves "
            "depend on its pose; expected those of gough.Model(model.made(parameters))"
        )
    closed = _unchanged if possible else closing(machines.robot)
    return _of_any_kind(stated, singular, closed)


def _of_hexapod(limiting: Limiting, singular: Equation) -> Equation:
    def equation(machine: HexapodMachine, pose: Any) -> Any:
        home = machine.home
        lengths = inverse_kinematics(machine, pose)
        exists = ca.logic_and(ca.mmin(lengths) > 0, ca.sum1(lengths) < ca.inf)
        return exists, [
            of_legs.stroke_margins(machine, limiting.stroke, pose),
            of_legs.base_joint_margins(machine, limiting.base_joint, pose, home),
            of_legs.platform_joint_margins(machine, limiting.platform_joint, pose, home),
            of_legs.clearance_margins(machine, limiting.clearance, pose),
            singular(machine, pose),
        ]

    return equation


def _unchanged(pose: Any) -> tuple[Any, Any]:
    return pose, Status.CONVERGED


def _of_any_kind(stated: Stated, singular: Equation, closed: Equation) -> Equation:
    """Margins of the pose that the machine can take: with x and y of a five-bar it turns along."""

    def equation(machine: Machine, given: Any) -> Any:
        home = any_machine.home(machine)
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


def _singularity_margin(machines: Machines, limits: Limits) -> Equation:
    """det J over its value at home; and how far the condition number is below its bound.

    Of a machine that is held to its freedoms by as many rows as needed, their determinant, too.
    """
    if "singularity" not in limits.families:
        return lambda *_: []
    if machines.parametric and isinstance(machines.robot, Hexapod):
        at_home, known = _parallel_side_at_home, limits.characteristic_length
    elif machines.family:
        template, _ = _sides_at_home(machines.robot, limits)
        at_home, known = _known_sides_at_home(template()), limits.characteristic_length
    else:
        at_home, known = _sides_at_home(machines.robot, limits)

    def margin(machine: AnyMachine, pose: Any) -> Any:
        length = any_machine.characteristic_length(machine) if known is None else known
        ratios = [
            SIDES[part](machine, pose, length) / side
            for part, side in at_home(machine, length).items()
        ]
        if limits.max_condition is not None:
            values, _ = singular_values(any_machine.scaled_jacobian(machine, pose, length))
            ratios.append(limits.max_condition * values[-1] / values[0] - 1)
        return [reduce(ca.fmin, ratios)]

    return margin


def _parallel_side_at_home(machine: AnyMachine, length: Any) -> dict[str, Any]:
    """Of a hexapod whose home is one of its parameters."""
    return {"parallel": _parallel_side(machine, any_machine.home(machine), length)}


def _known_sides_at_home(known: Mapping[str, float]) -> Equation:
    """Of a machine of a family, those sides that its robot has."""

    def sides(machine: AnyMachine, length: Any) -> dict[str, Any]:
        home = any_machine.home(machine)
        return {part: SIDES[part](machine, home, length) for part in known}

    return sides


def _sides_at_home(robot: Robot, limits: Limits) -> tuple[Equation, float]:
    """The sides of a machine whose home and geometry are known, and its length."""
    length = check_length(robot, limits.characteristic_length)
    at_home = singularity(Kernels(robot), robot.home, characteristic_length=length)
    if not at_home.condition < _SINGULAR:
        raise GoughError(
            f"{robot.name}: singular at home (condition number {float(at_home.condition):.3g}), so "
            "no side of a singularity is its own; leave 'singularity' out of the limits' families"
        )
    kernels = {part: _side_kernel(Machines(robot), part, length) for part in SIDES}
    sides = {part: float(kernel(robot.home)) for part, kernel in kernels.items()}
    known = {part: side for part, side in sides.items() if np.isfinite(side)}
    return lambda *_: known, length


def _parallel_side(machine: AnyMachine, pose: Any, length: Any) -> Any:
    """det J, scaled; of a machine with more motors than freedoms the root of det JᵀJ."""
    J = any_machine.scaled_jacobian(machine, pose, length)
    return ca.det(J) if J.shape[0] == J.shape[1] else ca.sqrt(ca.det(J.T @ J))


def _constraint_side(machine: AnyMachine, pose: Any, length: Any) -> Any:
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
