"""The explicit equations of motion in Euler coordinates X = [x y z, three angles], 6x1.

    M(X) Ẍ + C(X, Ẋ) Ẋ + G(X) = J(X)ᵀ force + T(X)ᵀ wrench

This is the form of Oftadeh 2010 (1) and Bingul 2012 (41), for any of the 24 Euler sequences: the
papers' own angles are one choice each. It comes from the equations in twist coordinates by
twist = T Ẋ with T = diag(1, E), and keeps Ṁ - 2C skew. Near attitudes where E is singular its
mass matrix is too: simulate in twist coordinates instead.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.dynamics import default
from gough.equations.legs import closure
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.spatial import attitude
from gough.equations.spatial.algebra import Value


def pose(sequence: str, X: Value) -> Value:
    """The pose, 7x1, of Euler coordinates."""
    return ca.vertcat(X[0:3], attitude.euler_quaternion(sequence, X[3:6]))


def twist_matrix(sequence: str, X: Value) -> Value:
    """T of twist = T Ẋ, 6x6."""
    return ca.diagcat(ca.DM.eye(3), attitude.euler_rate_matrix(sequence, X[3:6]))


def mass_matrix(machine: ExtensibleLegs, sequence: str, X: Value) -> Value:
    """M(X), 6x6 [Oftadeh 2010 (79), Bingul 2012 (42)]."""
    T = twist_matrix(sequence, X)
    return T.T @ default.mass_matrix(machine, pose(sequence, X)) @ T


def coriolis_matrix(machine: ExtensibleLegs, sequence: str, X: Value, X_dot: Value) -> Value:
    """C(X, Ẋ), 6x6, with Ṁ - 2C skew [Oftadeh 2010 (80), Bingul 2012 (43)]."""
    E_dot = attitude.euler_rate_matrix_dot(sequence, X[3:6], X_dot[3:6])
    T, T_dot = twist_matrix(sequence, X), ca.diagcat(ca.DM(3, 3), E_dot)
    M = default.mass_matrix(machine, pose(sequence, X))
    C = default.coriolis_matrix(machine, pose(sequence, X), T @ X_dot)
    return T.T @ (M @ T_dot + C @ T)


def gravity(machine: ExtensibleLegs, sequence: str, X: Value) -> Value:
    """G(X), 6x1: the gradient of the potential energy [Oftadeh 2010 (81), Bingul 2012 (44)]."""
    return twist_matrix(sequence, X).T @ default.gravity(machine, pose(sequence, X))


def jacobian(machine: ExtensibleLegs, sequence: str, X: Value) -> Value:
    """J(X) of q̇ = J Ẋ, 6x6 [Bingul 2012 (16)]; its J_A and J_B agree once corrected."""
    return closure.jacobian(machine, pose(sequence, X)) @ twist_matrix(sequence, X)
