"""The equation of motion near a state, for control design: ẋ = A x + B force.

x is what a state differs by: moves δ, so that the platform is displaced by T δ, and u.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.mechanism.coriolis import bracket, moves_of
from gough.equations.mechanism.dynamics import forward_dynamics
from gough.equations.mechanism.kinematics import admissible, moves
from gough.equations.mechanism.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import rate


def linearize(
    machine: Machine, pose: Value, twist: Value, force: Value, wrench: Value
) -> tuple[Value, Value]:
    """A (2n x 2n) and B (2n x motors) of small deviations under constant efforts and wrench.

    pose, twist and force are symbols.
    """
    T = moves(machine, pose)
    V = admissible(machine, pose, twist)
    u_dot = moves_of(machine, forward_dynamics(machine, pose, V, force, wrench))
    by_pose = ca.jacobian(u_dot, pose) @ ca.horzcat(*(rate(pose, t) for t in ca.horzsplit(T)))
    by_u, by_force = ca.jacobian(u_dot, twist) @ T, ca.jacobian(u_dot, force)
    n = T.shape[1]
    carried = -bracket(machine, T, moves_of(machine, twist))  # δ̇ = δu - [u, δ]
    A = ca.blockcat([[carried, ca.DM.eye(n)], [by_pose, by_u]])
    return A, ca.vertcat(ca.DM.zeros(n, force.shape[0]), by_force)
