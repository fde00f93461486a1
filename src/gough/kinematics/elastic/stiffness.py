"""How stiff a machine is at a pose: its matrix, and what that means where it is softest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.elastic.held import LOCKED, actuator_compliance, check_elastic
from gough.kinematics.elastic.kernels import holding_kernel
from gough.kinematics.model import Model
from gough.kinematics.size import default_length
from gough.kinematics.workspace.reach import reachable
from gough.model.definition import WRENCH
from gough.poses.given import finite
from gough.robot import Robot
from gough.shown import Fact, card, facts, number
from gough.shown.brief import brief

RIGID = 1e-14
"""Nothing yields where the compliance is as small, beside the largest."""


@dataclass(frozen=True)
class Principal:
    """A stiffness along three directions at right angles, the softest first."""

    values: Array
    """(3) force per way [N/m], or moment per turn [N m/rad]."""
    directions: Array
    """(3, 3) unit vectors in base axes, one a row."""

    __repr__ = brief


@dataclass(frozen=True)
class Stiffness:
    """A machine that yields, at a pose: displacements and wrenches about the platform's origin.

    A displacement is the way of the origin and a rotation vector, both in base axes.
    """

    robot: Robot
    pose: Array
    """(7)"""
    force: Array
    """(n) [N, N m] of the actuators, which hold the machine there."""
    matrix: Array
    """(n, n) force by displacement along its n freedoms; all six [N/m, N, N m/rad] of hexapods."""
    compliance: Array
    """(6, 6) displacement by wrench [m/N, rad/N, rad/(N m)]."""

    __repr__ = brief

    @property
    def ways(self) -> Principal:
        """Against forces at the origin, the platform being free to turn; inf where it is rigid."""
        return _principal(self.compliance[:3, :3])

    @property
    def turns(self) -> Principal:
        """Against moments, the platform being free to move; inf where it is rigid."""
        return _principal(self.compliance[3:, 3:])

    def condition(self, length: float | None = None) -> float:
        """How many times stiffer the stiffest motion is than the softest one, of those it can do.

        Turns count by the way of a point at a length [m] from the origin: by default that of the
        joint that is farthest from it.
        """
        L = default_length(self.robot) if length is None else length
        scale = np.array([1.0, 1.0, 1.0, L, L, L])
        values = np.linalg.svd(self.compliance * np.outer(scale, scale), compute_uv=False)
        return float(values[0] / values[values > RIGID * values[0]][-1])

    def deflection(self, wrench: Any) -> Array:
        """Displacements (..., 6) [m, rad] under small wrenches (..., 6) [N, N m]."""
        return finite(wrench, "wrench", WRENCH.size) @ self.compliance.T

    @property
    def warnings(self) -> tuple[str, ...]:
        """What must be known."""
        found = []
        if min(self.ways.values.min(), self.turns.values.min()) < 0:
            found.append("it gives way: a negative stiffness holds nothing")
        if not reachable(Model(self.robot), self.pose):
            found.append("the pose is beyond the machine's limits")
        return tuple(found)

    def _repr_html_(self) -> str:
        known = facts([
            Fact("softest way", f"{number(self.ways.values[0])} N/m"),
            Fact("stiffest way", f"{number(self.ways.values[2])} N/m"),
            Fact("softest turn", f"{number(self.turns.values[0])} N m/rad"),
            Fact("stiffest turn", f"{number(self.turns.values[2])} N m/rad"),
        ])  # fmt: skip
        return card(self.robot.name, "stiffness", known, warnings=self.warnings)


def stiffness(
    robot: Robot | Model, pose: Any = None, *, actuators: Any = LOCKED, wrench: Any = None
) -> Stiffness:
    """How stiff a machine is at a pose (7), by default home, while it bears its weight.

    The actuators are "locked", "free", or springs of a stiffness [N/m], such as the gain of their
    control. A wrench (6) [N, N m] on the platform loads it before.
    """
    model = robot if isinstance(robot, Model) else Model(robot)
    machine = model.own_robot("a stiffness")
    check_elastic(model)
    at = finite(machine.home if pose is None else pose, "pose", 7)
    if at.ndim != 1:
        raise GoughError(f"pose has shape {at.shape}; expected (7,), one pose")
    given = actuator_compliance(model, actuators)
    load = np.zeros(WRENCH.size) if wrench is None else finite(wrench, "wrench", WRENCH.size)
    model.checked_inverse_dynamics(at, None, None, load)  # names what is singular
    force = holding_kernel(model.machines)(at, load)
    K, C = model.stiffness(at, force, given), model.compliance(at, force, given)
    if not np.isfinite(C).all():
        raise GoughError(
            f"{machine.name}: it has no stiffness at the pose {at.tolist()}; expected one that is "
            "not singular, and where no screw is shorter than its dead length"
        )
    return Stiffness(machine, at, force, K, C)


def _principal(compliance: Array) -> Principal:
    values, vectors = np.linalg.eigh((compliance + compliance.T) / 2)
    rigid = np.abs(values) <= RIGID * np.abs(values).max()
    stiff = np.divide(1.0, values, where=~rigid, out=np.full(len(values), np.inf))
    return Principal(stiff[::-1], vectors.T[::-1])
