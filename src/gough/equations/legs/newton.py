"""Newton's method for the pose at given leg lengths: one step.

It lives in the tangent space at the present pose, so no attitude is special.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.legs.closure import inverse_kinematics, jacobian_row
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.legs.leg import leg_position
from gough.equations.solvers.elimination import Factors, factorise, solve
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import normalised, nudge


def step(machine: ExtensibleLegs, pose: Value, q: Value) -> Value:
    """The step J⁻¹ (q - l) towards leg lengths q."""
    return newton_step(machine, pose, q)[0]


def newton_step(machine: ExtensibleLegs, pose: Value, q: Value) -> tuple[Value, Factors]:
    """The step J⁻¹ (q - l) towards leg lengths q, and the factors of J [Kalani 2016 (67)-(69)]."""
    l, factors = _linearised(machine, pose)
    return solve(factors, q - l), factors


def third_order_step(machine: ExtensibleLegs, pose: Value, q: Value) -> tuple[Value, Factors]:
    """A step that uses J twice, for convergence of third order, and the factors of J.

    Darvishi and Barati's method, as in [Kalani 2016 (71)-(73)], in coordinates about the pose.
    """
    l, factors = _linearised(machine, pose)
    newton = solve(factors, q - l)
    l_new = inverse_kinematics(machine, normalised(nudge(pose, newton)))  # at X* of Kalani (72)
    return newton + solve(factors, q - l_new), factors  # Kalani (71)


def _linearised(machine: ExtensibleLegs, pose: Value) -> tuple[Value, Factors]:
    legs = [leg_position(leg, pose) for leg in machine.legs]
    J = ca.vertcat(*(jacobian_row(at) for at in legs))
    return ca.vertcat(*(at.l for at in legs)), factorise(J)
