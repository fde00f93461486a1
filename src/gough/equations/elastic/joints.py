"""What the joints at a leg's ends add to the stiffness: flexures resist, bearings give way.

Between the joints is a rigid rod of length l, which turns by φ across itself. With the way Y of the
platform joint across the leg and the turn Θ of the platform, both as rotation vectors across it,

    2 energy = (Y - l φ)²/c + k_b φ² + k_p (Θ - φ)²,

c being the compliance of both bearings across the leg. φ is where that is least.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.elastic.frames import JointMotion
from gough.equations.elastic.springs import JointSprings
from gough.equations.legs.base_joint import angular_velocity
from gough.equations.legs.leg import LegPosition
from gough.equations.machine import Leg
from gough.equations.spatial.algebra import Value, angular, dot, linear, reciprocal, skew


def joint_stiffness(leg: Leg, springs: JointSprings, at: LegPosition, motion: JointMotion) -> Value:
    """A leg's share (nxn) [N/m, N, N m/rad] of a machine's stiffness."""
    k_b, k_p, c = springs.base_bending, springs.platform_bending, springs.radial
    P, by_all = ca.DM.eye(3) - at.s @ at.s.T, reciprocal(at.l**2 + c * (k_b + k_p))
    crossed = at.l * k_p * by_all * (motion.way.T @ skew(at.s) @ motion.turn)  # Yᵀ Θ = -wayᵀ s x Θ
    bent = (k_b + k_p) * by_all * (motion.way.T @ P @ motion.way) + crossed + crossed.T
    bent += k_p * (at.l**2 + c * k_b) * by_all * (motion.turn.T @ P @ motion.turn)
    twisted = _twist(leg, at) @ ca.vertcat(motion.way, motion.turn)
    return bent + springs.torsion * (twisted.T @ twisted)


def _twist(leg: Leg, at: LegPosition) -> Value:
    """By how much the platform joint turns about the leg, against the leg itself (1x6)."""
    step = ca.SX.sym("step", 6)
    s_dot = (linear(step) - dot(at.s, linear(step)) * at.s) * at.inverse_l
    against = dot(at.s, angular(step) - angular_velocity(leg.base_joint, at.s, s_dot))
    return ca.jacobian(against, step)
