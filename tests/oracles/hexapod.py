"""A hexapod and its state as plain NumPy arrays, and where its legs point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.spatial.transform import Rotation


@dataclass(frozen=True)
class Body:
    """Mass [kg], mass centre [m], 3x3 inertia about it [kg m^2].

    The platform's mass centre is a vector in its own frame. A cylinder's is a distance along the
    leg from the base joint, a piston's a distance back from the platform joint; their inertias
    are on the leg's axes.
    """

    mass: float
    center_of_mass: Any
    inertia: np.ndarray


@dataclass(frozen=True)
class LegData:
    """Joint centres in the base and the platform frame [m], and the two parts between them.

    `first_axis` is a unit vector in base axes; None for an SPS leg.
    """

    kind: Literal["UPS", "SPS"]
    base: np.ndarray
    platform: np.ndarray
    first_axis: np.ndarray | None
    cylinder: Body
    piston: Body

    def axes(self, s: np.ndarray) -> np.ndarray:
        """Return the leg's x, y, z = s as columns of a rotation; an SPS leg's x is any across s."""
        if self.kind == "SPS":
            return frame_along(s)
        x = _unit(np.cross(self.first_axis, s))
        return np.column_stack([x, np.cross(s, x), s])

    def universal_joint_angles(self, axes: np.ndarray) -> tuple[float, float]:
        """Return the γ about the first axis and ψ about x that turn a UPS leg to these axes.

        axes = foot Rz(γ) Rx(ψ), where foot = frame_along(first_axis), and 0 < ψ < π.
        """
        turned = frame_along(self.first_axis).T @ axes
        return np.arctan2(turned[1, 0], turned[0, 0]), np.arctan2(turned[2, 1], turned[2, 2])


@dataclass(frozen=True)
class HexapodData:
    """Gravity [m/s^2] in base axes, the platform and the legs."""

    gravity: np.ndarray
    platform: Body
    legs: tuple[LegData, ...]

    @classmethod
    def from_machine(cls, machine: Any) -> HexapodData:
        """Take `gough.equations.legs.extensible.ExtensibleLegs` of numbers (CasADi DM)."""
        legs = tuple(
            LegData(
                "UPS" if leg.base_joint.spins else "SPS",
                _vector(leg.base),
                _vector(leg.platform),
                _unit(_vector(leg.base_joint.first_axis)) if leg.base_joint.spins else None,
                _leg_part(leg.cylinder),
                _leg_part(leg.piston),
            )
            for leg in machine.legs
        )
        p = machine.platform
        platform = Body(float(p.mass), _vector(p.center_of_mass), np.array(p.inertia))
        return cls(_vector(machine.gravity), platform, legs)

    def leg_spans(self, pose: np.ndarray) -> np.ndarray:
        """Return the vectors from base joint to platform joint, base axes [m]: one row per leg."""
        R = rotation(pose)
        return np.array([pose[:3] + R @ leg.platform - leg.base for leg in self.legs])


@dataclass(frozen=True)
class State:
    """A moving platform: pose (x y z qw qx qy qz), twist and acceleration [v; ω], wrench [f; n].

    All in base axes; the wrench is what the world does to the platform, about its frame's origin.
    """

    pose: np.ndarray
    twist: np.ndarray
    acceleration: np.ndarray
    wrench: np.ndarray


def rotation(pose: np.ndarray) -> np.ndarray:
    """Return the rotation matrix from platform to base axes."""
    return Rotation.from_quat(scalar_last_quaternion(pose)).as_matrix()


def scalar_last_quaternion(pose: np.ndarray) -> np.ndarray:
    """Return the attitude as a unit quaternion in the order x y z w."""
    return _unit(np.roll(pose[3:7], -1))


def frame_along(z: np.ndarray) -> np.ndarray:
    """Return a rotation matrix whose third column is the unit vector z."""
    x = _unit(np.cross(np.eye(3)[np.argmin(np.abs(z))], z))
    return np.column_stack([x, np.cross(z, x), z])


def skew(a: np.ndarray) -> np.ndarray:
    """Return the matrix S of the vector product: S b = a x b."""
    return np.cross(np.eye(3), a)


def spinnable_inertia(leg: LegData) -> np.ndarray:
    """Return the cylinder's inertia; in an SPS leg, with something to turn about the axis.

    Between two ball joints a leg may spin freely, and a leg without axial inertia would then have
    an undetermined spin acceleration. Its axial inertia may be anything, though. All forces on an
    axisymmetric leg meet its axis, so its spin rate keeps the value it has, zero; and the axial
    inertia enters the motion only multiplied by the spin and its rate. (A universal joint instead
    of the ball would force a spin on the leg, and then the axial inertia would matter.)
    """
    if leg.kind == "UPS" or leg.cylinder.inertia[2, 2] > 0:
        return leg.cylinder.inertia
    radial = leg.cylinder.inertia[0, 0]
    return np.diag([radial, radial, radial if radial > 0 else 1.0])


def _unit(a: np.ndarray) -> np.ndarray:
    return a / np.linalg.norm(a)


def _vector(value: Any) -> np.ndarray:
    return np.array(value, dtype=float).reshape(3)


def _leg_part(part: Any) -> Body:
    return Body(float(part.mass), float(part.center_of_mass), np.array(part.inertia, dtype=float))
