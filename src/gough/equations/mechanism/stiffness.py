"""The stiffness of a machine of any kind: how its forces change as the platform moves.

About a pose at which the efforts of the motors are given, in the coordinates u of its moves:

    K_u = Σ k N_uᵀ N_u + ∂(G_u - J_uᵀ force)/∂u

N_u are the rates of all joints that are springs, by u: of the driven ones J_u itself, and of
flexures, whose moments count from that pose. The second part is geometric: efforts act on legs that
turn, and weights move. External forces and moments keep their direction in base axes.
"""

from __future__ import annotations

from gough.equations.mechanism.flexures import flexure_springs
from gough.equations.mechanism.freedom import assembled
from gough.equations.mechanism.inertia import mass_matrix
from gough.equations.mechanism.joint_space import joint_gravity
from gough.equations.mechanism.kinematics import moves
from gough.equations.mechanism.linearization import geometric_stiffness
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.singularity import actuation_matrix
from gough.equations.mechanism.springs import Springs
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, reciprocal


def stiffness(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Value:
    """K_u (n x n) [SI]: the force along the moves u that a small displacement along them takes.

    Each motor yields by its compliance [m/N, rad/(N m)]: 0 is one that is held, 1/gain one under
    position control, inf one that keeps its effort.
    """
    K = geometric_stiffness(machine, pose, force)
    for k, N in _springs(machine, pose, actuator_compliance):
        K += k * (N.T @ N)
    return K


def compliance(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Value:
    """How a wrench on the platform displaces it (6x6) [m/N, rad/N, rad/(N m)]: T K_u⁻¹ Tᵀ."""
    T = moves(machine, pose)
    return T @ solve(stiffness(machine, pose, force, actuator_compliance), T.T)


def deflection(machine: Machine, pose: Value, wrench: Value, actuator_compliance: Value) -> Value:
    """How far a small wrench moves the platform (6) [m, rad] that holds its own weight.

    Way of its origin and rotation vector, both in base axes.
    """
    T, held = moves(machine, pose), joint_gravity(machine, pose)
    return T @ solve(stiffness(machine, pose, held, actuator_compliance), T.T @ wrench)


def vibration(
    machine: Machine, pose: Value, force: Value, actuator_compliance: Value
) -> tuple[Value, Value]:
    """M_u and K_u [SI] of small vibrations M_u z̈ + K_u z = 0 along the moves u."""
    K = stiffness(machine, pose, force, actuator_compliance)
    return mass_matrix(machine, pose), K


def springs_of(machine: Machine) -> Springs:
    """The springs, which every elastic machine has."""
    assert machine.springs is not None
    return machine.springs


def _springs(
    machine: Machine, pose: Value, actuator_compliance: Value
) -> list[tuple[Value, Value]]:
    """Stiffness and rates by u (1 x n) of all that is a spring."""
    springs, J = springs_of(machine), actuation_matrix(machine, pose)
    driven = [
        (reciprocal(1 / k + actuator_compliance[i]), J[i, :]) for i, k in enumerate(springs.motors)
    ]
    return driven + flexure_springs(assembled(machine, pose), springs.flexures)
