"""Lagrange's equations from the energies of platform and legs [Bingul & Karahan 2012, section 3].

Only energies are written down; momenta, inertia matrices, Christoffel symbols and gravity forces
are their derivatives, taken symbolically. Lagrange's equations hold in any coordinates, so every
part of the machine gets three of its own, X, in which its energies are simplest:

- the platform's mass: the position of its mass centre;
- the platform's rotation: a Rodrigues vector θ from the present attitude, so that θ = 0 now;
- a leg: the position T of its platform joint, which is all that a leg's energies depend on.

Their rates follow the twist by Ẋ = J · twist. Virtual work carries each part's equations back,

    τ = Σ Jᵀ (d/dt ∂K/∂Ẋ - ∂K/∂X + ∂P/∂X),    Ẍ = J · acceleration + J̇ · twist,

and so do M = Σ Jᵀ M_X J and C = Σ Jᵀ (V_X J + M_X J̇), where Ṁ - 2C is skew.
"""

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
from casadi import cross, dot, skew

from gough.equations.dynamics.formulation import AT_REST
from gough.equations.legs.extensible import ExtensibleLegs, Leg
from gough.equations.spatial.algebra import Value, angular, norm, point_jacobian, position, rotation

LegEnergies = Callable[[Leg, Value, Value, Value], tuple[Value, Value]]
"""(leg, gravity, T, V) -> a leg's kinetic and potential energy [J]; see `two_bodies`."""


@dataclass(frozen=True)
class EnergyPart:
    """A share of the machine's energy, in three coordinates of its own.

    K and P [J] are expressions of the symbols X and X_dot, whose present values are x and x_dot.
    The rates follow the twist by Ẋ = J · twist, J 3x6.
    """

    X: Value
    X_dot: Value
    K: Value
    P: Value
    x: Value
    x_dot: Value
    J: Value
    J_dot: Value


def platform_mass(mass: Value, gravity: Value, p: Value, p_dot: Value) -> tuple[Value, Value]:
    """Energies of the platform's mass at its mass centre p, of velocity ṗ [3.1]."""
    K = mass * dot(p_dot, p_dot) / 2  # (24)
    P = -mass * dot(gravity, p)  # (31), with gravity in any direction
    return K, P


def platform_rotation(inertia: Value, R: Value, theta: Value, theta_dot: Value) -> Value:
    """Kinetic energy of the platform turning about its mass centre [3.1].

    θ is 2 tan(angle/2) times the axis, in base axes, of a turn that follows the attitude R. Unlike
    the paper's angles it has no singular attitude nearby, and at θ = 0 θ̇ = ω and θ̈ = ω̇.
    """
    Omega = R.T @ (theta_dot - cross(theta, theta_dot) / 2) / (1 + dot(theta, theta) / 4)  # (27)
    return dot(Omega, inertia @ Omega) / 2  # (25)


def two_bodies(leg: Leg, gravity: Value, T: Value, V: Value) -> tuple[Value, Value]:
    """Energies of a leg's cylinder and piston, platform joint at T with velocity V [3.2].

    Both are rigid bodies. The paper's (32)-(36) miss that they move relative to each other
    (König's relative term) and their rotary inertias (errata): they are `one_point_mass`.
    """
    m_1, m_2 = leg.cylinder.mass, leg.piston.mass
    L, u, L_dot = stretch(leg, T, V)
    d_1 = leg.cylinder.center_of_mass
    d_2 = L - leg.piston.center_of_mass
    u_dot2 = (dot(V, V) - L_dot**2) / L**2  # |u̇|², from the bracket of (32)
    K_rot = (m_1 * d_1**2 + m_2 * d_2**2) * u_dot2 / 2  # (32), corrected
    K_trans = m_2 * L_dot**2 / 2  # (34), corrected: all of m_2 slides
    K_own = rotary_energy(leg, T, V)  # missing in (35)
    P = -dot(gravity, m_1 * (leg.base + d_1 * u) + m_2 * (leg.base + d_2 * u))  # (38)
    return K_rot + K_trans + K_own, P


