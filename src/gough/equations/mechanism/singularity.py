"""Four quantities that vanish in four kinds of singularity of a machine of any kind.

Pivots of driven joints: serial (type 1), where joint rates grow without bound and beyond which a
leg cannot be assembled. Pivots of passive joints: only these move without bound. The smallest
singular value of the actuation matrix: parallel (type 2), where efforts grow without bound. That of
the constraint matrix: the platform gains a motion beside its moves.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.mechanism import elimination, freedom
from gough.equations.mechanism.freedom import assembled
from gough.equations.mechanism.legs import leg_jacobian
from gough.equations.mechanism.machine import Machine
from gough.equations.spatial.algebra import Value


def serial_pivots(machine: Machine, pose: Value) -> Value:
    """One for each leg with motors: the determinant of what its driven rows see of them."""
    legs = assembled(machine, pose).legs
    return ca.vertcat(*(elimination.serial_pivot(leg.rows) for leg in legs if leg.leg.plan.driven))


def passive_pivots(machine: Machine, pose: Value) -> Value:
    """One for each group of passive joints, leg by leg: its determinant."""
    legs = assembled(machine, pose).legs
    return ca.vertcat(*(pivot for leg in legs for pivot in elimination.passive_pivots(leg.rows)))


def actuation_matrix(machine: Machine, pose: Value) -> Value:
    """J T (motors, n): the rates of the driven joints by u."""
    at = assembled(machine, pose)
    rates = [leg_jacobian(leg, at.T) for leg in at.legs]
    return ca.vertcat(*(rates[leg][joint] for leg, joint in machine.motors))


def constraint_matrix(machine: Machine, pose: Value) -> Value:
    """K S⊥ᵀ (6 - n, 6 - n): what the rows left over see of what the moves leave out."""
    return freedom.constraint_matrix(assembled(machine, pose))
