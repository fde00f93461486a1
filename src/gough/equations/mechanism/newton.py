"""Joint positions of a leg of any kind, by Newton's method in the leg's own rows."""

from __future__ import annotations

import casadi as ca

from gough.equations.mechanism import elimination
from gough.equations.mechanism.legs import posture
from gough.equations.mechanism.machine import Leg
from gough.equations.mechanism.rows import Platform
from gough.equations.spatial.algebra import Value


def newton_step(leg: Leg, q: Value, position: Value, rotation: Value) -> tuple[Value, Value]:
    """Better joint positions, and the largest change [rad, m]."""
    at = posture(leg, positions_at(leg, q), Platform(position, rotation))
    gaps = [row.gap for held in at.tips for row in held.rows]
    step = ca.vertcat(*elimination.solved(at.rows, gaps))
    return q + step, ca.mmax(ca.fabs(step))


def positions_at(leg: Leg, q: Value) -> list[Value]:
    """Positions of a leg's joints from what the machine's maker calls them [rad, m]."""
    return [joint.position(q[k]) for k, joint in enumerate(leg.joints)]
