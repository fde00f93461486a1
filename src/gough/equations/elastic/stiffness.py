"""Stiffness of a parallel robot: change of its forces with the platform's position.

About a pose at which the efforts of the motors are given, in the platform's coordinates u:

    K_u = Σ k N_uᵀ N_u + ∂(G_u - J_uᵀ force)/∂u

N_u are the rates of all joints that are springs, by u: of the driven ones J_u itself, and of
flexures, whose moments count from that pose. The second part is geometric: efforts act on legs that
turn, weights move, and preloaded springs change their force and direction. External
forces and moments keep their direction in base axes.

Where links or bearings are elastic, the platform also moves outside the range of T: K_u is the
force for a displacement along u when no other load acts on the rest. The geometric part is that of
the motion T u alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, pi

import casadi as ca

from gough.equations.closure.assembled import Assembled, assembled
from gough.equations.dynamics.formulation import AT_REST, NO_WRENCH
from gough.equations.elastic import leg_stiffness as of_legs
from gough.equations.elastic.leg_stiffness import Rotors
from gough.equations.elastic.network import Network, flexure_springs, network
from gough.equations.forces import dynamics, passive_joints
from gough.equations.forces.joint_loads import joint_loads
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.solvers.linear import SymmetricFactors, solve, solve_symmetric
from gough.equations.spatial.algebra import Value, derivative, reciprocal
from gough.equations.spatial.pose import rate
from gough.equations.tree.bodies import Twist
from gough.equations.tree.description import Springs

BEYOND = 3  # where held coordinates are put, in shifts: all others are below two


def holding_force(machine: Machine, pose: Value, wrench: Value) -> Value:
    """Efforts of the motors (m) [N, N m] that hold the machine at a pose under a wrench.

    Flexures have no moments there; springs between bodies and beside joints have forces.
    """
    loaded = wrench + passive_joints.spring_wrench(replace(machine, flexures=()), pose)
    if machine.extensible is not None:
        return of_legs.holding_force(machine.extensible, pose, loaded)
    return dynamics.inverse_dynamics(machine, pose, AT_REST, AT_REST, loaded)


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
    all_ways = machine.in_own_axes(ca.DM.eye(6))
    return _displacement(machine, pose, force, actuator_compliance, all_ways)


def deflection(machine: Machine, pose: Value, wrench: Value, actuator_compliance: Value) -> Value:
    """Return the displacement (6) [m, rad] of the platform, in balance with weights, by a wrench.

    Translation of its origin and rotation vector, both in base axes, to first order.
    """
    held, load = holding_force(machine, pose, NO_WRENCH), machine.in_own_axes(wrench)
    return _displacement(machine, pose, held, actuator_compliance, load)


def vibration(
    machine: Machine, pose: Value, force: Value, actuator_compliance: Value, rotors: Rotors = None
) -> tuple[Value, Value]:
    """Return M and K of small vibrations M z̈ + K z = 0 along u, and of rotors.

    K is symmetric, as for hexapods. A rotor's inertia acts on its joint (None: zero) [kg, kg m^2],
    between the spring of the drive and what holds it. Machines with elastic links or bearings are
    excluded: their masses also move outside the range of T.
    """
    if machine.extensible is not None:
        M, K = of_legs.vibration(machine.extensible, pose, force, actuator_compliance, rotors)
        beside = _spring_stiffness(machine, pose)
        rest = K.shape[0] - beside.shape[0]
        return M, K + ca.diagcat((beside + beside.T) / 2, ca.DM(rest, rest))
    assert machine.springs is not None, "a machine that is not elastic"
    if machine.springs.elastic_parts:
        raise ValueError("vibration of a machine with elastic links or bearings")
    turning = [(k, mass) for k, mass in enumerate(rotors or ()) if mass is not None]
    alone = ca.SX(actuator_compliance)
    for k, _ in turning:
        alone[k] = 0
    K, M = stiffness(machine, pose, force, alone), dynamics.mass_matrix(machine, pose)
    K = (K + K.T) / 2
    if not turning:
        return M, K
    J, motors = kinematics.actuation_matrix(machine, pose), machine.springs.motors
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
    return machine.in_base_axes(along + elastic.C @ load)


def _elasticity(machine: Machine, pose: Value, force: Value, actuator_compliance: Value) -> Network:
    """All springs, and the geometric part."""
    if machine.extensible is not None:
        K = of_legs.stiffness(machine.extensible, pose, force, actuator_compliance)
        return Network(K + _spring_stiffness(machine, pose), ca.DM.eye(6), ca.DM.zeros(6, 6))
    springs, at = machine.springs, assembled(machine, pose)
    assert springs is not None, "a machine that is not elastic"
    motors = [reciprocal(1 / k + actuator_compliance[i]) for i, k in enumerate(springs.motors)]
    found = (network if springs.elastic_parts else _of_rigid_links)(at, springs, motors)
    return Network(found.K + geometric_stiffness(machine, pose, force), found.T, found.C)


def _spring_stiffness(machine: Machine, pose: Value) -> Value:
    """Stiffness (6x6) of springs but flexures, of a platform that moves all ways."""
    along = ca.horzcat(*(rate(pose, column) for column in ca.horzsplit(ca.DM.eye(6))))
    bare = replace(machine, flexures=())
    return -derivative(lambda x: passive_joints.spring_wrench(bare, x), pose, along)


def _of_rigid_links(at: Assembled, springs: Springs, motors: list[Value]) -> Network:
    """The springs where the platform moves by T u only."""
    pairs = zip(motors, ca.vertsplit(at.J), strict=True)
    all_springs = [*pairs, *flexure_springs(at, springs.flexures, at.T)]
    K = sum((k * (N.T @ N) for k, N in all_springs), ca.DM.zeros(1))
    return Network(K, at.T, ca.DM.zeros(6, 6))


def minimum_stiffness(machine: Machine, pose: Value) -> tuple[Value, Value]:
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


# Small vibrations as one symmetric matrix, whose eigenvalues are the squares of frequencies. With
# M = L D Lᵀ, of which L has ones on its diagonal, M z̈ + K z = 0 becomes ÿ + A y = 0 by y = D½ Lᵀ z
# and A = D⁻½ L⁻¹ K L⁻ᵀ D⁻½. A shift makes all of its eigenvalues positive, so that they are
# singular values as well: also those of an unstable machine, and of fixed coordinates.


@dataclass(frozen=True)
class Shifted:
    """A + σ 1, whose eigenvalues are from 0 to 2 σ; 3 σ for each coordinate that is held."""

    matrix: Value
    shift: Value  # σ [rad²/s²]

    def frequencies(self, eigenvalues: Value) -> Value:
        """Frequencies [Hz], lowest first, of eigenvalues of the matrix in descending order."""
        squares = eigenvalues[::-1] - self.shift
        held = squares > (BEYOND - 1.5) * self.shift
        found = ca.sign(squares) * ca.sqrt(ca.fabs(squares)) / (2 * pi)
        return ca.if_else(held, inf, found)


def shifted(M: Value, K: Value, platform: int) -> Shifted:
    """A of M and K, shifted; infinite stiffness holds all but the platform's first coordinates."""
    n, factors = M.shape[0], SymmetricFactors.of(M)
    held = [i >= platform and K[i, i] == inf for i in range(n)]
    rows = [[_without(held, i, j, K[i, j]) for j in range(n)] for i in range(n)]
    both = factors.forward(factors.forward(ca.blockcat(rows)).T)  # L⁻¹ from the left and the right
    scale = ca.sqrt(ca.vertcat(*factors.inverse))
    A = ca.tril2symm(ca.tril(both)) * (scale @ scale.T)
    shift = 1 + ca.sqrt(ca.sumsqr(A))
    shifts = ca.vertcat(*(ca.if_else(one, BEYOND * shift, shift) for one in held))
    return Shifted(A + ca.diag(shifts), shift)


