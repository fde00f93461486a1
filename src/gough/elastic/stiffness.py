"""Stiffness of a machine at a pose, its principal directions, and its map over a plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.digits import ROUNDING
from gough.disk.plain_data import PlainData
from gough.display import Brief, Displayable, Table, vector
from gough.elastic import kernels
from gough.errors import GoughError
from gough.kinematics.model import Model, model_of
from gough.kinematics.size import default_length
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, reachable
from gough.kinematics.workspace.slices import RESOLUTION, Map, mapped, workspace_slice
from gough.model.definition import WRENCH
from gough.model.structure import structure_of
from gough.poses.given import finite
from gough.poses.rows import pose_rows
from gough.robot import MOVES, Robot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RIGID = 1e-14  # fraction of the maximum compliance below which a direction is rigid
_WORDS = ("minimum", "across it", "maximum")


@dataclass(frozen=True, repr=False)
class Principal(Brief):
    """Stiffness along three principal directions, the most compliant first."""

    values: Array  # (3) force per translation [N/m], or moment per rotation [N m/rad]
    directions: Array  # (3, 3) unit vectors in base axes, one a row


@dataclass(frozen=True)
class Stiffness(Displayable):
    """Stiffness of a compliant machine at a pose, about the platform's origin.

    A displacement is a translation of the origin and a rotation vector, both in base axes.

    >>> import gough
    >>> gough.stiffness(gough.load("demo-hexapod")).matrix.shape  # [N/m, N, N m]
    (6, 6)
    """

    robot: Robot
    pose: Array
    """(7)"""
    force: Array
    """(n) [N, N m] of the actuators that hold the machine there."""
    matrix: Array
    """(n, n) force by displacement along its degrees of freedom; hexapods six [N/m, N, N m/rad]."""
    compliance: Array
    """(6, 6) displacement by wrench [m/N, rad/N, rad/(N m)]."""

    result_kind: ClassVar = "stiffness"
    listed: ClassVar = "robot pose force compliance warnings translation rotation"

    @property
    def translation(self) -> Principal:
        """Principal stiffness against forces at the origin, rotation free; inf where rigid."""
        return _principal(self.compliance[:3, :3])

    @property
    def rotation(self) -> Principal:
        """Principal stiffness against moments, translation free; inf where it is rigid."""
        return _principal(self.compliance[3:, 3:])

    def condition(self, length: float | None = None) -> float:
        """Return the ratio of maximum to minimum stiffness, among the motions that are compliant.

        Rotations count by the displacement of a point at a length [m] from the origin: by default
        that of the joint that is farthest from it.
        """
        L = default_length(self.robot) if length is None else length
        scale = np.array([1.0, 1.0, 1.0, L, L, L])
        values = np.linalg.svd(self.compliance * np.outer(scale, scale), compute_uv=False)
        return float(values[0] / values[values > RIGID * values[0]][-1])

    def deflection(self, wrench: ArrayLike) -> Array:
        """Displacements (..., 6) [m, rad] under small wrenches (..., 6) [N, N m]."""
        return finite(wrench, "wrench", WRENCH.size) @ self.compliance.T

    def plot(self, *, ax: Sequence[Axes] | None = None) -> list[Axes]:
        """Plot the compliance ellipsoids for forces and for moments; return the two axes."""
        from gough.elastic.pictures import plot_ellipsoids  # noqa: PLC0415  (of these)

        return plot_ellipsoids(self, ax)

    @property
    def degrees_of_freedom(self) -> tuple[str, ...]:
        """Names of the degrees of freedom of the matrix."""
        return structure_of(self.robot).degrees_of_freedom

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about instability, and about a pose beyond the limits."""
        found = []
        if min(self.translation.values.min(), self.rotation.values.min()) < 0:
            found.append("it is unstable: a negative stiffness holds no load")
        if not reachable(Model(self.robot), self.pose):
            found.append("the pose is beyond the machine's limits")
        return tuple(found)

    def tables(self) -> list[Table]:
        """Directions of minimum and maximum stiffness, and the matrix itself."""
        parts = (("translation", "N/m", self.translation), ("rotation", "N m/rad", self.rotation))
        rows = [
            (f"{name}, {word}", float(value), unit, vector(direction.round(6)))
            for name, unit, part in parts
            for word, value, direction in zip(_WORDS, part.values, part.directions, strict=True)
        ]
        names = self.degrees_of_freedom
        axes = [f"about {name[1:]}" if name in MOVES[3:] else name for name in names]
        cleaned = np.where(abs(self.matrix) > ROUNDING * abs(self.matrix).max(), self.matrix, 0.0)
        matrix = [(axis, *row) for axis, row in zip(axes, cleaned.tolist(), strict=True)]
        condition = ("condition, rotations at the farthest joint", self.condition(), "")
        return [
            Table.properties("Pose", [*pose_rows(self.pose), condition]),
            Table.of("Principal stiffnesses", ("", "value", "unit", "direction"), rows),
            Table.of("Forces [N] and moments [N m] per m and rad", ("", *axes), matrix),
        ]

    def to_dict(self) -> PlainData:
        """Everything as plain data."""
        return super().to_dict() | {"stiffness": self.matrix, "condition": self.condition()}


