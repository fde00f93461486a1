"""Newton's steps of a leg in its own rows, and the straight path from home to a pose."""

from __future__ import annotations

import casadi as ca

from gough.equations.machine import Leg
from gough.equations.mechanism import elimination, rows
from gough.equations.mechanism.legs import LegPosture, posture
from gough.equations.mechanism.rows import PlatformPlacement
from gough.equations.spatial.algebra import Value, norm, position, quaternion, vector
from gough.equations.spatial.algebra import rotation as matrix_of

SINGULAR = 1e-9
"""Size of a pivot at home below which its sign does not determine a branch."""


def posture_at(leg: Leg, q: Value, position: Value, rotation: Value) -> LegPosture:
    """A leg at joint positions as the machine's maker counts them [rad, m], closed or not."""
    positions = [joint.position(q[k]) for k, joint in enumerate(leg.joints)]
    return posture(leg, positions, PlatformPlacement(position, rotation))


def newton_step(at: LegPosture) -> Value:
    """The change of the joint positions [rad, m] that closes the leg to first order."""
    return ca.vertcat(*elimination.solved(at.rows, rows.gaps(at.tips)))


def same_side(at: LegPosture, home: LegPosture) -> Value:
    """Whether the leg's pivots have the signs that they have at home, where they do not vanish.

    A branch has met another one where they change. Of a leg with more rows than joints they tell
    nothing: rows that were chosen may be singular where all of them are not.
    """
    if len(at.rows.A) > len(at.leg.joints):
        return ca.SX(1)
    pairs = zip(elimination.pivots(at.rows), elimination.pivots(home.rows), strict=True)
    test: Value = ca.SX(1)
    for here, there in pairs:
        test = ca.logic_and(test, ca.logic_or(here * there > 0, ca.fabs(there) < SINGULAR))
    return test


def relative_pose(home: PlatformPlacement, position: Value, rotation: Value) -> Value:
    """The platform's way from home, and its turn from there as a quaternion of some length.

    Its length vanishes at half a turn, which is one to either side.
    """
    E = home.rotation.T @ rotation
    turn = vector(1 + ca.trace(E), E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1])
    return ca.vertcat(position - home.position, turn)


def part_of_the_way(home: PlatformPlacement, pose: Value, share: Value) -> tuple[Value, Value]:
    """Position and rotation on the straight way from home to a relative pose; share 1 is there."""
    turn = quaternion(pose)
    blend = ca.vertcat((1 - share) * norm(turn) + share * turn[0], share * turn[1:4])
    return (
        home.position + share * position(pose),
        home.rotation @ matrix_of(ca.vertcat(position(pose), blend)),
    )
