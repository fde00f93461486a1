"""A flexible platform: joints displaced against its frame, and natural modes.

Its matrices are those of finite elements. The floating frame is the platform's own. Its inertia is
that of the undeformed platform: accelerations deform it, angular velocities do not.
"""

from dataclasses import dataclass
from typing import Self

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.flexible.machine import Shapes
from gough.robot import PLATFORM, Mechanism


@dataclass(frozen=True, eq=False)
class FlexiblePlatform:
    """Matrices [SI] of n coordinates: three of each joint, in the platform's axes, then modes."""

    names: tuple[str, ...]
    stiffness: Array
    mass: Array
    momentum: Array  # linear and angular (6, n) about the frame's origin, by the coordinates' rates
    ways: dict[str, Array]  # displacement (3, n) of each joint, by name

    @classmethod
    def of(cls, mechanism: Mechanism) -> Self | None:
        """Return the platform of a robot, if it has a mass of its own."""
        given = getattr(mechanism, "flexibility", None)
        if given is None or given.platform_modes is None:
            return None
        M, squares = np.array(given.platform_modes.mass), given.platform_modes.frequencies
        joints, count = np.linalg.inv(np.array(given.platform)), len(squares)
        stiffness = np.diag([0.0] * len(joints) + [(2 * np.pi * f) ** 2 for f in squares])
        stiffness[: len(joints), : len(joints)] = joints
        held = [joint.name for joint in mechanism.joints if PLATFORM in joint.between]
        units = np.eye(len(stiffness))
        names = (f"{joint} {axis}" for joint in held for axis in "xyz")
        return cls(
            (*names, *(f"inner mode {k + 1}" for k in range(count))),
            stiffness,
            M[6:, 6:],
            M[:6, 6:],
            {name: units[3 * k : 3 * k + 3] for k, name in enumerate(held)},
        )

    @property
    def damping(self) -> Array:
        """Zero."""
        return np.zeros_like(self.stiffness)

    def shapes(self, R: Array) -> Shapes:
        """Return its shapes in axes into which R rotates the platform's own."""
        linear, angular = ca.DM(R @ self.momentum[:3]), ca.DM(R @ self.momentum[3:])
        turning = tuple(-ca.skew(column) / 2 for column in ca.horzsplit(angular))  # ∫ r₀ x Φ dm
        count, K, M = len(self.names), ca.DM(self.stiffness), ca.DM(self.mass)
        none, undamped, still = ca.DM(3, 3), ca.DM(count, count), ca.DM(3, count)
        products = ((none,) * count,) * count
        return Shapes(K, undamped, linear, turning, products, M, ca.DM.zeros(3), still, still)
