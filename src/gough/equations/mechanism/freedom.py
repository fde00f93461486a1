"""What the platform can do: V = T u, and V̇ = T u̇ + Ṫ u [Briot & Khalil 2021 (1), (18)].

Their Ψ is T. Rows that the legs have left over say what it cannot do: K V = 0, K V̇ + κ = 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.mechanism import elimination, rows
from gough.equations.mechanism.legs import LegMotion, LegPosture, leg_motion
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.rows import Twist
from gough.equations.mechanism.stance import less_gravity
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value

REST = Twist(ca.DM.zeros(3), ca.DM.zeros(3))


def moves(machine: Machine, legs: Sequence[LegPosture]) -> Value:
    """T, 6 x n, in the machine's axes."""
    freedom = machine.freedom
    if freedom.T is not None:
        return freedom.T
    S, outside, K = freedom.S, freedom.outside, constraints(legs)
    return S.T - outside.T @ solve(K @ outside.T, K @ S.T)


def constraints(legs: Sequence[LegPosture]) -> Value:
    """K of K V = 0: the rows that the legs have left over."""
    return ca.vertcat(*(_row(at, row) for at in legs for row in at.leg.plan.left))


def _row(at: LegPosture, row: int) -> Value:
    return rows.wrench_of(at.tips, elimination.left_over(at.rows, row)).T


def coasting(machine: Machine, legs: Sequence[LegPosture], twist: Twist) -> Twist:
    """Ṫ u: the acceleration at u̇ = 0, less gravity."""
    rest = less_gravity(machine, REST)
    if machine.freedom.T is not None:
        return rest
    outside = machine.freedom.outside
    kappa = [
        weighted
        for at in legs
        for weighted in _leftover_drifts(at, twist, rest, machine.gravity)
    ]
    V_dot = -outside.T @ solve(constraints(legs) @ outside.T, ca.vertcat(*kappa))
    return less_gravity(machine, Twist(V_dot[0:3], V_dot[3:6]))


def _leftover_drifts(
    at: LegPosture, twist: Twist, rest: Twist, gravity: Value
) -> list[Value]:
    """κ of a leg's left-over rows, under which V̇ = 0 leaves a gap: what outruns what."""
    if not at.leg.plan.left:
        return []
    motion: LegMotion = leg_motion(at, twist, rest, gravity)
    gaps = rows.accelerated(at.tips, motion.links, motion.q_dot, twist, rest)
    return [gaps[row] for row in at.leg.plan.left]
