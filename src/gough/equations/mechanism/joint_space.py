"""Dynamics of a machine of any kind on its motors' coordinates, where they are as many as u.

    M_q q̈ + C_q q̇ + G_q = force + J_u⁻ᵀ Tᵀ wrench,  q̇ = J_u u

None of this exists where J_u is singular: in a parallel singularity.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from gough.equations.mechanism.coriolis import coriolis_matrix
from gough.equations.mechanism.dynamics import inverse_dynamics, mass_matrix
from gough.equations.mechanism.kinematics import admissible, jacobian
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.singularity import actuation_matrix
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.pose import rate

STILL = ca.DM.zeros(6)


def joint_mass_matrix(machine: Machine, pose: Value) -> Value:
    """M_q (n, n): the mass that the motors feel."""
    direct = _direct(machine, pose)
    return direct.T @ mass_matrix(machine, pose) @ direct


def joint_coriolis_matrix(machine: Machine, pose: Value, twist: Value) -> Value:
    """C_q (n, n), with d/dt M_q - 2 C_q skew."""
    direct = _direct(machine, pose)
    J_dot = _rate(actuation_matrix, machine, pose, twist)
    M, C = mass_matrix(machine, pose), coriolis_matrix(machine, pose, twist)
    return direct.T @ (C - M @ direct @ J_dot) @ direct


def joint_gravity(machine: Machine, pose: Value) -> Value:
    """G_q (motors): efforts that hold the machine still; of least squares if it has more motors."""
    return inverse_dynamics(machine, pose, STILL, STILL, STILL)


def jacobian_rate(machine: Machine, pose: Value, twist: Value) -> Value:
    """J̇ (motors, 6): q̈ = J · acceleration + J̇ · twist, for motions that the machine can do."""
    return _rate(jacobian, machine, pose, twist)


def _direct(machine: Machine, pose: Value) -> Value:
    """J_u⁻¹, from the motors' rates to u."""
    J = actuation_matrix(machine, pose)
    return solve(J, ca.DM.eye(J.shape[0]))


def _rate(
    of_pose: Callable[[Machine, Value], Value], machine: Machine, pose: Value, twist: Value
) -> Value:
    """The time derivative of what a pose determines; first derivatives of all legs are exact."""
    x = ca.SX.sym("pose", 7)
    x_dot = rate(pose, admissible(machine, pose, twist))
    return ca.substitute(ca.jtimes(of_pose(machine, x), x, x_dot), x, pose)