def rotary_energy(leg: Leg, T: Value, V: Value) -> Value:
    """Energy of a leg's rotation about its parts' mass centres.

    A universal joint turns the leg at ω = ψ̇ x + γ̇ a about its second and its first axis; on the
    leg's axes the first is a = (0, a_y, a_u). Its turning moves T across the leg: ω x L u = V_n.
    """
    I = leg.cylinder.inertia + leg.piston.inertia
    L, u, L_dot = stretch(leg, T, V)
    if not leg.base_joint.spins:  # I is the same about every axis across the leg
        u_dot2 = (dot(V, V) - L_dot**2) / L**2
        return I[0, 0] * u_dot2 / 2
    a = leg.base_joint.first_axis
    assert a is not None
    a_u, a_y = dot(a, u), norm(cross(a, u))
    psi_dot = (a_u * L_dot - dot(a, V)) / (L * a_y)
    gamma_dot = dot(cross(a, u), V) / (L * a_y**2)
    omega = ca.vertcat(psi_dot, gamma_dot * a_y, gamma_dot * a_u)
    return dot(omega, I @ omega) / 2


def one_point_mass(leg: Leg, gravity: Value, T: Value, V: Value) -> tuple[Value, Value]:
    """The paper's leg, an approximation: one point mass m_1 + m_2 at the leg's common mass centre.

    This is exactly what (32)-(36) say, whatever they call rotation and translation: the mass that
    resists stretching is m_2²/(m_1 + m_2) instead of m_2, and rotary inertias count for nothing.
    """
    m_1, m_2 = leg.cylinder.mass, leg.piston.mass
    m = m_1 + m_2
    per_mass = 1 / ca.if_else(m > 0, m, 1)  # a massless leg has no mass centre and needs none
    L, u, L_dot = stretch(leg, T, V)
    mu = m_2 * per_mass
    L_hat = (m_1 * leg.cylinder.center_of_mass - m_2 * leg.piston.center_of_mass) * per_mass  # (33)
    h = (L_hat / L + mu) ** 2  # (33)
    k = h - mu**2  # (36), its second form; the first lacks a factor 2 (erratum)
    K = m * (h * dot(V, V) - k * L_dot**2) / 2  # (35)
    P = -m * dot(gravity, leg.base + (L_hat + mu * L) * u)  # (38), for each of six legs (erratum)
    return K, P


def weight_alone(leg: Leg, gravity: Value, T: Value, V: Value) -> tuple[Value, Value]:
    """A leg with weight and without inertia, an approximation for slow motions [Baiges 1996, 8.2].

    Of the wrenches of his 6.(24) and 6.(29), tangential, Coriolis and centrifugal ones of the legs
    and the acceleration of pistons are left out.
    """
    _, P = two_bodies(leg, gravity, T, V)
    return ca.DM(0), P


def stretch(leg: Leg, T: Value, V: Value) -> tuple[Value, Value, Value]:
    """A leg's length, direction, and rate of length."""
    L = norm(T - leg.base)  # (6)
    u = (T - leg.base) / L  # (12)
    L_dot = dot(V, u)  # (20)
    return L, u, L_dot


def parts(
    machine: ExtensibleLegs, pose: Value, twist: Value, legs: LegEnergies
) -> list[EnergyPart]:
    """The platform's mass, its rotation, and the legs, in their coordinates at a state."""
    R, p, omega = rotation(pose), position(pose), angular(twist)
    X, X_dot = ca.SX.sym("X", 3), ca.SX.sym("X_dot", 3)

    def part(K: Value, P: Value, x: Value, J: Value, J_dot: Value) -> EnergyPart:
        K, P = ca.vertsplit(ca.cse(ca.vertcat(K, P)))  # what is equal is differentiated once
        return EnergyPart(X, X_dot, K, P, x, J @ twist, J, J_dot)

    def point_part(energies: tuple[Value, Value], r: Value) -> EnergyPart:
        """Return the part of a point fixed in the platform, at r: Ẋ = v + ω x r, (18)."""
        J = point_jacobian(r)
        J_dot = ca.horzcat(ca.DM(3, 3), -skew(cross(omega, r)))
        return part(*energies, p + r, J, J_dot)

    def rotation_part(K: Value) -> EnergyPart:
        """Return the part of the Rodrigues vector at zero: θ̇ = ω - θ x ω / 2 + θ (θ·ω) / 4."""
        J = ca.horzcat(ca.DM(3, 3), ca.DM.eye(3))
        J_dot = ca.horzcat(ca.DM(3, 3), -skew(omega) / 2)
        return part(K, ca.SX(0), ca.DM.zeros(3), J, J_dot)

    g, platform = machine.gravity, machine.platform
    return [
        point_part(platform_mass(platform.mass, g, X, X_dot), R @ platform.center_of_mass),
        rotation_part(platform_rotation(platform.inertia, R, X, X_dot)),
        *(point_part(legs(leg, g, X, X_dot), R @ leg.platform) for leg in machine.legs),
    ]


