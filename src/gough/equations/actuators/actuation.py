"""The machine under actuators that have inertia and friction of their own.

The force F of every actuator obeys a law α F + m q̈ = f. An ideal actuator has α = 1 and m = 0,
so F = f; a drive's rotor has a mass m, which adds Jᵀ diag(m) J to the machine's, and friction in
proportion to the force makes α differ from one.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations import dynamics
from gough.equations.dynamics import AT_REST
from gough.equations.legs import closure
from gough.equations.machine import Machine
from gough.equations.solvers.linear import solve, solve_symmetric
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Actuation:
    """The actuators' laws α F + m q̈ = f, each (n)."""

    force: Value
    """f [N]"""
    mass: Value
    """m [kg]"""
    load: Value | None = None
    """α; None where all are one."""


def mass_matrix(machine: Machine, pose: Value, mass: Value) -> Value:
    """M + Jᵀ diag(m) J (6x6): what the platform feels of its own, the legs' and the drives' mass.

    `mass` (n) [kg] moves with the leg lengths.
    """
    J = closure.jacobian(machine, pose)
    M = dynamics.default.mass_matrix(machine, pose) + J.T @ ca.diag(mass) @ J
    return ca.tril2symm(ca.tril(M))


def forward_dynamics(
    machine: Machine, pose: Value, twist: Value, actuation: Actuation, wrench: Value
) -> tuple[Value, Value]:
    """Acceleration (6) [m/s^2, rad/s^2] and the forces F on the legs (n) [N]."""
    f, m, alpha = actuation.force, actuation.mass, actuation.load
    J = closure.jacobian(machine, pose)
    drift = closure.joint_acceleration(machine, pose, twist, AT_REST)  # J̇ · twist
    if alpha is None:
        across, along = dynamics.default.required_forces(machine, pose, twist, AT_REST)
        left = J.T @ (f - m * drift - along) + wrench - across
        acceleration = solve_symmetric(mass_matrix(machine, pose, m), left)
        return acceleration, f - m * (J @ acceleration + drift)
    M = dynamics.default.mass_matrix(machine, pose)
    rest = dynamics.default.bias(machine, pose, twist) - wrench
    on_legs = closure.leg_forces(machine, pose, ca.horzcat(M, rest))  # J^-T M, J^-T (bias - w)
    per_acceleration, at_rest = on_legs[:, :-1], on_legs[:, -1]
    A = ca.diag(alpha) @ per_acceleration + ca.diag(m) @ J  # Bingul (60)
    acceleration = solve(A, f - m * drift - alpha * at_rest)  # Bingul (59), (62), (64)
    return acceleration, per_acceleration @ acceleration + at_rest
