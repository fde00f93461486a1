"""A machine with links that bend at a pose, and moving: as if it were rigid, nothing being bent.

Of poses and motions the machine's moves count; what it cannot do beside them follows.
"""

from __future__ import annotations

import numpy as np

from gough import poses
from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.flexible.coordinates import Coordinates
from gough.kinematics.flexible.rows import least

STAGES = 8
"""On the way from home, so that every joint bends as on the drawing."""
STEPS = 20
CLOSED = 1e-11
"""Gaps and ways that count as none [m, rad]."""
IMPOSSIBLE = 1e-6
"""What the joints lack of a motion, beside it."""


def assembled(system: Coordinates, pose: Array) -> Array:
    """The coordinates at a pose, along a straight way from home."""
    home = np.asarray(system.robot.home, dtype=float)
    z = system.rigid.at_home
    for share in np.linspace(0.0, 1.0, STAGES + 1):
        z = _closed(system.rigid, z, poses.interpolate(home, pose, share))
    return system.unstrained(z)


def rigid_motion(
    system: Coordinates, z: Array, twist: Array, acceleration: Array
) -> tuple[Array, Array]:
    """Rates and accelerations of the coordinates as the platform moves, nothing being bent."""
    firm = system.rigid
    at = z[[system.names.index(name) for name in firm.names]]
    rate = _moved(firm, at, np.zeros_like(at), twist, "twist")
    second = _moved(firm, at, rate, acceleration, "acceleration")
    return system.unstrained(rate), system.unstrained(second)


def _closed(system: Coordinates, z: Array, pose: Array) -> Array:
    for _ in range(STEPS):
        gaps, C, _ = system.closing(z)
        _, _, rates, _ = system.platform(z)
        lacking = np.r_[-gaps, system.moves @ poses.difference(pose, system.pose(z))]
        if np.abs(lacking).max() < CLOSED:
            return z
        rows = np.vstack([C, system.moves @ rates])[:, : system.joints]
        z = z.copy()
        z[: system.joints] += least(rows, lacking)
    raise GoughError(
        f"{system.robot.name} does not reach the pose {np.round(pose, 6).tolist()}: "
        f"{np.abs(lacking).max():.2g} m or rad are lacking"
    )


def _moved(system: Coordinates, z: Array, rate: Array, wanted: Array, name: str) -> Array:
    """What the joints do for a motion of the platform: rates, or with rates accelerations."""
    _, C, drift = system.closing(z, rate)
    _, _, rates, platform_drift = system.platform(z, rate)
    rows = np.vstack([C, system.moves @ rates])[:, : system.joints]
    given = np.r_[-drift, system.moves @ (wanted - platform_drift)]
    moved = np.zeros_like(z)
    moved[: system.joints] = least(rows, given)
    lacking = np.abs(rows @ moved[: system.joints] - given).max()
    if lacking > IMPOSSIBLE * max(1.0, np.abs(given).max()):
        raise GoughError(
            f"{system.robot.name} cannot do the {name} {wanted.tolist()}: {lacking:.2g} is lacking"
        )
    return moved
