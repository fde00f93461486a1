"""What drives must be told so that the driven joints get the forces that they need."""

from __future__ import annotations

from collections.abc import Sequence

from gough.equations.actuators.drive import Drive, reflected_damping, reflected_mass
from gough.equations.spatial.algebra import Value, vector


def through_drives(
    drives: Sequence[Drive] | None, force: Value, q_dot: Value, q_ddot: Value
) -> Value:
    """force + b q̇ + m_r q̈ (n) [N, N m]: forces on joints that move so, and what turns the drives.

    Dry friction and a screw's efficiency are left out: they jump where a joint turns round. Without
    drives the forces are the joints' own.
    """
    if drives is None:
        return force
    b = vector(*(reflected_damping(d) for d in drives))
    m_r = vector(*(reflected_mass(d) for d in drives))
    return force + b * q_dot + m_r * q_ddot
