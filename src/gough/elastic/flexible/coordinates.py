"""The coordinates of a machine with flexible links, and its kernels in terms of them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gough.arrays import Array
from gough.compiler.native.kernel import Kernel
from gough.elastic.flexible import kernels
from gough.elastic.flexible.beam import ElasticBeam
from gough.elastic.flexible.link_tree import Beams, spanned
from gough.equations.spatial.algebra import Value
from gough.robot import Mechanism


class Coordinates:
    """Positions of a tree's joints, then elastic coordinates; and the functions of them.

    The strains of compliant bearings are among the positions of joints.
    """

    def __init__(self, robot: Mechanism, beams: Beams) -> None:
        self._made_of = robot, beams
        found = spanned(*self._made_of)
        joints = found.machine.joints
        shapes = [link.shapes for link in found.machine.links if link.shapes is not None]
        self.robot, self.names = robot, found.coordinates
        self.count, self.joints = len(self.names), len(joints)
        self.motors = np.array([joints.index(k) for k in found.machine.driven], dtype=int)
        """Indices of the coordinates of the driven joints."""
        self.at_home = np.array(found.machine.at_home)
        self.moves = np.array(robot.platform.rows, dtype=float)
        """Indices of the platform's degrees of freedom."""
        self.beams = tuple(
            ElasticBeam(
                self.names[start].rpartition(".")[0],
                slice(start, start + n),
                np.array(own.stiffness),
            )
            for (_, start, n), own in zip(found.machine.elastic, shapes, strict=True)
        )
        self.gaps = found.machine.gaps
        """Number of loop-closure rows."""

    @cached_property
    def rigid(self) -> Coordinates:
        """Coordinates of the machine with rigid bearings, which are some of these."""
        firm = self.robot.with_rigid_bearings
        return self if firm == self.robot else Coordinates(firm, self._made_of[1])

    def unstrained(self, rigid: Array) -> Array:
        """Coordinates or rates (n) from those of the machine with rigid bearings."""
        found = np.zeros(self.count)
        found[[self.names.index(name) for name in self.rigid.names]] = rigid
        return found

    def pose(self, z: Array) -> Array:
        """The pose (7) of the platform at z (n)."""
        from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

        position, R, _, _ = self.platform(z)
        x, y, z_, w = Rotation.from_matrix(R).as_quat()
        return np.array([*position, w, x, y, z_])

    def closing(self, z: Array, rate: Array | None = None) -> tuple[Array, Array, Array]:
        """Gaps of the loops, rows C, and their drift κ."""
        if self.gaps:
            gaps, C, drift = self._closing(z, np.zeros_like(z) if rate is None else rate)
            return gaps, C, drift
        none = np.zeros((*z.shape[:-1], 0))
        return none, np.zeros((*none.shape, self.count)), none

    def needed(
        self, z: Array, rate: Array, second: Array, wrench: Array, held: Array
    ) -> tuple[Array, Array]:
        """M z̈ + h, and derivatives of M z̈ + h - Cᵀ λ by z at constant forces λ, of one state."""
        tangent = kernels.tangent_function(*self._made_of).casadi
        needed, slopes = tangent.call([z, rate, second, wrench])
        K = self._square(slopes)
        if self.gaps:
            K -= self._square(kernels.closing_tangent_function(*self._made_of).casadi(z, held))
        return np.array(needed).ravel(), K

    def mass_matrix(self, z: Array) -> Array:
        """M (n, n) [SI] of one state."""
        return self._square(kernels.mass_function(*self._made_of).casadi(z))

    def momentum(self, z: Array) -> Array:
        """Linear and angular momentum (6, n) about the base's origin, by rates, of one state."""
        column = kernels.momentum_function(*self._made_of).casadi(z)
        return np.array(column).reshape(6, self.count)

    def _square(self, column: Value) -> Array:
        return np.array(column).reshape(self.count, self.count)

    def with_motors(self, C: Array) -> Array:
        """Rows C, and those of the locked motors."""
        motors = np.eye(self.count)[self.motors]
        return np.concatenate([C, np.broadcast_to(motors, (*C.shape[:-2], *motors.shape))], axis=-2)

    def platform(self, z: Array, rate: Array | None = None) -> tuple[Array, ...]:
        """The platform's position, rotation, twist by rates, and acceleration at z̈ = 0."""
        return tuple(self._platform(z, np.zeros_like(z) if rate is None else rate))

    @cached_property
    def dynamics(self) -> Kernel:
        """(z, rate, wrench) -> M, h."""
        return kernels.dynamics_kernel(*self._made_of)

    @cached_property
    def energies(self) -> Kernel[tuple[Array, Array, Array]]:
        """(z, rate) -> kinetic, gravitational and elastic energy [J]."""
        return kernels.energy_kernel(*self._made_of)

    @cached_property
    def _closing(self) -> Kernel:
        return kernels.closing_kernel(*self._made_of)

    @cached_property
    def _platform(self) -> Kernel:
        return kernels.platform_kernel(*self._made_of)
