"""What the joints at a leg's ends add to the stiffness: flexures resist, bearings give way.

Between the joints is a rigid rod of length l, which turns by φ across itself. With the way Y of the
platform joint across the leg and the turn Θ of the platform, both as rotation vectors across it,

    2 energy = (Y - l φ)²/c + k_b φ² + k_p (Θ - φ)²,

c being the compliance of both bearings across the leg. φ is where that is least.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.elastic.springs import JointSprings
from gough.equations.legs.leg import LegPosition, leg_velocity
from gough.equations.machine import Leg
from gough.equations.spatial.algebra import Value, dot, reciprocal, skew


def joint_stiffness(leg: Leg, springs: JointSprings, at: LegPosition) -> Value:
    """A leg's share (6x6) [N/m, N, N m/rad] of a machine's stiffness."""
    k_b, k_p, c = springs.base_bending, springs.platform_bending, springs.radial
    Y = skew(at.s) @ ca.horzcat(ca.DM.eye(3), -skew(at.b))
    theta = ca.horzcat(ca.DM.zeros(3, 3), ca.DM.eye(3) - at.s @ at.s.T)
    by_all = reciprocal(at.l**2 + c * (k_b + k_p))
    crossed = at.l * k_p * by_all * (Y.T @ theta)
    bent = (k_b + k_p) * by_all * (Y.T @ Y) - crossed - crossed.T
    bent += k_p * (at.l**2 + c * k_b) * by_all * (theta.T @ theta)
    twisted = _twist(leg, at)
    return bent + springs.torsion * (twisted.T @ twisted)


def _twist(leg: Leg, at: LegPosition) -> Value:
    """By how much the platform turns about the leg, against the leg itself (1x6)."""
    step = ca.SX.sym("step", 6)
    against = dot(at.s, step[3:6] - leg_velocity(leg, at, step).omega)
    return ca.jacobian(against, step)
