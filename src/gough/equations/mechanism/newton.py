"""Joint positions of a leg of any kind, by Newton's method in the leg's own rows."""

from __future__ import annotations

import casadi as ca

from gough.equations.mechanism import elimination, tree
from gough.equations.mechanism.legs import posture
from gough.equations.mechanism.machine import Leg
from gough.equations.mechanism.rows import Platform
from gough.equations.spatial.algebra import Value


def newton_step(leg: Leg, q: Value, position: Value, rotation: Value) -> tuple[Value, Value]:
    """Better joint positions, and the largest change [rad, m]."""
    at = posture(leg, tree.positions(leg.joints, q), Platform(position, rotation))
    gaps = ca.vertsplit(ca.vertcat(*(held.gap for held in at.tips)))
    step = ca.vertcat(*elimination.solved(at.rows, gaps))
    return q + step, ca.mmax(ca.fabs(step))
