"""The stiffness of a machine of any kind: how its forces change as the platform moves.

About a pose at which the efforts of the motors are given, in the coordinates u of its moves:

    K_u = Σ k N_uᵀ N_u + ∂(G_u - J_uᵀ force)/∂u

N_u are the rates of all joints that are springs, by u: of the driven ones J_u itself, and of
flexures, whose moments count from that pose. The second part is geometric: efforts act on legs that
turn, and weights move. External forces and moments keep their direction in base axes.

Where links or bearings yield, the platform also moves in ways that are none of its moves: K_u is
what a displacement along u takes when no other load hinders the rest. The geometric part is that of
the moves alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.dynamics import AT_REST, NO_WRENCH
from gough.equations.mechanism.dynamics import inverse_dynamics
from gough.equations.mechanism.flexures import flexure_springs
from gough.equations.mechanism.freedom import Assembled, assembled
from gough.equations.mechanism.inertia import mass_matrix
from gough.equations.mechanism.legs import leg_jacobian
from gough.equations.mechanism.linearization import geometric_stiffness
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.network import Network, network
from gough.equations.mechanism.singularity import actuation_matrix
from gough.equations.mechanism.springs import Springs
from gough.equations.mechanism.stance import in_base_axes, in_machine_axes
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, reciprocal


def holding_force(machine: Machine, pose: Value, wrench: Value) -> Value:
    """Efforts of the motors (m) [N, N m] that hold the machine at a pose under a wrench."""
    return inverse_dynamics(machine, pose, AT_REST, AT_REST, wrench)


def stiffness(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Value:
    """K_u (n x n) [SI]: the force along the moves u that a small displacement along them takes.

    Each motor yields by its compliance [m/N, rad/(N m)]: 0 is one that is held, 1/gain one under
    position control, inf one that keeps its effort.
    """
    return _elasticity(machine, pose, force, actuator_compliance).K


def compliance(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Value:
    """How a wrench on the platform displaces it (6x6) [m/N, rad/N, rad/(N m)].

    T K_u⁻¹ Tᵀ, and what links and bearings yield beside the moves.
    """
    all_ways = in_machine_axes(machine, ca.DM.eye(6))
    return _displacement(machine, pose, force, actuator_compliance, all_ways)


def deflection(machine: Machine, pose: Value, wrench: Value, actuator_compliance: Value) -> Value:
    """How far a small wrench moves the platform (6) [m, rad] that holds its own weight.

    Way of its origin and rotation vector, both in base axes.
    """
    held, load = holding_force(machine, pose, NO_WRENCH), in_machine_axes(machine, wrench)
    return _displacement(machine, pose, held, actuator_compliance, load)


def vibration(
    machine: Machine,
    pose: Value,
    force: Value,
    actuator_compliance: Value,
    rotors: Sequence[Value | None] | None = None,
) -> tuple[Value, Value]:
    """M and K [SI] of small vibrations M z̈ + K z = 0 along the moves u, and of rotors.

    K is symmetric, as for hexapods. A rotor weighs on its joint (None: nothing) [kg, kg m^2] and is
    between the spring of the drive and what holds it. Not of a machine whose links or bearings
    yield: their masses leave the moves.
    """
    assert machine.springs is not None, "a machine that is not elastic"
    if machine.springs.yielding:
        raise ValueError("vibration of a machine whose links or bearings yield")
    turning = [(k, mass) for k, mass in enumerate(rotors or ()) if mass is not None]
    alone = ca.SX(actuator_compliance)
    for k, _ in turning:
        alone[k] = 0
    K, M = stiffness(machine, pose, force, alone), mass_matrix(machine, pose)
    K = (K + K.T) / 2
    if not turning:
        return M, K
    J, motors = actuation_matrix(machine, pose), machine.springs.motors
    coupled = ca.horzcat(*(-motors[i] * J[i, :].T for i, _ in turning))
    own = [motors[i] + reciprocal(actuator_compliance[i]) for i, _ in turning]
    masses = [mass for _, mass in turning]
    K = ca.blockcat([[K, coupled], [coupled.T, ca.diag(ca.vertcat(*own))]])
    return ca.diagcat(M, ca.diag(ca.vertcat(*masses))), K


def _displacement(
    machine: Machine, pose: Value, force: Value, actuator_compliance: Value, load: Value
) -> Value:
    """How loads on the platform, columns in the machine's axes, displace it, in base axes."""
    elastic = _elasticity(machine, pose, force, actuator_compliance)
    along = elastic.T @ solve(elastic.K, elastic.T.T @ load)
    return in_base_axes(machine, along + elastic.C @ load)


def _elasticity(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Network:
    """All springs, and the geometric part."""
    springs, at = machine.springs, assembled(machine, pose)
    assert springs is not None, "a machine that is not elastic"
    motors = [reciprocal(1 / k + actuator_compliance[i]) for i, k in enumerate(springs.motors)]
    found = (network if springs.yielding else _of_rigid_links)(at, springs, motors)
    return Network(found.K + geometric_stiffness(machine, pose, force), found.T, found.C)


def _of_rigid_links(at: Assembled, springs: Springs, motors: list[Value]) -> Network:
    """The springs where the platform moves along its moves only."""
    rates = [leg_jacobian(leg, at.T) for leg in at.legs]
    pairs = zip(motors, (rates[leg][joint] for leg, joint in at.machine.motors), strict=True)
    all_springs = [*pairs, *flexure_springs(at, springs.flexures, at.T)]
    K = sum((k * (N.T @ N) for k, N in all_springs), ca.DM.zeros(1))
    return Network(K, at.T, ca.DM.zeros(6, 6))
