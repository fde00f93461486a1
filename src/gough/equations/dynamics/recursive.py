"""Dynamics by separating the platform from its legs, each a serial chain [Briot & Khalil 2021].

The platform obeys Newton-Euler with first moments; every leg, cut loose at its ball joint and
driven in all its joints, is solved by recursive Newton-Euler; the Jacobians of the closed loops
bring both together in the platform's coordinates (§2, §3), where Ψ is the identity.

The link frames differ from the paper's Table 1: each leg's are parallel to its own axes x, y, s
and start at B_i (Table 1's r_1i = 0 is not general), and the passive joints' angles are counted
from where they stand, so that no angle is ever computed.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.dynamics import chain
from gough.equations.dynamics.chain import Chain
from gough.equations.legs.leg import LegPosition, leg_position
from gough.equations.machine import Leg, Machine, Platform
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value, angular, cross, linear, rotation, skew, vector


def required_wrench(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """idm_x: the wrench on the platform that moves the whole machine, 6x1 [N, N m] [§2]."""
    U_P = chain.lever_matrix(angular(twist), angular(acceleration))
    required = platform_wrench(machine, pose, twist, acceleration)
    for leg in machine.legs:
        at = leg_position(leg, pose)
        J_v = platform_jacobian(at)
        v_i = J_v @ twist  # (28)
        v_i_dot = linear(acceleration) + U_P @ at.b  # (28), derived
        force = leg_force(leg_chain(leg, at), v_i, v_i_dot, machine.gravity)
        required += J_v.T @ force  # (15)
    return required


def mass_matrix(machine: Machine, pose: Value) -> Value:
    """M_rob, 6x6 [kg, kg m, kg m^2], in twist coordinates [§3]."""
    M_rob = platform_inertia(machine.platform, rotation(pose))
    for leg in machine.legs:
        at = leg_position(leg, pose)
        J_v = platform_jacobian(at)
        M_rob += J_v.T @ leg_inertia(leg_chain(leg, at)) @ J_v  # (21): Ψ = 1
    return M_rob


def platform_wrench(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """w_P: the wrench that moves the free platform, 6x1 [N, N m] [§2]."""
    R, body = rotation(pose), platform_body(machine.platform)
    ms, I_P = R @ body.ms, body.inertia
    v_dot = linear(acceleration) - machine.gravity
    f = body.mass * v_dot + chain.lever_matrix(angular(twist), angular(acceleration)) @ ms  # (10)
    w, w_dot = R.T @ angular(twist), R.T @ angular(acceleration)
    n = I_P @ w_dot + cross(w, I_P @ w)  # (10): the 3x3 I_P, not the printed 6x6
    return ca.vertcat(f, cross(ms, v_dot) + R @ n)  # (10)


def platform_inertia(platform: Platform, R: Value) -> Value:
    """Generalised inertia of the platform about its origin, 6x6, in base axes [§2]."""
    body = platform_body(platform)
    ms = skew(R @ body.ms)  # with a hat in both places: (11) prints one without
    return ca.blockcat([[body.mass * ca.DM.eye(3), -ms], [ms, R @ body.inertia @ R.T]])  # (11)


def platform_body(platform: Platform) -> chain.Link:
    """Describe the platform by first moments and inertia about its frame's origin."""
    return chain.link(platform.mass, platform.center_of_mass, platform.inertia)


def platform_jacobian(at: LegPosition) -> Value:
    """J_vi, 3x6: the velocity of the ball joint's centre from the platform's twist [§4.2.2]."""
    return ca.horzcat(ca.DM.eye(3), -skew(at.b))  # (29)


def leg_chain(leg: Leg, at: LegPosition) -> Chain:
    """Describe a leg without its ball joint: R, R, P, with all frames along x, y, s [§4.1].

    An SPS leg does not spin: at every instant it turns about two axes across it. Any two will
    do, for they differ in the angular acceleration along s only, and as the leg is symmetric
    about s, what that takes is a moment along s, which no joint of the chain feels.
    """
    across, upright = ca.DM([1, 0, 0]), ca.DM([0, 0, 1])
    first = leg.base_joint.turning_axis(at.s)
    L, parallel, here = ca.horzcat(*leg.base_joint.axes(at.s)), ca.DM.eye(3), ca.DM.zeros(3)
    c, p = leg.cylinder, leg.piston
    cylinder = chain.link(c.mass, c.center_of_mass * upright, c.inertia)
    piston = chain.link(p.mass, -p.center_of_mass * upright, p.inertia)
    joints = (
        chain.revolute(first, L, leg.base, chain.MASSLESS),
        chain.revolute(across, parallel, here, cylinder),
        chain.prismatic(upright, parallel, here, piston),
    )
    return chain.posed(Chain(joints, here), vector(0, 0, at.l))  # (24)


def leg_jacobian(leg: Chain) -> Value:
    """J_i, from a leg's joint rates to the velocity of its tip, in the leg's axes [§4.2.1]."""
    return chain.tip_jacobian(leg)[0:3, :]  # (26); (25) means q̇_i


def leg_force(leg: Chain, v: Value, v_dot: Value, gravity: Value) -> Value:
    """J_i^-T τ_i: the force at its tip that moves an undriven leg, 3x1 [N], in base axes [§2].

    v [m/s] and v_dot [m/s^2] are the tip's velocity and its plain derivative, in base axes.
    """
    R, J_i = chain.tip_rotation(leg), leg_jacobian(leg)
    q_dot = solve(J_i, R.T @ v)  # (30)
    q_ddot = solve(J_i, R.T @ v_dot - chain.tip_drift(leg, q_dot)[0:3])  # (30), derived: J̇_i q̇_i
    tau = chain.inverse_dynamics(leg, q_dot, q_ddot, gravity)
    return R @ solve(J_i.T, tau)


def leg_inertia(leg: Chain) -> Value:
    """M_xi = J_i^-T M_i J_i^-1: a leg's inertia as felt at its tip, 3x3 [kg], in base axes [§3]."""
    R, J_i = chain.tip_rotation(leg), leg_jacobian(leg)
    M = solve(J_i.T, solve(J_i.T, chain.mass_matrix(leg)).T)
    return ca.tril2symm(ca.tril(R @ M @ R.T))
