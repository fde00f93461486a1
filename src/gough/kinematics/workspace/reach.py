"""Which poses a robot can take: strokes, joint limits, leg radii and singularities as margins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.compiler.remembered import remembered
from gough.equations.legs.closure import inverse_kinematics
from gough.equations.machine import Machine
from gough.equations.platform import reach as equations
from gough.equations.platform.singularity import scaled_jacobian
from gough.errors import GoughError
from gough.kinematics.singularity.singularity import check_length, singular_values, singularity
from gough.model.catalogue import POSE
from gough.model.kernels import Kernels
from gough.model.machines import Machines
from gough.robot import Robot

FAMILIES = ("stroke", "base joint", "platform joint", "clearance", "singularity")
"""The kinds of limits, in the order of the margins."""
KEYS = {
    "stroke": "stroke",
    "base joint": "base_joint_limit",
    "platform joint": "platform_joint_limit",
    "clearance": "radius",
}
"""Where a robot file states each of them, for a leg."""
_SINGULAR = 1e8


@dataclass(frozen=True)
class Limits:
    """Which limits count, and how near to a singularity a pose may be.

    Without `max_condition`, det J must have the sign that it has at home. With it, the condition
    number of J must also be below that bound, with rotations scaled by the characteristic length
    (by default the largest distance of a platform joint from the platform's origin).
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


def known_limits(robot: Robot, limits: Limits) -> list[str]:
    """The families that count and that at least one of the robot's legs states."""
    return [
        family
        for family, key in KEYS.items()
        if family in limits.families and any(getattr(leg, key) is not None for leg in robot.legs)
    ]


def margin_function(robot: Robot, limits: Limits) -> Function:
    """The symbolic function from a pose to its margins."""
    legs, home = _leg_limits(robot, limits), ca.DM(robot.home)
    singular = _singularity_margin(robot, limits)

    def equation(machine: Machine, pose: Any) -> Any:
        found = ca.vertcat(
            equations.stroke_margin(machine, legs, pose),
            equations.base_joint_margin(machine, legs, pose, home),
            equations.platform_joint_margin(machine, legs, pose, home),
            equations.clearance_margin(machine, legs, pose),
            singular(machine, pose),
        )
        lengths = inverse_kinematics(machine, pose)
        exists = ca.logic_and(ca.mmin(lengths) > 0, ca.sum1(lengths) < ca.inf)
        return ca.if_else(exists, found, ca.DM.nan(len(FAMILIES)))

    return Machines(robot).function(
        "margins",
        equation,
        [POSE],
        [Argument("margins", (len(FAMILIES),), "1", ", ".join(FAMILIES))],
        "How far a pose is within each kind of limit; at least zero inside.",
    )


@remembered
def margin_kernel(robot: Robot, limits: Limits) -> Kernel:
    """The kernel of the margins."""
    return Kernel(margin_function(robot, limits))


def _leg_limits(robot: Robot, limits: Limits) -> tuple[equations.LegLimits, ...]:
    def stated(leg: Any, family: str) -> Any:
        return getattr(leg, KEYS[family]) if family in limits.families else None

    return tuple(equations.LegLimits(*(stated(leg, f) for f in KEYS)) for leg in robot.legs)


def _singularity_margin(robot: Robot, limits: Limits) -> Any:
    """det J over its value at home; and how far the condition number is below its bound."""
    if "singularity" not in limits.families:
        return lambda *_: ca.inf
    length = check_length(robot, limits.characteristic_length)
    at_home = singularity(Kernels(robot), robot.home, characteristic_length=length)
    if not at_home.condition < _SINGULAR:
        raise GoughError(
            f"{robot.name}: singular at home (condition number {float(at_home.condition):.3g}), so "
            "no side of a singularity is its own; leave 'singularity' out of the limits' families"
        )
    det_home = float(at_home.determinant) / length**3

    def margin(machine: Machine, pose: Any) -> Any:
        J = scaled_jacobian(machine, pose, length)
        ratio = ca.det(J) / det_home
        if limits.max_condition is None:
            return ratio
        values, _ = singular_values(J)
        bound = limits.max_condition * values[5] / values[0] - 1
        return ca.fmin(ratio, bound)

    return margin
