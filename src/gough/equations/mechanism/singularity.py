"""Four quantities that vanish in four kinds of singularity of a machine of any kind.

Pivots of driven joints: serial (type 1), where joint rates grow without bound and beyond which a
leg cannot be assembled. Pivots of passive joints: only these move without bound. The smallest
singular value of the actuation matrix: parallel (type 2), where efforts grow without bound. That of
the constraint matrix: the platform gains a motion beside its moves.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.mechanism.elimination import passive_pivots, serial_pivot
from gough.equations.mechanism.freedom import assembled, constraint_matrix
from gough.equations.mechanism.legs import LegPosture, leg_jacobian
from gough.equations.mechanism.machine import Machine
from gough.equations.spatial.algebra import Value


def serial_pivots(machine: Machine, pose: Value) -> Value:
    """One for each leg with motors: the determinant of what its driven rows see of them."""
    legs = assembled(machine, pose).legs
    return ca.vertcat(*(serial_pivot(leg.rows) for leg in legs if leg.leg.plan.driven))


def passive_pivots_of_legs(machine: Machine, pose: Value) -> Value:
    """One for each group of passive joints, leg by leg: its determinant."""
    return ca.vertcat(*_passive(assembled(machine, pose).legs))


def actuation_matrix(machine: Machine, pose: Value) -> Value:
    """J T (motors, n): the rates of the driven joints by u."""
    at = assembled(machine, pose)
    rates = [leg_jacobian(leg, at.T) for leg in at.legs]
    return ca.vertcat(*(rates[leg][joint] for leg, joint in machine.motors))


def constraints_on_the_rest(machine: Machine, pose: Value) -> Value:
    """K S⊥ᵀ: what the rows that the legs have left over see of what the moves leave out."""
    return constraint_matrix(assembled(machine, pose))


def _passive(legs: Sequence[LegPosture]) -> list[Value]:
    return [pivot for leg in legs for pivot in passive_pivots(leg.rows)]
