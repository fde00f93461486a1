"""Coriolis matrix of a parallel robot, in the coordinates u.

The velocity terms c(u) = C u are the derivative ∇_u u of u along itself, in the geometry whose
metric is M. Because ∇_u e - ∇_e u = [u, e] and ∇_u e + ∇_e u = ∂c/∂u e,

    C e = ∇_u e = (∂c/∂u e + M [u, e]) / 2

is the one matrix with Ṁ - 2C skew that belongs to a torsion-free connection. The bracket of the
columns of T is that of rotations alone: S T = 1 is constant, and translations commute.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.dynamics import default
from gough.equations.machine import Machine, short
from gough.equations.mechanism.dynamics import bias, mass_matrix
from gough.equations.mechanism.frame_convention import in_machine_axes
from gough.equations.mechanism.kinematics import moves
from gough.equations.spatial.algebra import Value, angular, skew


@short(default.coriolis_matrix)
def coriolis_matrix(machine: Machine, pose: Value, twist: Value) -> Value:
    """C (n, n) with C u + gravity = bias and Ṁ - 2C skew, u = S · twist."""
    T, u = moves(machine, pose), ca.SX.sym("u", machine.freedom.S.shape[0])
    by_u = ca.jacobian(bias(machine, pose, T @ u), u)
    now = moves_of(machine, twist)
    M = mass_matrix(machine, pose)
    return (ca.substitute(by_u, u, now) + M @ bracket(machine, T, now)) / 2


def moves_of(machine: Machine, twist: Value) -> Value:
    """u = S · twist, n x 1."""
    return machine.freedom.S @ in_machine_axes(machine, twist)


def bracket(machine: Machine, T: Value, u: Value) -> Value:
    """[u, ·], n x n: by how much u after e differs from e after u, for moves T in base axes."""
    turns = ca.vertcat(ca.DM.zeros(3, T.shape[1]), -skew(angular(T @ u)) @ T[3:6, :])
    return moves_of(machine, turns)
