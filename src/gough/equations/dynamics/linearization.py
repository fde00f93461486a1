"""The equation of motion near a state, for control design: ẋ = A x + B force.

x is what a state differs by: position [m] and rotation vector [rad] of the platform, both in base
axes, and twist. A pose moved by (δp, δθ) is p + δp and exp(δθ) R.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, angular, skew
from gough.equations.spatial.pose import displace

ForwardDynamics = Callable[[Machine, Value, Value, Value, Value], Value]


def linearize(
    forward_dynamics: ForwardDynamics,
    machine: Machine,
    pose: Value,
    twist: Value,
    force: Value,
    wrench: Value,
) -> tuple[Value, Value]:
    """A (12x12) and B (12xn) of small deviations from a state under constant forces."""
    delta = ca.SX.sym("delta", 6)
    moved = displace(pose, delta)
    acceleration = forward_dynamics(machine, moved, twist, force, wrench)
    by_pose = ca.substitute(ca.jacobian(acceleration, delta), delta, ca.DM.zeros(6))
    acceleration = forward_dynamics(machine, pose, twist, force, wrench)
    by_twist, by_force = ca.jacobian(acceleration, twist), ca.jacobian(acceleration, force)
    carried = ca.diagcat(ca.DM(3, 3), skew(angular(twist)))  # δθ̇ = δω + ω x δθ
    A = ca.blockcat([[carried, ca.DM.eye(6)], [by_pose, by_twist]])
    return A, ca.vertcat(ca.DM.zeros(6, force.shape[0]), by_force)
