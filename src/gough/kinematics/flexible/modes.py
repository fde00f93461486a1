"""Modes of a machine with links that bend: whether its platform moves or its links swing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.kinematics.flexible.coordinates import Coordinates
from gough.robot import Mechanism
from gough.shown.brief import brief


@dataclass(frozen=True)
class FlexibleModes:
    """How a machine vibrates about a pose: small, undamped, lowest frequency first."""

    robot: Mechanism
    pose: Array
    """(7) of the platform, as loads bend the machine."""
    coordinates: tuple[str, ...]
    """Names of z: of joints, and of each beam's elastic coordinates."""
    frequencies: Array
    """(k) [Hz]; negative where the machine gives way, as e^(2π |f| t)."""
    shapes: Array
    """(k, n) a row for each mode, in z, of unit modal mass."""
    platform: Array
    """(k) the platform's share of a mode's kinetic energy; the rest is that of the links."""
    beams: tuple[str, ...]
    bending: Array
    """(k, beams) each beam's share of the energy of all that bend; zero where none does."""

    __repr__ = brief

    @property
    def moving(self) -> tuple[tuple[str, float], ...]:
        """What has most of each mode's kinetic energy, platform or links, and its share."""
        return tuple(
            ("platform", float(share)) if share >= 0.5 else ("links", 1.0 - float(share))
            for share in self.platform
        )

    @property
    def bent(self) -> tuple[tuple[str, float], ...]:
        """Which beam bends most in each mode, and its share; no name where none does."""
        by_name = [dict(zip(self.beams, shares.tolist(), strict=True)) for shares in self.bending]
        return tuple(
            max(shares.items(), key=lambda share: share[1]) if any(shares.values()) else ("", 0.0)
            for shares in by_name
        )


def flexible_modes(
    system: Coordinates, z: Array, pose: Array, frequencies: Array, shapes: Array
) -> FlexibleModes:
    """What moves in modes (n, k) about coordinates z (n)."""
    _, R, rates, _ = system.platform(z)
    names, strained = [], []
    for name, places, K in system.beams:
        eta = shapes[places]
        names.append(name)
        strained.append(np.sum(eta * (K @ eta), axis=0))
    energy = np.reshape(strained, (len(names), len(frequencies))).T
    total = energy.sum(axis=1, keepdims=True)
    return FlexibleModes(
        system.robot,
        pose,
        system.names,
        frequencies,
        shapes.T,
        _kinetic(system.robot, R, rates @ shapes),
        tuple(names),
        np.divide(energy, total, out=np.zeros_like(energy), where=total > 0),
    )


def _kinetic(robot: Mechanism, R: Array, twists: Array) -> Array:
    """Twice the platform's kinetic energy (k) [J] at twists (6, k), which is its share."""
    body = robot.platform
    omega = twists[3:].T
    v = twists[:3].T + np.cross(omega, R @ np.array(body.center_of_mass))
    spun = omega @ (R @ np.array(body.inertia) @ R.T)
    return np.asarray(body.mass * np.sum(v * v, axis=1) + np.sum(omega * spun, axis=1))
