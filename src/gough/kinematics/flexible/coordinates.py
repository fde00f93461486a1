"""The coordinates of a machine with links that bend, and its kernels in terms of them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.kinematics.flexible import kernels
from gough.model.flexible.spanning import Beams, spanned
from gough.robot import Mechanism


class Coordinates:
    """Positions of a tree's joints, then elastic coordinates; and what depends on them.

    Where bearings yield, their strains are among the positions of joints.
    """

    def __init__(self, robot: Mechanism, beams: Beams) -> None:
        self._made_of = robot, beams
        found = spanned(*self._made_of)
        joints = found.machine.joints
        shapes = [link.shapes for link in found.machine.links if link.shapes is not None]
        self.robot, self.names = robot, found.coordinates
        self.count, self.joints = len(self.names), len(joints)
        self.motors = np.array([joints.index(k) for k in found.machine.driven], dtype=int)
        """Which coordinates the driven joints are."""
        self.at_home = np.array(found.machine.at_home)
        self.moves = np.array(robot.platform.rows, dtype=float)
        """Rows of what the platform can do."""
        self.beams = [
            (self.names[start].rpartition(".")[0], slice(start, start + n), np.array(own.stiffness))
            for (_, start, n), own in zip(found.machine.elastic, shapes, strict=True)
        ]
        """The beams: names, where their coordinates are, and stiffnesses."""
        self.gaps = found.machine.gaps
        """How many rows close the loops."""

    @cached_property
    def rigid(self) -> Coordinates:
        """Those of the machine on bearings that do not yield, which are some of these."""
        firm = self.robot.with_rigid_bearings
        return self if firm == self.robot else Coordinates(firm, self._made_of[1])

    def unstrained(self, rigid: Array) -> Array:
        """Coordinates or rates (n), of those of the machine on rigid bearings."""
        found = np.zeros(self.count)
        found[[self.names.index(name) for name in self.rigid.names]] = rigid
        return found

    def pose(self, z: Array) -> Array:
        """The pose (7) of the platform at z (n)."""
        from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

        position, R, _, _ = self.platform(z)
        x, y, z_, w = Rotation.from_matrix(R).as_quat()
        return np.array([*position, w, x, y, z_])

    def closing(self, z: Array, rate: Array | None = None) -> Any:
        """Gaps of the loops, rows C, and their drift κ."""
        if self.gaps:
            return self._closing(z, np.zeros_like(z) if rate is None else rate)
        none = np.zeros((*z.shape[:-1], 0))
        return none, np.zeros((*none.shape, self.count)), none

    def needed(
        self, z: Array, rate: Array, second: Array, wrench: Array, held: Array
    ) -> tuple[Array, Array]:
        """M z̈ + h, and the derivatives of M z̈ + h - Cᵀ λ by z at held forces λ, of one state."""
        tangent = kernels.tangent_function(*self._made_of).casadi
        needed, K = tangent(z, rate, second, wrench)
        K = self._square(K)
        if self.gaps:
            K -= self._square(kernels.closing_tangent_function(*self._made_of).casadi(z, held))
        return np.array(needed).ravel(), K

    def mass_matrix(self, z: Array) -> Array:
        """M (n, n) [SI] of one state."""
        return self._square(kernels.mass_function(*self._made_of).casadi(z))

    def _square(self, column: Any) -> Array:
        return np.array(column).reshape(self.count, self.count)

    def with_motors(self, C: Array) -> Array:
        """Rows C, and those that hold the motors."""
        motors = np.eye(self.count)[self.motors]
        return np.concatenate([C, np.broadcast_to(motors, (*C.shape[:-2], *motors.shape))], axis=-2)

    def platform(self, z: Array, rate: Array | None = None) -> Any:
        """The platform's position, rotation, twist by rates, and acceleration at z̈ = 0."""
        return self._platform(z, np.zeros_like(z) if rate is None else rate)

    @cached_property
    def dynamics(self) -> Any:
        """(z, rate, wrench) -> M, h."""
        return kernels.dynamics_kernel(*self._made_of)

    @cached_property
    def energies(self) -> Any:
        """(z, rate) -> kinetic, gravitational and elastic energy [J]."""
        return kernels.energy_kernel(*self._made_of)

    @cached_property
    def _closing(self) -> Any:
        return kernels.closing_kernel(*self._made_of)

    @cached_property
    def _platform(self) -> Any:
        return kernels.platform_kernel(*self._made_of)
