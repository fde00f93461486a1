"""Virtual work: the wrench on every body, projected through that body's link Jacobian.

After H. Kalani, A. Rezaei, A. Akbarzadeh: Improved general solution for the dynamic modeling of
Gough-Stewart platform based on principle of virtual work, Nonlinear Dynamics 83 (2016); bare
numbers in comments are its equations.

A leg hangs on the platform by one point, S, so each of its link Jacobians has two factors: the
paper's J_MPi from the platform's twist to the velocity of S, and a 3x3 matrix K, on leg axes,
from there to the part: J_v1 = K_v1 Fᵀ J_MPi and so on. The sums run over the small factors. The
paper varies the leg lengths, δt = J⁻¹ δq; here the platform's displacement δt is free and
δq = J δt, which needs no inverse. Its own form is at the end, under the names `joint_...`.

Beyond the paper: platform mass centre and first axes anywhere, gravity in any direction, different
legs, full inertia tensors, and SPS legs, which do not spin.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.dynamics import joint_space
from gough.equations.legs.closure import direct_jacobian, jacobian, jacobian_rate, leg_forces
from gough.equations.legs.leg import leg_position
from gough.equations.machine import Leg, Machine, Platform
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial.algebra import (
    Value,
    angular,
    cross,
    dot,
    rotation,
    skew,
    vector,
)

NOTHING = ca.DM.zeros(6, 1)
Z = ca.DM([0, 0, 1])  # the leg's direction, on leg axes


def inverse_dynamics(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """Actuator forces (6x1) [N] for a motion of the platform under an external wrench."""
    w = resultant(machine, pose, twist, acceleration) + wrench
    return leg_forces(machine, pose, -w)  # (62) with δq = J δt (17)


def forward_dynamics(
    machine: Machine, pose: Value, twist: Value, force: Value, wrench: Value
) -> Value:
    """Platform acceleration (6x1) [m/s^2, rad/s^2] under actuator forces and a wrench."""
    w = jacobian(machine, pose).T @ force + wrench - bias(machine, pose, twist)
    return solve_symmetric(mass_matrix(machine, pose), w)


def bias(machine: Machine, pose: Value, twist: Value) -> Value:
    """C · twist + G (6x1) [N, N m]: what a motion without acceleration asks for."""
    return -resultant(machine, pose, twist, NOTHING)


def gravity(machine: Machine, pose: Value) -> Value:
    """G (6x1) [N, N m]: what holding still asks for."""
    return -resultant(machine, pose, NOTHING, NOTHING)


def mass_matrix(machine: Machine, pose: Value) -> Value:
    """M (6x6), symmetric, in twist coordinates: minus the paper's, which is negative definite."""
    M = platform_mass_matrix(machine.platform, pose)
    for leg in machine.legs:
        link = link_position(leg, pose)
        J = joint_jacobian(link.b)
        M += J.T @ (link.F @ link_mass_matrix(leg, link) @ link.F.T) @ J
    return M


def coriolis_matrix(machine: Machine, pose: Value, twist: Value) -> Value:
    """C (6x6) in twist coordinates, with Ṁ - 2C skew.

    The paper's J_Cor (96), (106) are right only as products with the rates; here they are the
    link Jacobians' time derivatives, element by element, and the skew symmetry follows.
    """
    C = platform_coriolis_matrix(machine.platform, pose, twist)
    for leg in machine.legs:
        link = link_position(leg, pose)
        J, J_dot = joint_jacobian(link.b), joint_jacobian_rate(link.b, twist)
        on_velocity = link_coriolis_matrix(leg, link, link.F.T @ (J @ twist))
        on_acceleration = link_mass_matrix(leg, link)
        C += J.T @ link.F @ (on_acceleration @ (link.F.T @ J_dot) + on_velocity @ (link.F.T @ J))
    return C


