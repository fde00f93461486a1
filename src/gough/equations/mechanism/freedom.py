"""Admissible motion of the platform: V = T u, V̇ = T u̇ + Ṫ u [Briot & Khalil 2021 (1), (18)].

Their Ψ is T. The platform constraints of the legs are K V = 0, K V̇ + κ = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.mechanism import elimination, rows
from gough.equations.mechanism.bodies import ZERO
from gough.equations.mechanism.frame_convention import less_gravity, platform_at
from gough.equations.mechanism.legs import LegPosture, leg_motion, leg_postures
from gough.equations.mechanism.rows import PlatformPlacement, Twist
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Assembled:
    """A machine at a pose: its platform, its legs, and its moves T, 6 x n, in its own axes."""

    machine: Machine
    platform: PlatformPlacement
    legs: list[LegPosture]
    T: Value


def count(machine: Machine) -> int:
    """Return the number of degrees of freedom of a machine."""
    return int(machine.freedom.S.shape[0])


def assembled(machine: Machine, pose: Value) -> Assembled:
    """A machine at a pose."""
    platform = platform_at(machine, pose)
    legs = leg_postures(machine, platform)
    return Assembled(machine, platform, legs, twist_basis(machine, legs))


def twist_basis(machine: Machine, legs: Sequence[LegPosture]) -> Value:
    """T of V = T u, 6 x n, where the legs are."""
    freedom = machine.freedom
    if freedom.T is not None:
        return freedom.T
    outside, K = freedom.outside, _constraints(legs)
    return freedom.inside - outside.T @ solve(K @ outside.T, K @ freedom.inside)


def constraint_matrix(at: Assembled) -> Value:
    """Return K S⊥ᵀ: the platform constraints over the complement of the rows of S."""
    return _constraints(at.legs) @ at.machine.freedom.outside.T


def platform_bias_acceleration(at: Assembled, twist: Twist) -> Twist:
    """Ṫ u: the acceleration at u̇ = 0, less gravity."""
    machine, outside = at.machine, at.machine.freedom.outside
    rest = less_gravity(machine, Twist(ZERO, ZERO))
    if machine.freedom.T is not None:
        return rest
    kappa = ca.vertcat(*(_drifts(leg, twist, rest, machine.gravity) for leg in at.legs))
    V_dot = -outside.T @ solve(constraint_matrix(at), kappa)
    return less_gravity(machine, Twist(V_dot[0:3], V_dot[3:6]))


def _constraints(legs: Sequence[LegPosture]) -> Value:
    """K of K V = 0."""
    return ca.vertcat(*(_constraint(at, row) for at in legs for row in at.leg.plan.left))


def _constraint(at: LegPosture, row: int) -> Value:
    return rows.wrench_of(at.tips, elimination.left_over(at.rows, row)).T


def _drifts(at: LegPosture, twist: Twist, rest: Twist, gravity: Value) -> Value:
    """Return κ of a leg's platform constraints: their acceleration at V̇ = 0."""
    if not at.leg.plan.left:
        return ca.DM(0, 1)
    motion = leg_motion(at, twist, rest, gravity)
    gaps = rows.accelerated(at.tips, motion.links, motion.q_dot, twist, rest)
    return ca.vertcat(*(gaps[row] for row in at.leg.plan.left))
