"""Joint positions of a leg of any kind, by Newton's method in the leg's own rows."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.mechanism import elimination, rows
from gough.equations.mechanism.legs import LegPosture, posture
from gough.equations.mechanism.machine import Leg
from gough.equations.mechanism.rows import Platform
from gough.equations.spatial.algebra import Value


def posture_at(leg: Leg, q: Value, position: Value, rotation: Value) -> LegPosture:
    """A leg at joint positions as the machine's maker counts them [rad, m], closed or not."""
    positions = [joint.position(q[k]) for k, joint in enumerate(leg.joints)]
    return posture(leg, positions, Platform(position, rotation))


def newton_step(at: LegPosture) -> Value:
    """The change of the joint positions [rad, m] that closes the leg to first order."""
    return ca.vertcat(*elimination.solved(at.rows, rows.gaps(at.tips)))


def is_on_branch(at: LegPosture, signs: Sequence[int]) -> Value:
    """Whether the leg's pivots have these signs; of those that change anyway the sign is 0."""
    pairs = zip(elimination.pivots(at.rows), signs, strict=True)
    test: Value = ca.SX(1)
    for pivot, sign in pairs:
        if sign:
            test = ca.logic_and(test, sign * pivot > 0)
    return test