def at_present(part: EnergyPart, expression: Value) -> Value:
    """An expression of a part's coordinates and rates, at their present values."""
    symbols, values = ca.vertcat(part.X, part.X_dot), ca.vertcat(part.x, part.x_dot)
    return ca.substitute(expression, symbols, values)


def lagrange_force(part: EnergyPart, x_ddot: Value) -> Value:
    """The force that a part's motion needs on its own coordinates, 3x1."""
    X, X_dot, X_ddot = part.X, part.X_dot, ca.SX.sym("X_ddot", 3)
    momentum = ca.gradient(part.K, X_dot)
    momentum_dot = ca.jtimes(momentum, ca.vertcat(X, X_dot), ca.vertcat(X_dot, X_ddot))
    force = momentum_dot - ca.gradient(part.K - part.P, X)  # (40)
    return ca.substitute(at_present(part, force), X_ddot, x_ddot)


def inertia_matrix(part: EnergyPart) -> Value:
    """M_X of K = ½ Ẋᵀ M_X Ẋ, 3x3 [(30), (37)]."""
    M, _ = ca.hessian(part.K, part.X_dot)
    return M


def christoffel_matrix(part: EnergyPart) -> Value:
    """V_X with V_ij = ½ Σ_k (∂M_ij/∂X_k + ∂M_ik/∂X_j - ∂M_jk/∂X_i) Ẋ_k, 3x3 [(45)-(47)].

    The paper's indices are exchanged (erratum). The three sums are Ṁ, B and Bᵀ.
    """
    M = inertia_matrix(part)
    M_dot = ca.reshape(ca.jtimes(ca.vec(M), part.X, part.X_dot), 3, 3)
    B = ca.jacobian(ca.gradient(part.K, part.X_dot), part.X)
    return (M_dot + B - B.T) / 2


# The machine's equations, (41)


def mass_matrix(machine: ExtensibleLegs, pose: Value, *, legs: LegEnergies = two_bodies) -> Value:
    """M of the equation of motion in twist coordinates, 6x6 [(42)]."""
    M = ca.DM(6, 6)
    for part in parts(machine, pose, AT_REST, legs):
        M += part.J.T @ at_present(part, inertia_matrix(part)) @ part.J
    return M


def coriolis_matrix(
    machine: ExtensibleLegs, pose: Value, twist: Value, *, legs: LegEnergies = two_bodies
) -> Value:
    """C of the equation of motion in twist coordinates, 6x6, torsion-free, Ṁ - 2C skew [(43)]."""
    C = ca.DM(6, 6)
    for part in parts(machine, pose, twist, legs):
        M_X = at_present(part, inertia_matrix(part))
        V_X = at_present(part, christoffel_matrix(part))
        C += part.J.T @ (V_X @ part.J + M_X @ part.J_dot)
    return C


def required_forces(
    machine: ExtensibleLegs,
    pose: Value,
    twist: Value,
    acceleration: Value,
    *,
    legs: LegEnergies = two_bodies,
) -> tuple[Value, Value]:
    """M · acceleration + C · twist + G (6) [N, N m]: the left side of (41); none along the legs."""
    tau = ca.DM.zeros(6)
    for part in parts(machine, pose, twist, legs):
        x_ddot = part.J @ acceleration + part.J_dot @ twist
        tau += part.J.T @ lagrange_force(part, x_ddot)
    return tau, ca.DM.zeros(len(machine.legs))
