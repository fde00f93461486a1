"""The equation of motion near a state, for control design: ẋ = A x + B force.

x is what a state differs by: moves δ, so that the platform is displaced by T δ, and u. What a state
asks for is differentiated, not what follows from it: M δu̇ = J_uᵀ δforce - ∂f/∂δ δ - ∂f/∂u δu, where
f(δ, u, u̇) is the motion's required force, with that of viscous damping and springs of the joints,
less those of efforts and wrench. Dry friction has no derivative at rest, and is left out.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from gough.equations.closure.assembled import assembled, in_machine_axes, platform_bias_acceleration
from gough.equations.closure.constraint_rows import Twist
from gough.equations.dynamics.formulation import NO_WRENCH
from gough.equations.forces import dynamics
from gough.equations.forces.friction import joint_wrench, without_dry_friction
from gough.equations.forces.joint_loads import joint_loads
from gough.equations.machine import Machine
from gough.equations.motion.kinematics import (
    actuation_matrix,
    admissible,
    independent_velocities,
    twist_basis,
)
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial.algebra import Value, derivative
from gough.equations.spatial.pose import rate


def linearize(
    machine: Machine, pose: Value, twist: Value, force: Value, wrench: Value
) -> tuple[Value, Value]:
    """A (2n x 2n) and B (2n x motors) of small deviations under constant efforts and wrench.

    With damping and springs of the joints as far as the robot file states them; dry friction, which
    has no derivative at rest, is left out, and the efforts are those beside it.
    """
    machine = without_dry_friction(machine)
    T, u = twist_basis(machine, pose), independent_velocities(machine, twist)
    n, m = T.shape[1], force.shape[0]
    x, y, y_dot = ca.SX.sym("pose", 7), ca.SX.sym("u", n), ca.SX.sym("u_dot", n)
    lacking = _lacking(machine, x, y, y_dot, force, wrench)
    along = ca.horzcat(*(rate(pose, column) for column in ca.horzsplit(T)))
    derivatives = ca.horzcat(ca.jtimes(lacking, x, along), ca.jacobian(lacking, y))
    V = admissible(machine, pose, twist)
    loaded = wrench + joint_wrench(machine, pose, V)
    u_dot = independent_velocities(
        machine, dynamics.forward_dynamics(machine, pose, V, force, loaded)
    )
    now = ca.substitute(derivatives, ca.vertcat(x, y, y_dot), ca.vertcat(pose, u, u_dot))
    by_all = ca.horzcat(-now, actuation_matrix(machine, pose).T)
    changes = solve_symmetric(dynamics.mass_matrix(machine, pose), by_all)
    carried = ca.horzcat(-dynamics.bracket(machine, T, u), ca.DM.eye(n))  # δ̇ = δu - [u, δ]
    A = ca.vertcat(carried, changes[:, : 2 * n])
    return A, ca.vertcat(ca.DM.zeros(n, m), changes[:, 2 * n :])


def geometric_stiffness(machine: Machine, pose: Value, force: Value) -> Value:
    """∂f/∂δ of a machine at rest (n x n): how what weights ask for beyond these efforts changes."""
    machine = replace(machine, frictions=(), flexures=())
    T = twist_basis(machine, pose)
    still = ca.DM.zeros(T.shape[1])
    along = ca.horzcat(*(rate(pose, column) for column in ca.horzsplit(T)))
    return derivative(lambda x: _lacking(machine, x, still, still, force, NO_WRENCH), pose, along)


def _lacking(
    machine: Machine, pose: Value, u: Value, u_dot: Value, force: Value, wrench: Value
) -> Value:
    """f: what a motion asks for beyond these efforts and this wrench, n x 1."""
    at = assembled(machine, pose)
    V, driven = Twist.of(at.T @ u), Twist.of(at.T @ u_dot)
    bias_part = platform_bias_acceleration(at, V)
    V_dot = Twist(driven.v + bias_part.v, driven.omega + bias_part.omega)
    required = dynamics.required_force(at, V, V_dot, joint_loads(at, V))
    given = at.T.T @ in_machine_axes(machine, wrench)
    return required - actuation_matrix(machine, pose).T @ force - given