def _without(held: Sequence[Value | bool], i: int, j: int, entry: Value) -> Value:
    """An entry of K; zero for what is held."""
    for k in {i, j}:
        entry = entry if held[k] is False else ca.if_else(held[k], 0, entry)
    return entry


# The equation of motion near a state, for control design: ẋ = A x + B force. x is what a state
# differs by: moves δ, so that the platform is displaced by T δ, and u. What a state asks for is
# differentiated, not what follows from it: M δu̇ = J_uᵀ δforce - ∂f/∂δ δ - ∂f/∂u δu, where
# f(δ, u, u̇) is the motion's required force, with that of viscous damping and springs of the joints,
# less those of efforts and wrench. Dry friction has no derivative at rest, and is left out.


def linearize(
    machine: Machine, pose: Value, twist: Value, force: Value, wrench: Value
) -> tuple[Value, Value]:
    """A (2n x 2n) and B (2n x motors) of small deviations under constant efforts and wrench.

    With damping and springs, of joints and between bodies, as far as the robot file states them;
    dry friction, which has no derivative at rest, is left out, and the efforts are those beside it.
    """
    machine = passive_joints.without_dry_friction(machine)
    T, u = kinematics.twist_basis(machine, pose), kinematics.independent_velocities(machine, twist)
    n, m = T.shape[1], force.shape[0]
    x, y, y_dot = ca.SX.sym("pose", 7), ca.SX.sym("u", n), ca.SX.sym("u_dot", n)
    lacking = _lacking(machine, x, y, y_dot, force, wrench)
    along = ca.horzcat(*(rate(pose, column) for column in ca.horzsplit(T)))
    derivatives = ca.horzcat(ca.jtimes(lacking, x, along), ca.jacobian(lacking, y))
    V = kinematics.admissible(machine, pose, twist)
    loaded = wrench + passive_joints.joint_wrench(machine, pose, V)
    moved = dynamics.forward_dynamics(machine, pose, V, force, loaded)
    u_dot = kinematics.independent_velocities(machine, moved)
    now = ca.substitute(derivatives, ca.vertcat(x, y, y_dot), ca.vertcat(pose, u, u_dot))
    by_all = ca.horzcat(-now, kinematics.actuation_matrix(machine, pose).T)
    changes = solve_symmetric(dynamics.mass_matrix(machine, pose), by_all)
    carried = ca.horzcat(-dynamics.bracket(machine, T, u), ca.DM.eye(n))  # δ̇ = δu - [u, δ]
    A = ca.vertcat(carried, changes[:, : 2 * n])
    return A, ca.vertcat(ca.DM.zeros(n, m), changes[:, 2 * n :])


def geometric_stiffness(machine: Machine, pose: Value, force: Value) -> Value:
    """∂f/∂δ of a machine at rest (n x n): how what weights ask for beyond these efforts changes."""
    machine = replace(machine, frictions=(), flexures=())
    T = kinematics.twist_basis(machine, pose)
    still = ca.DM.zeros(T.shape[1])
    along = ca.horzcat(*(rate(pose, column) for column in ca.horzsplit(T)))
    return derivative(lambda x: _lacking(machine, x, still, still, force, NO_WRENCH), pose, along)


def _lacking(
    machine: Machine, pose: Value, u: Value, u_dot: Value, force: Value, wrench: Value
) -> Value:
    """f: what a motion asks for beyond these efforts and this wrench, n x 1."""
    at = assembled(machine, pose)
    V, driven = Twist.of(at.T @ u), Twist.of(at.T @ u_dot)
    bias_part = at.bias_acceleration(V)
    V_dot = Twist(driven.v + bias_part.v, driven.omega + bias_part.omega)
    required = dynamics.required_force(at, V, V_dot, joint_loads(at, V))
    given = at.T.T @ machine.in_own_axes(wrench)
    return required - kinematics.actuation_matrix(machine, pose).T @ force - given
