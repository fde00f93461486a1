"""The machine under actuators that have inertia and friction of their own.

The force F of every actuator obeys a law α F + m q̈ = f. An ideal actuator has α = 1 and m = 0,
so F = f; a drive's rotor has a mass m, which adds Jᵀ diag(m) J to the machine's, and friction in
proportion to the force makes α differ from one.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.forces import dynamics
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.solvers.linear import solve, solve_symmetric
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Actuation:
    """The actuators' laws α F + m q̈ = f, each (n); of hinges torques and inertias."""

    force: Value
    """f [N, N m]"""
    mass: Value
    """m [kg, kg m^2]"""
    load: Value | None = None
    """α; None where all are one."""


def mass_matrix(machine: Machine, pose: Value, mass: Value) -> Value:
    """M + Jᵀ diag(m) J for u, with masses m [kg, kg m^2] that move with the driven joints."""
    J = kinematics.actuation_matrix(machine, pose)
    M = dynamics.mass_matrix(machine, pose) + J.T @ ca.diag(mass) @ J
    return ca.tril2symm(ca.tril(M))


def forward_dynamics(
    machine: Machine, pose: Value, twist: Value, actuation: Actuation, wrench: Value
) -> tuple[Value, Value]:
    """Acceleration (6) [m/s^2, rad/s^2] and the actuators' forces F [N, N m] on the machine.

    M_u u̇ + bias = J_uᵀ F + Tᵀ wrench, q̈ = J_u u̇ + drift, acceleration = T u̇ + Ṫ u.
    """
    f, m = actuation.force, actuation.mass
    at_constant_u = kinematics.bias_acceleration(machine, pose, twist)
    J, T = kinematics.actuation_matrix(machine, pose), kinematics.twist_basis(machine, pose)
    drift = kinematics.drift(machine, pose, twist)
    if actuation.load is None:
        across, along = dynamics.required_forces(machine, pose, twist, at_constant_u)
        left = J.T @ (f - m * drift - along) + T.T @ wrench - across
        u_dot = solve_symmetric(mass_matrix(machine, pose, m), left)
        return T @ u_dot + at_constant_u, f - m * (J @ u_dot + drift)
    M, alpha = dynamics.mass_matrix(machine, pose), actuation.load
    rest, f = dynamics.bias(machine, pose, twist) - T.T @ wrench, f - m * drift
    if J.shape[0] > J.shape[1]:  # more motors than degrees of freedom: their laws share the load
        A = ca.blockcat([[M, -J.T], [ca.diag(m) @ J, ca.diag(alpha)]])
        found = solve(A, ca.vertcat(-rest, f))
        u_dot, force = found[: J.shape[1]], found[J.shape[1] :]
    else:  # the motion determines the forces: F = J^-T (M u̇ + rest)
        forces = dynamics.balancing_forces(machine, pose, ca.horzcat(M, rest))
        per_acceleration, at_rest = forces[:, :-1], forces[:, -1]
        A = ca.diag(alpha) @ per_acceleration + ca.diag(m) @ J  # Bingul (60)
        u_dot = solve(A, f - alpha * at_rest)  # Bingul (59), (62), (64)
        force = per_acceleration @ u_dot + at_rest
    return T @ u_dot + at_constant_u, force