def resultant(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Weights and inertia forces of all bodies, as one wrench (6x1) on the platform [N, N m]."""
    w = platform_wrench(machine, pose, twist, acceleration)
    for leg in machine.legs:
        link = link_position(leg, pose)
        J, J_dot = joint_jacobian(link.b), joint_jacobian_rate(link.b, twist)
        v = link.F.T @ (J @ twist)  # (15)
        v_dot = link.F.T @ (J @ acceleration + J_dot @ twist)  # (42)
        w += J.T @ (link.F @ link_force(leg, link, link.F.T @ machine.gravity, v, v_dot))  # (62)
    return w


# The platform


def platform_wrench(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Weight and inertia of the platform (6x1), about its frame's origin [§7.1]."""
    m, g, R = machine.platform.mass, machine.gravity, rotation(pose)
    c, I = R @ machine.platform.center_of_mass, machine.platform.inertia
    J, J_dot = joint_jacobian(c), joint_jacobian_rate(c, twist)
    omega, omega_dot = R.T @ angular(twist), R.T @ angular(acceleration)
    f = m * (g - (J @ acceleration + J_dot @ twist))  # (54) at the mass centre; (56) prints +g
    n = -R @ (I @ omega_dot + cross(omega, I @ omega))  # (54), (55)
    return J.T @ f + vector(ca.DM.zeros(3, 1), n)


def platform_mass_matrix(platform: Platform, pose: Value) -> Value:
    """Platform's share (6x6) of the mass matrix (83)."""
    R = rotation(pose)
    J = joint_jacobian(R @ platform.center_of_mass)
    return platform.mass * J.T @ J + ca.diagcat(ca.DM(3, 3), R @ platform.inertia @ R.T)


def platform_coriolis_matrix(platform: Platform, pose: Value, twist: Value) -> Value:
    """Platform's share (6x6) of the Coriolis matrix (83), (57)."""
    R = rotation(pose)
    c, I = R @ platform.center_of_mass, R @ platform.inertia @ R.T
    J, J_dot = joint_jacobian(c), joint_jacobian_rate(c, twist)
    return platform.mass * J.T @ J_dot + ca.diagcat(ca.DM(3, 3), skew(angular(twist)) @ I)


def joint_jacobian(b: Value) -> Value:
    """J_MPi (3x6), from the platform's twist to the velocity of its point at b."""
    return ca.horzcat(ca.DM.eye(3), -skew(b))  # (74)


def joint_jacobian_rate(b: Value, twist: Value) -> Value:
    """Time derivative (3x6) of J_MPi; J̇_MPi · twist is the paper's Nᵢ ω + mᵢ (79)."""
    return ca.horzcat(ca.DM(3, 3), -skew(cross(angular(twist), b)))


# A leg


@dataclass(frozen=True)
class LinkPosition:
    """Where a leg is, and what its parts' motions owe to its platform joint's, on leg axes."""

    b: Value
    """From the platform frame's origin to the platform joint, base axes [m]."""
    q: Value
    """Length [m]."""
    F: Value
    """Rotation from leg to base axes."""
    tangent: Value
    """tan ψ: the spin is -tan ψ times the turning rate about y. Zero for SPS legs."""
    slope: Value
    """d tan ψ / dψ. Zero for SPS legs."""
    K_v1: Value
    """From the joint's velocity to the velocity of the cylinder's mass centre (3x3)."""
    K_v2: Value
    """From the joint's velocity to the velocity of the piston's mass centre (3x3)."""
    K_omega: Value
    """From the joint's velocity to the leg's angular velocity (3x3)."""


def link_position(leg: Leg, pose: Value) -> LinkPosition:
    """Position and link Jacobians of a leg at a pose [§2, §4, A1.2]."""
    at = leg_position(leg, pose)
    q, e1, e2 = at.l, leg.cylinder.center_of_mass, leg.piston.center_of_mass
    F = ca.horzcat(*leg.base_joint.axes(at.s))  # (6)
    tangent, slope = leg.base_joint.spin_slope(at.s)  # (8)
    K_v1 = ca.diag(vector(e1 / q, e1 / q, 0))  # (78)
    K_v2 = ca.diag(vector(1 - e2 / q, 1 - e2 / q, 1))  # (78)
    K_omega = ca.blockcat([[0, -1 / q, 0], [1 / q, 0, 0], [-tangent / q, 0, 0]])  # (77)
    return LinkPosition(at.b, q, F, tangent, slope, K_v1, K_v2, K_omega)


def link_force(leg: Leg, link: LinkPosition, g: Value, v: Value, v_dot: Value) -> Value:
    """Force at the platform joint (3x1) that does the virtual work of the leg's wrenches.

    `v` and `v_dot` are the joint's velocity and acceleration; all vectors are on leg axes [§6, §7].
    """
    cylinder, piston = leg.cylinder, leg.piston
    omega = link.K_omega @ v  # (28)
    s_dot = cross(omega, Z)  # (30)
    s_ddot = vector((v_dot[0:2] - 2 * v[2] * s_dot[0:2]) / link.q, -dot(s_dot, s_dot))  # (39), (41)
    omega_dot = link_angular_acceleration(link, omega, s_ddot)
    v1_dot = cylinder.center_of_mass * s_ddot  # (49)
    v2_dot = v_dot - piston.center_of_mass * s_ddot  # (49) less (39)
    I = cylinder.inertia + piston.inertia  # the parts turn together
    f_cyl = cylinder.mass * (g - v1_dot)  # (59)
    f_pis = piston.mass * (g - v2_dot)  # (59), whose print lacks the acceleration
    n = -I @ omega_dot - cross(omega, I @ omega)  # (59), printed with ω̇ for ω
    return link.K_v1.T @ f_cyl + link.K_v2.T @ f_pis + link.K_omega.T @ n  # (62)


def link_angular_acceleration(link: LinkPosition, omega: Value, s_ddot: Value) -> Value:
    """Angular acceleration of the leg (3x1) on leg axes, from ω and the second rate of s [A3.1]."""
    x = omega[1] * omega[2] - s_ddot[1]  # (97), (99)
    y = s_ddot[0] - omega[0] * omega[2]  # (97), (99)
    z = -link.tangent * y - link.slope * omega[0] * omega[1]  # (47); third row of (81), corrected
    return vector(x, y, z)


def link_mass_matrix(leg: Leg, link: LinkPosition) -> Value:
    """Mass matrix of the leg (3x3) as its platform joint feels it, on leg axes (85), (86)."""
    return (
        leg.cylinder.mass * link.K_v1.T @ link.K_v1
        + leg.piston.mass * link.K_v2.T @ link.K_v2
        + link.K_omega.T @ (leg.cylinder.inertia + leg.piston.inertia) @ link.K_omega
    )


def link_coriolis_matrix(leg: Leg, link: LinkPosition, v: Value) -> Value:
    """Coriolis matrix of the leg (3x3) as its platform joint feels it, on leg axes (85), (86).

    The factors K change on leg axes and turn with them: d/dt (F K Fᵀ) = F (K̇ + ω̃ K - K ω̃) Fᵀ.
    """
    I = leg.cylinder.inertia + leg.piston.inertia
    omega = link.K_omega @ v  # (28)
    W, stretch = skew(omega), v[2] / link.q
    spin_rate = ca.blockcat([[0, 0, 0], [0, 0, 0], [link.slope * omega[0] / link.q, 0, 0]])
    K_v1_dot = -stretch * link.K_v1
    K_v2_dot = stretch * (ca.DM.eye(3) - link.K_v2)
    K_omega_dot = -stretch * link.K_omega - spin_rate
    return (
        leg.cylinder.mass * link.K_v1.T @ (K_v1_dot + W @ link.K_v1 - link.K_v1 @ W)
        + leg.piston.mass * link.K_v2.T @ (K_v2_dot + W @ link.K_v2 - link.K_v2 @ W)
        + link.K_omega.T @ I @ (K_omega_dot + W @ link.K_omega - link.K_omega @ W)
        + link.K_omega.T @ W @ I @ link.K_omega  # (60)
    )


# The paper's own coordinates, the leg lengths: M_q q̈ + C_q q̇ + G_q = force + J⁻ᵀ wrench (65)


def joint_mass_matrix(machine: Machine, pose: Value) -> Value:
    """M_q (6x6) [kg], symmetric positive definite: minus the paper's M(q) (66)."""
    return joint_space.mass_matrix(direct_jacobian(machine, pose), mass_matrix(machine, pose))


def joint_coriolis_matrix(machine: Machine, pose: Value, twist: Value) -> Value:
    """C_q (6x6) [kg/s], with Ṁ_q - 2 C_q skew; C_q q̇ is minus the paper's (66)."""
    direct, J_dot = direct_jacobian(machine, pose), jacobian_rate(machine, pose, twist)
    M, C = mass_matrix(machine, pose), coriolis_matrix(machine, pose, twist)
    return joint_space.coriolis_matrix(direct, J_dot, M, C)


def joint_gravity(machine: Machine, pose: Value) -> Value:
    """G_q (6x1) [N]: the actuator forces that hold the machine still; minus the paper's (66)."""
    return leg_forces(machine, pose, gravity(machine, pose))