def stiffness(
    robot: Robot | Model,
    pose: ArrayLike | None = None,
    *,
    actuators: ArrayLike = kernels.LOCKED,
    wrench: ArrayLike | None = None,
) -> Stiffness:
    """Compute the stiffness of a machine at a pose (7), by default home, under its weight.

    The actuators are "locked", "free", or springs of a stiffness [N/m], such as the gain of their
    control. A wrench (6) [N, N m] on the platform preloads it.

    >>> import gough
    >>> gough.stiffness(gough.load("demo-hexapod")).matrix.shape  # [N/m, N, N m]
    (6, 6)
    """
    model = model_of(robot)
    machine = model.own_robot("a stiffness", of_forces=True)
    kernels.check_elastic(model)
    at, load = kernels.one_pose(machine, pose), kernels.six_or_zero(wrench)
    given = kernels.actuator_compliance(model.robot, actuators)
    model.checked_inverse_dynamics(at, None, None, load)  # names what is singular
    force = kernels.holding_kernel(model.machines)(at, load)
    K, C = model.stiffness(at, force, given), model.compliance(at, force, given)
    if not np.isfinite(C).all():
        raise GoughError(
            f"{machine.name}: it has no stiffness at the pose {at.tolist()}; expected one that is "
            "not singular, where no screw is shorter than its dead length and parts of legs overlap"
        )
    return Stiffness(machine, at, force, K, C)


def stiffness_map(
    robot: Robot | Model,
    axes: tuple[str, str],
    pose: ArrayLike | None = None,
    *,
    actuators: ArrayLike = kernels.LOCKED,
    rotational: bool = False,
    limits: Limits = ALL_LIMITS,
    resolution: int = RESOLUTION,
) -> Map:
    """Map the stiffness in the most compliant direction, or about the most compliant axis."""
    model = model_of(robot)
    kernels.check_elastic(model)
    given = kernels.actuator_compliance(model.robot, actuators)
    part = slice(3, 6) if rotational else slice(0, 3)

    held, load = kernels.holding_kernel(model.machines), np.zeros(WRENCH.size)

    def minimum(poses: Array) -> Array:
        C = model.compliance(poses, held(poses, load), given)[:, part, part]
        found, known = np.full(len(C), np.nan), np.isfinite(C).all((1, 2))
        found[known] = 1 / np.linalg.eigvalsh((C + np.swapaxes(C, 1, 2))[known] / 2)[:, -1]
        return found

    words = "about the most compliant axis" if rotational else "in the most compliant direction"
    unit = "N m/rad" if rotational else "N/m"
    cut = workspace_slice(model, axes, pose, limits=limits, resolution=resolution)
    return mapped(model, cut, pose, minimum, f"stiffness {words}", unit)


def _principal(compliance: Array) -> Principal:
    values, vectors = np.linalg.eigh((compliance + compliance.T) / 2)
    rigid = np.abs(values) <= RIGID * np.abs(values).max()
    stiff = np.divide(1.0, values, where=~rigid, out=np.full(len(values), np.inf))
    return Principal(stiff[::-1], vectors.T[::-1])
