"""Virtual work: the wrench on every body, projected through that body's link Jacobian.

After H. Kalani, A. Rezaei, A. Akbarzadeh: Improved general solution for the dynamic modeling of
Gough-Stewart platform based on principle of virtual work, Nonlinear Dynamics 83 (2016); bare
numbers in comments are its equations.

A leg hangs on the platform by one point, S, so each of its link Jacobians has two factors: the
paper's J_MPi from the platform's twist to the velocity of S, and a 3x3 matrix K, on leg axes,
from there to the part: J_v1 = K_v1 Fᵀ J_MPi and so on. The sums run over the small factors. The
paper varies the leg lengths, δt = J⁻¹ δq; here the platform's displacement δt is free and
δq = J δt (17), which needs no inverse.

Beyond the paper: platform mass centre and first axes anywhere, gravity in any direction, different
legs, full inertia tensors, and SPS legs, which do not spin.
"""

from dataclasses import dataclass

import casadi as ca
from casadi import cross, dot, skew

from gough.equations.legs.closure import leg_position
from gough.equations.legs.extensible import ExtensibleLegs, Leg
from gough.equations.spatial.algebra import Value, angular, point_jacobian, rotation

Z = ca.DM([0, 0, 1])  # the leg's direction, on leg axes


def required_forces(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value]:
    """Wrench (6) [N, N m] that balances a motion: (62), δq = J δt; no forces along the legs."""
    w = platform_wrench(machine, pose, twist, acceleration)
    for leg in machine.legs:
        link = link_position(leg, pose)
        J, J_dot = point_jacobian(link.b), joint_jacobian_rate(link.b, twist)
        v = link.F.T @ (J @ twist)  # (15)
        v_dot = link.F.T @ (J @ acceleration + J_dot @ twist)  # (42)
        w += J.T @ (link.F @ link_force(leg, link, link.F.T @ machine.gravity, v, v_dot))  # (62)
    return -w, ca.DM.zeros(len(machine.legs))


def mass_matrix(machine: ExtensibleLegs, pose: Value) -> Value:
    """M (6x6), symmetric, in twist coordinates: minus the paper's, which is negative definite."""
    platform, R = machine.platform, rotation(pose)
    J = point_jacobian(R @ platform.center_of_mass)
    M = platform.mass * J.T @ J + ca.diagcat(ca.DM(3, 3), R @ platform.inertia @ R.T)  # (83)
    for leg in machine.legs:
        link = link_position(leg, pose)
        J = point_jacobian(link.b)
        M += J.T @ (link.F @ link_mass_matrix(leg, link) @ link.F.T) @ J
    return M


def platform_wrench(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> Value:
    """Weight and inertia of the platform (6x1), about its frame's origin [§7.1]."""
    m, g, R = machine.platform.mass, machine.gravity, rotation(pose)
    c, I = R @ machine.platform.center_of_mass, machine.platform.inertia
    J, J_dot = point_jacobian(c), joint_jacobian_rate(c, twist)
    omega, omega_dot = R.T @ angular(twist), R.T @ angular(acceleration)
    f = m * (g - (J @ acceleration + J_dot @ twist))  # (54) at the mass centre; (56) prints +g
    n = -R @ (I @ omega_dot + cross(omega, I @ omega))  # (54), (55)
    return J.T @ f + ca.vertcat(ca.DM.zeros(3, 1), n)


def joint_jacobian_rate(b: Value, twist: Value) -> Value:
    """Time derivative (3x6) of J_MPi (74); J̇_MPi · twist is the paper's Nᵢ ω + mᵢ (79)."""
    return ca.horzcat(ca.DM(3, 3), -skew(cross(angular(twist), b)))


@dataclass(frozen=True)
class LinkPosition:
    """Where a leg is, and what its parts' motions owe to its platform joint's, on leg axes."""

    b: Value  # from the platform frame's origin to the platform joint, base axes [m]
    q: Value  # length [m]
    F: Value  # rotation from leg to base axes
    tangent: Value  # tan ψ: the spin is -tan ψ times the turning rate about y. Zero for SPS legs
    slope: Value  # d tan ψ / dψ. Zero for SPS legs
    K_v1: Value  # from the joint's velocity to the velocity of the cylinder's mass centre (3x3)
    K_v2: Value  # from the joint's velocity to the velocity of the piston's mass centre (3x3)
    K_omega: Value  # from the joint's velocity to the leg's angular velocity (3x3)


def link_position(leg: Leg, pose: Value) -> LinkPosition:
    """Position and link Jacobians of a leg at a pose [§2, §4, A1.2]."""
    at = leg_position(leg, pose)
    q, e1, e2 = at.l, leg.cylinder.center_of_mass, leg.piston.center_of_mass
    F = ca.horzcat(*leg.base_joint.axes(at.s))  # (6)
    tangent, slope, a = ca.DM(0), ca.DM(0), leg.base_joint.first_axis
    if a is not None:
        tangent = -dot(a, at.s) / leg.base_joint.sine(at.s)  # (8)
        slope = 1 + tangent * tangent
    K_v1 = ca.diag(ca.vertcat(e1 / q, e1 / q, 0))  # (78)
    K_v2 = ca.diag(ca.vertcat(1 - e2 / q, 1 - e2 / q, 1))  # (78)
    K_omega = ca.blockcat([[0, -1 / q, 0], [1 / q, 0, 0], [-tangent / q, 0, 0]])  # (77)
    return LinkPosition(at.b, q, F, tangent, slope, K_v1, K_v2, K_omega)


def link_force(leg: Leg, link: LinkPosition, g: Value, v: Value, v_dot: Value) -> Value:
    """Force at the platform joint of the leg's wrenches; all vectors on leg axes [§6, §7]."""
    cylinder, piston = leg.cylinder, leg.piston
    omega = link.K_omega @ v  # (28)
    s_dot = cross(omega, Z)  # (30)
    across = (v_dot[0:2] - 2 * v[2] * s_dot[0:2]) / link.q  # (39)
    s_ddot = ca.vertcat(across, -dot(s_dot, s_dot))  # (41)
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
    return ca.vertcat(x, y, z)


def link_mass_matrix(leg: Leg, link: LinkPosition) -> Value:
    """Mass matrix of the leg (3x3) as its platform joint feels it, on leg axes (85), (86)."""
    return (
        leg.cylinder.mass * link.K_v1.T @ link.K_v1
        + leg.piston.mass * link.K_v2.T @ link.K_v2
        + link.K_omega.T @ (leg.cylinder.inertia + leg.piston.inertia) @ link.K_omega
    )
