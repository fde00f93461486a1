"""Reachable poses of a robot: strokes, joint limits, leg radii and singularities as margins."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.checks import require_positive
from gough.compiler import Argument, Function, Kernel, compiled, kernel_of
from gough.equations.closure import assembled
from gough.equations.machine import Machine
from gough.equations.motion import kinematics, singularity_measures
from gough.equations.motion import reach as of_joints
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.kinematics.freedoms.nearest_pose import has_constant_basis, loop_closing
from gough.kinematics.singularity.singularity import check_length, singularity
from gough.kinematics.workspace.stated_limits import (
    ENDS,
    FAMILIES,
    SYNONYMS,
    Stated,
    single_limits,
    stated_limits,
)
from gough.model import Kernels, Machines
from gough.model.definition import POSE
from gough.model.kernels import kernels_of
from gough.model.singular_values import singular_values
from gough.robot import Robot

Margins = Callable[[Machine, Value], tuple[Value, list[list[Value]]]]

_SINGULAR = 1e8


@dataclass(frozen=True)
class Limits:
    """Limits that count, and the permitted nearness to singularities.

    Without `max_condition`, det J must have the sign that it has at home. With it, the condition
    number of J must also be below that bound, with rotations scaled by the characteristic length
    (by default the maximum distance of a platform joint from the platform's origin).

    The stroke is the travel of all motors, of a hexapod that of its legs; base and platform joints
    of a mechanism: see `stated_limits`.
    """

    families: tuple[str, ...] = FAMILIES
    max_condition: float | None = None
    characteristic_length: float | None = None

    def __post_init__(self) -> None:
        if isinstance(given := self.families, str):
            raise GoughError(f"families is {given!r}; expected several: ({given!r},)")
        families = tuple(SYNONYMS.get(name, name) for name in given)
        object.__setattr__(self, "families", families)
        unknown = [name for name in families if name not in FAMILIES]
        if unknown:
            raise GoughError(f"unknown limit {unknown[0]!r}; expected some of {list(FAMILIES)}")
        most = self.max_condition
        if most is not None and not require_positive("max_condition", most, "a finite number") > 1:
            raise GoughError(f"max_condition is {most}; expected above 1")
        if self.characteristic_length is not None:
            require_positive("characteristic_length", self.characteristic_length, "a length [m]")

    @property
    def margin_families(self) -> tuple[str, ...]:
        """Families with margins: that of singularities is the condition number's, too."""
        alone = self.max_condition is not None and "singularity" not in self.families
        return (*self.families, "singularity") if alone else self.families


ALL_LIMITS = Limits()


def margins(
    robot: Robot | Kernels,
    pose: ArrayLike,
    limits: Limits = ALL_LIMITS,
    *,
    parameters: ArrayLike | None = None,
) -> Array:
    """Compute the margin of each pose to each kind of limit: (..., 5), in the order of FAMILIES.

    At least zero inside. 1 for a leg at mid-stroke, a joint in its home direction, det J at home;
    the gap between legs is over the sum of their radii. Limits that the robot does not have, and
    those that do not count, have infinite margins. An invalid pose (not finite, a zero quaternion)
    and one with a leg of zero length have NaN.

    A parametric model takes the robot's numbers as `parameters`, (..., p), by default its own. The
    set of limits, and the legs that meet by design, are those of its own robot.
    """
    model = kernels_of(robot)
    numbers = model.numbers(parameters=parameters)
    return np.asarray(margin_kernel(model, limits)(*numbers, pose))


def reachable(
    robot: Robot | Kernels,
    pose: ArrayLike,
    limits: Limits = ALL_LIMITS,
    *,
    parameters: ArrayLike | None = None,
) -> Array:
    """Whether each pose is within all limits (...)."""
    return np.asarray((margins(robot, pose, limits, parameters=parameters) >= 0).all(-1))


def limited_by(margins: Array) -> AnyArray:
    """Return the limits that margins (..., 5) violate: (...) indices of ENDS, or -1 for none."""
    limit = np.where(margins.min(-1) < 0, margins.argmin(-1), -1)
    return np.where(np.isnan(margins).any(-1), ENDS.index("assembly"), limit)


def margin_kernel(robot: Robot | Kernels, limits: Limits) -> Kernel:
    """Return the kernel of the margins."""
    model = kernels_of(robot)
    stated = stated_limits(model.robot, limits.families)
    return kernel_of(margins_function, model.machines, stated, limits)


def margins_function(machines: Machines, stated: Stated, limits: Limits) -> Function:
    """Return the symbolic function of the margins, of machines whose limits are stated."""
    equation = least_margins(machines, stated, limits)
    output = Argument("margins", (len(FAMILIES),), "1", ", ".join(FAMILIES))
    doc = "Margin of a pose to each kind of limit; at least zero inside."
    return machines.function("margins", equation, [POSE], [output], doc)


def least_margins(
    machines: Machines, stated: Stated, limits: Limits, *, possible: bool = False
) -> Callable[[Machine, Value], Value]:
    """Return the equation from a pose to the minimum margin of each family; NaN if it is no pose.

    If all poses are `possible` ones it has derivatives.
    """
    each = each_margin(machines, stated, limits, possible=possible)

    def equation(machine: Machine, pose: Value) -> Value:
        exists, margins = each(machine, pose)
        least = ca.vertcat(*(reduce(ca.fmin, family, ca.DM(ca.inf)) for family in margins))
        return ca.if_else(exists, least, ca.DM.nan(len(FAMILIES)))

    return equation


def each_margin(
    machines: Machines, stated: Stated, limits: Limits, *, possible: bool = False
) -> Margins:
    """Return the equation from a pose to its validity, and a list of margins for each family.

    There is a margin for each limit that counts: see `single_limits`. Margins are those of the
    possible pose: the orientation of a five-bar follows from x and y.
    """
    singular = _singularity_margin(machines, limits)
    if machines.family and not possible and not has_constant_basis(machines.robot):
        raise GoughError(
            f"{machines.robot.name}: margins need one geometry of a machine whose degrees of "
            "freedom depend on its pose; expected those of gough.Model(model.made(parameters))"
        )
    closed = None if possible else loop_closing(machines.robot)

    def equation(machine: Machine, given: Value) -> tuple[Value, list[list[Value]]]:
        home = assembled.home(machine)
        pose = closed(given)[0] if closed else given
        q = kinematics.inverse_kinematics(machine, pose)
        exists = ca.fabs(ca.sum1(q)) < ca.inf
        if machine.extensible is not None:
            exists = ca.logic_and(exists, ca.mmin(q) > 0)
        return exists, [
            of_joints.travel_margins(machine, stated.travel, pose),
            of_joints.joint_margins(machine, stated.base_joints, home, pose),
            of_joints.joint_margins(machine, stated.platform_joints, home, pose),
            of_joints.clearance_margins(machine, stated.gaps, pose),
            singular(machine, pose),
        ]

    return equation


def single_margins(robot: Robot, limits: Limits, *, parametric: bool = False) -> Function:
    """Return the function from a pose to the margins of `single_limits`; NaN if it is no pose."""
    machines = Machines(robot, parametric=parametric)
    each = each_margin(machines, stated_limits(robot, limits.families), limits)
    count = len(single_limits(robot, limits.margin_families))

    def equation(machine: Machine, pose: Value) -> Value:
        exists, families = each(machine, pose)
        margins = ca.vertcat(*(margin for family in families for margin in family))
        return ca.if_else(exists, margins, ca.DM.nan(count))

    doc = "Margin of a pose to each limit; at least zero inside."
    output = Argument("margin", (count,), "1", "of each limit; at least zero inside")
    return machines.function("each_margin", equation, [POSE], [output], doc)


def _singularity_margin(
    machines: Machines, limits: Limits
) -> Callable[[Machine, Value], list[Value]]:
    """det J over its value at home; and the margin of the condition number to its bound.

    With as many platform constraints as constrained directions, their determinant, too.
    """
    if "singularity" not in limits.margin_families:
        return lambda *_: []
    sided, known = "singularity" in limits.families, limits.characteristic_length
    at_home = {"parallel": np.nan} if sided else {}
    of_hexapod = machines.parametric and not machines.structure.fingerprint
    varies = of_hexapod or bool(machines.family)  # home and geometry are those of the parameters
    if sided and not of_hexapod:
        at_home, own_length = sides_at_home(machines.robot, limits)
        known = known if varies else own_length

    def margin(machine: Machine, pose: Value) -> list[Value]:
        length = singularity_measures.arm(machine) if known is None else known
        home = assembled.home(machine)
        ratios = [
            side(machine, pose, length) / (side(machine, home, length) if varies else at_home[part])
            for part, side in SIDES.items()
            if part in at_home
        ]
        if limits.max_condition is not None:
            values, _ = singular_values(singularity_measures.scaled_jacobian(machine, pose, length))
            ratios.append(limits.max_condition * values[-1] / values[0] - 1)
        return [reduce(ca.fmin, ratios)]

    return margin


def sides_at_home(robot: Robot, limits: Limits) -> tuple[dict[str, float], float]:
    """Return the sides of a machine whose home and geometry are known, and its length."""
    length = check_length(robot, limits.characteristic_length)
    at_home = singularity(Kernels(robot), robot.home, characteristic_length=length)
    if not at_home.condition < _SINGULAR:
        raise GoughError(
            f"{robot.name}: singular at home (condition number {float(at_home.condition):.3g}), so "
            "no side of a singularity is its own; leave 'singularity' out of the limits' families"
        )
    kernels = {part: _side_kernel(Machines(robot), part, length) for part in SIDES}
    sides = {part: float(kernel(robot.home)) for part, kernel in kernels.items()}
    return {part: side for part, side in sides.items() if np.isfinite(side)}, length


def _constraint_side(machine: Machine, pose: Value, length: Value | float) -> Value:
    """Determinant of the platform constraints; infinite without any."""
    if not machine.freedom.outside.shape[0]:
        return ca.DM(ca.inf)
    K = singularity_measures.constraint_matrix(machine, pose, length)
    return ca.det(K) if K.shape[0] == K.shape[1] else ca.DM(ca.inf)


SIDES: dict[str, Callable[[Machine, Value, Value | float], Value]] = {
    "parallel": lambda machine, pose, _: singularity_measures.determinant(machine, pose),
    "constraint": _constraint_side,
}


@compiled
def _side_kernel(machines: Machines, part: str, length: float) -> Kernel:
    def equation(machine: Machine, pose: Value) -> Value:
        return SIDES[part](machine, pose, length)

    output = Argument("side", (), "1", "a determinant; its sign changes at a singularity")
    return machines.kernel(f"{part}_side", equation, [POSE], [output])
