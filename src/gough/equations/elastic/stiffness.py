"""Stiffness of a parallel robot: change of its forces with the platform's position.

About a pose at which the efforts of the motors are given, in the platform's coordinates u:

    K_u = Σ k N_uᵀ N_u + ∂(G_u - J_uᵀ force)/∂u

N_u are the rates of all joints that are springs, by u: of the driven ones J_u itself, and of
flexures, whose moments count from that pose. The second part is geometric: efforts act on legs that
turn, and weights move. External forces and moments keep their direction in base axes.

Where links or bearings are elastic, the platform also moves outside the range of T: K_u is the
force for a displacement along u when no other load acts on the rest. The geometric part is that of
the motion T u alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.closure.assembled import Assembled, assembled, in_base_axes, in_machine_axes
from gough.equations.dynamics.formulation import AT_REST, NO_WRENCH
from gough.equations.elastic import leg_stiffness as of_legs
from gough.equations.elastic.leg_vibration import vibration as vibration_of_legs
from gough.equations.elastic.network import Network, flexure_springs, network
from gough.equations.elastic.springs import Springs
from gough.equations.forces.dynamics import inverse_dynamics, mass_matrix
from gough.equations.forces.linearization import geometric_stiffness
from gough.equations.machine import Machine, short
from gough.equations.motion.kinematics import actuation_matrix
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, reciprocal


@short(of_legs.holding_force)
def holding_force(machine: Machine, pose: Value, wrench: Value) -> Value:
    """Efforts of the motors (m) [N, N m] that hold the machine at a pose under a wrench."""
    return inverse_dynamics(machine, pose, AT_REST, AT_REST, wrench)


def stiffness(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Value:
    """Return K_u (n x n): the generalised force along u for a small displacement along u.

    `actuator_compliance` [m/N, rad/(N m)] is 0 for a locked motor, 1/gain under position control,
    and inf for a motor of constant effort. Units follow u: [N/m, N/rad, N m/rad].
    """
    return _elasticity(machine, pose, force, actuator_compliance).K


def compliance(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Value:
    """Return the compliance of the platform (6x6) [m/N, rad/N, rad/(N m)].

    T K_u⁻¹ Tᵀ, and the elastic displacement by links and bearings besides.
    """
    all_ways = in_machine_axes(machine, ca.DM.eye(6))
    return _displacement(machine, pose, force, actuator_compliance, all_ways)


def deflection(machine: Machine, pose: Value, wrench: Value, actuator_compliance: Value) -> Value:
    """Return the displacement (6) [m, rad] of the platform, in balance with weights, by a wrench.

    Translation of its origin and rotation vector, both in base axes, to first order.
    """
    held, load = holding_force(machine, pose, NO_WRENCH), in_machine_axes(machine, wrench)
    return _displacement(machine, pose, held, actuator_compliance, load)


@short(vibration_of_legs)
def vibration(
    machine: Machine,
    pose: Value,
    force: Value,
    actuator_compliance: Value,
    rotors: Sequence[Value | float | None] | None = None,
) -> tuple[Value, Value]:
    """Return M and K of small vibrations M z̈ + K z = 0 along u, and of rotors.

    K is symmetric, as for hexapods. A rotor's inertia acts on its joint (None: zero) [kg, kg m^2],
    between the spring of the drive and what holds it. Machines with elastic links or bearings are
    excluded: their masses also move outside the range of T.
    """
    assert machine.springs is not None, "a machine that is not elastic"
    if machine.springs.elastic_parts:
        raise ValueError("vibration of a machine with elastic links or bearings")
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
    """Return the platform's displacements, base axes, by loads, columns in the machine's axes."""
    elastic = _elasticity(machine, pose, force, actuator_compliance)
    along = elastic.T @ solve(elastic.K, elastic.T.T @ load)
    return in_base_axes(machine, along + elastic.C @ load)


def _elasticity(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Network:
    """All springs, and the geometric part."""
    if machine.extensible is not None:
        K = of_legs.stiffness(machine.extensible, pose, force, actuator_compliance)
        return Network(K, ca.DM.eye(6), ca.DM.zeros(6, 6))
    springs, at = machine.springs, assembled(machine, pose)
    assert springs is not None, "a machine that is not elastic"
    motors = [reciprocal(1 / k + actuator_compliance[i]) for i, k in enumerate(springs.motors)]
    found = (network if springs.elastic_parts else _of_rigid_links)(at, springs, motors)
    return Network(found.K + geometric_stiffness(machine, pose, force), found.T, found.C)


def _of_rigid_links(at: Assembled, springs: Springs, motors: list[Value]) -> Network:
    """The springs where the platform moves along its moves only."""
    pairs = zip(motors, ca.vertsplit(at.J), strict=True)
    all_springs = [*pairs, *flexure_springs(at, springs.flexures, at.T)]
    K = sum((k * (N.T @ N) for k, N in all_springs), ca.DM.zeros(1))
    return Network(K, at.T, ca.DM.zeros(6, 6))


def softest(machine: Machine, pose: Value) -> tuple[Value, Value]:
    """Return the minimum translational [N/m] and rotational stiffness [N m/rad] over directions.

    The machine bears its own weight. Inf where it is rigid in all directions.
    """
    held = holding_force(machine, pose, NO_WRENCH)
    C = compliance(machine, pose, held, ca.DM.zeros(*held.shape))
    C = (C + C.T) / 2
    return 1 / largest_eigenvalue(C[0:3, 0:3]), 1 / largest_eigenvalue(C[3:6, 3:6])


def largest_eigenvalue(A: Value) -> Value:
    """Return q + 2 p cos φ of A = q + p B, tr B = 0, |B|² = 6, where cos 3φ = det B / 2."""
    q = ca.trace(A) / 3
    rest = A - q * ca.DM.eye(3)
    p = ca.sqrt(ca.sumsqr(rest) / 6)
    cosine = ca.fmin(ca.fmax(ca.det(rest / p) / 2, -1), 1)
    angle = ca.atan2(ca.sqrt(1 - cosine**2), cosine) / 3
    return ca.if_else(p > 0, q + 2 * p * ca.cos(angle), q)
