"""The motors' efforts as a sum over what the bodies weigh: linear in their standard parameters.

All that the bodies do to the efforts goes through their wrenches, and these are linear in mass,
first moment and inertia: so the derivatives of the efforts are exact, and hold for all numbers.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.mechanism.dynamics import inverse_dynamics
from gough.equations.mechanism.machine import Machine
from gough.equations.spatial.algebra import Value

TEN = 10
"""Numbers of a body: its mass, first moment (3), inertia (6)."""


def regressor(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Y (m x p) of efforts = Y · standard parameters: what each adds per unit.

    Ten of each body, the platform first; without an external wrench.
    """
    numbers = ca.SX.sym("standard", TEN * len(machine.description.carried))
    heavy = machine.with_bodies(numbers)
    efforts = inverse_dynamics(heavy, pose, twist, acceleration, ca.DM.zeros(6))
    return ca.densify(ca.jacobian(efforts, numbers))
