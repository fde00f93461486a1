"""Dynamics by Newton-Euler in explicit form [Oftadeh, Aref, Taghirad 2010, sections II-IV].

A leg first has an equation of its own, for the position xᵢ of its platform joint (51). With
P = 1 - s sᵀ, which takes the part across the leg, and sorted by powers of 1/l, (58)-(60) read

    Mᵢ = m₂ 1 + μ P    Cᵢ = (m₂ c₂ / l) s ṡᵀ - 2 ν (l̇ / l) P    Gᵢ = -m₂ g - η P g

so the platform carries the pistons' masses as points at its joints, and μ, ν, η are what the legs
add to that. A leg on a universal joint also spins, and need not be symmetric: its angular velocity
is another linear map of ẋᵢ, and what that adds to Mᵢ and Cᵢ stands under `Turning`.

Jᵢ of ẋᵢ = Jᵢ · twist takes the legs to the platform. Twists stand in for the rates of Euler
angles, so the paper's E is the unit matrix. The platform's mass centre may be anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations import closure
from gough.equations.algebra import (
    Value,
    angular,
    cross,
    dot,
    linear,
    norm,
    reciprocal,
    rotation,
    skew,
    vector,
)
from gough.equations.leg import LegPosition, leg_axes, leg_position
from gough.equations.linear import solve_symmetric
from gough.equations.machine import Leg, Machine

AT_REST = ca.DM.zeros(6)


def inverse_dynamics(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """Actuator forces (6) [N] of a motion under an external wrench."""
    across, along = required_forces(machine, pose, twist, acceleration)
    # (82), with F_d and n_d of (25), (26), which are lost in print
    return along + closure.leg_forces(machine, pose, across - wrench)


def forward_dynamics(
    machine: Machine, pose: Value, twist: Value, force: Value, wrench: Value
) -> Value:
    """Acceleration (6) [m/s^2, rad/s^2] under actuator forces and an external wrench."""
    across, along = required_forces(machine, pose, twist, AT_REST)
    J = closure.jacobian(machine, pose)
    M = mass_matrix(machine, pose)
    return solve_symmetric(M, J.T @ (force - along) + wrench - across)  # (1)


def bias(machine: Machine, pose: Value, twist: Value) -> Value:
    """C · twist + G (6) [N, N m]."""
    across, along = required_forces(machine, pose, twist, AT_REST)
    return across + closure.jacobian(machine, pose).T @ along


def gravity(machine: Machine, pose: Value) -> Value:
    """G (6) [N, N m], the sum (81): what holds the machine at rest."""
    return bias(machine, pose, AT_REST)


def mass_matrix(machine: Machine, pose: Value) -> Value:
    """M (6x6) [kg, kg m, kg m^2] in twist coordinates: the sum (79)."""
    m, c, I = in_base_axes(carried_body(machine), pose)
    M = ca.blockcat([[m * ca.DM.eye(3), -skew(c)], [skew(c), I]])  # (65)
    for leg in machine.legs:
        at = leg_position(leg, pose)
        J = joint_jacobian(at)
        M += J.T @ leg_mass_matrix(leg, at) @ J  # (73)
    return ca.tril2symm(ca.tril(M))


def coriolis_matrix(machine: Machine, pose: Value, twist: Value) -> Value:
    """C (6x6) in twist coordinates, with Ṁ - 2C skew: the sum (80)."""
    omega = angular(twist)
    _, c, I = in_base_axes(carried_body(machine), pose)
    none = ca.DM.zeros(3, 3)
    C = ca.blockcat([[none, -skew(cross(omega, c))], [none, skew(omega) @ I]])  # (66)
    for leg in machine.legs:
        at = leg_position(leg, pose)
        b_dot = cross(omega, at.b)
        J = joint_jacobian(at)
        J_dot = ca.horzcat(none, -skew(b_dot))  # (71), line 1: line 2 has a wrong sign
        M_i = leg_mass_matrix(leg, at)
        C_i = leg_coriolis_matrix(leg, at, linear(twist) + b_dot)
        C += J.T @ (M_i @ J_dot + C_i @ J)  # (74)
    return C


def required_forces(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value]:
    """What a motion takes: a wrench on the platform (6), and forces along the legs (6) [N, N m].

    M · acceleration + C · twist + G = wrench + Jᵀ · along. A force along a leg is its actuator's
    alone, so it need not pass through the platform's balance.
    """
    v_dot, omega, alpha = linear(acceleration), angular(twist), angular(acceleration)
    D = skew(alpha) + skew(omega) @ skew(omega)  # b̈ = D b
    wrench = body_wrench(carried_body(machine), pose, omega, alpha, v_dot - machine.gravity, D)
    along = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        x_dot = linear(twist) + cross(omega, at.b)  # (11)
        x_ddot = v_dot + D @ at.b  # (18)
        f_n, f_s = leg_force(leg, at, x_dot, x_ddot, machine.gravity)
        wrench += vector(f_n, cross(at.b, f_n))  # (77)
        along.append(f_s)
    return wrench, vector(*along)


@dataclass(frozen=True)
class Body:
    """A rigid body about the platform frame's origin, on the platform's axes.

    Mass m [kg], first moment c [kg m] and inertia I [kg m^2]: no division by a mass.
    """

    m: Value
    c: Value
    I: Value


def carried_body(machine: Machine) -> Body:
    """The platform with each piston's mass as a point at the joint: the m₂ 1 of every Mᵢ."""
    platform = machine.platform
    points = [(platform.mass, platform.center_of_mass)]
    points += [(leg.piston.mass, leg.platform) for leg in machine.legs]
    return Body(
        sum(m for m, _ in points),
        sum(m * r for m, r in points),
        platform.inertia + sum(m * (dot(r, r) * ca.DM.eye(3) - r @ r.T) for m, r in points),
    )


def in_base_axes(body: Body, pose: Value) -> tuple[Value, Value, Value]:
    """The body's mass, first moment and inertia, on the base axes."""
    R = rotation(pose)
    return body.m, R @ body.c, R @ body.I @ R.T  # (27)


def body_wrench(
    body: Body, pose: Value, omega: Value, alpha: Value, free: Value, D: Value
) -> Value:
    """The wrench that moves the body; `free` is its origin's acceleration without gravity's."""
    R = rotation(pose)
    c = R @ body.c
    w = R.T @ omega
    n = R @ (body.I @ (R.T @ alpha) + cross(w, body.I @ w))
    return vector(body.m * free + D @ c, cross(c, free) + n)  # (25), (26)


def joint_jacobian(at: LegPosition) -> Value:
    """Jᵢ (3x6) of ẋᵢ = Jᵢ · twist."""
    return ca.horzcat(ca.DM.eye(3), -skew(at.b))  # (70)


def leg_inertia(leg: Leg, at: LegPosition) -> tuple[Value, Value, Value]:
    """μ, ν and η [kg] of a leg."""
    m1, c1 = leg.cylinder.mass, leg.cylinder.center_of_mass
    m2, c2 = leg.piston.mass, leg.piston.center_of_mass
    Ixx = leg.cylinder.inertia[0, 0] + leg.piston.inertia[0, 0]  # (38); in (37) s must be last
    k = Ixx + m1 * c1**2 + m2 * c2**2
    mu = (k * at.inverse_l - 2 * m2 * c2) * at.inverse_l  # (58)
    nu = (k * at.inverse_l - m2 * c2) * at.inverse_l  # (59)
    eta = (m1 * c1 - m2 * c2) * at.inverse_l  # (60)
    return mu, nu, eta


def leg_force(
    leg: Leg, at: LegPosition, x_dot: Value, x_ddot: Value, g: Value
) -> tuple[Value, Value]:
    """Mᵢ ẍᵢ + Cᵢ ẋᵢ + Gᵢ without m₂ (ẍᵢ - g): a force fⁿ (3) and a force fˢ along s (1) [N].

    Of fⁿ only the part across the leg is meant; fˢ takes back the part along s.
    """
    mu, nu, eta = leg_inertia(leg, at)
    m2, c2 = leg.piston.mass, leg.piston.center_of_mass
    l_dot = dot(at.s, x_dot)  # (13)
    f_n = mu * x_ddot - 2 * nu * l_dot * at.inverse_l * x_dot - eta * g  # (57)
    if leg.kind == "UPS":
        turn = turning(leg, at)
        q = turn.U @ x_dot
        N = turning_coriolis(turn, q)
        f_n += turn.U.T @ (turn.H @ (turn.U @ x_ddot - 2 * l_dot * at.inverse_l * q) + N @ q)
    turned = dot(x_dot, x_dot) - l_dot**2  # (54), (56): -ẋᵀ sₓ² ẋ, misprinted there
    f_s = m2 * c2 * turned * at.inverse_l**2 - dot(at.s, f_n)  # (56)
    return f_n, f_s


def leg_mass_matrix(leg: Leg, at: LegPosition) -> Value:
    """Mᵢ (3x3) [kg] without the carried m₂ 1."""
    mu, _, _ = leg_inertia(leg, at)
    M = mu * (ca.DM.eye(3) - at.s @ at.s.T)  # (58)
    if leg.kind == "UPS":
        turn = turning(leg, at)
        M += turn.U.T @ turn.H @ turn.U
    return M


def leg_coriolis_matrix(leg: Leg, at: LegPosition, x_dot: Value) -> Value:
    """Cᵢ (3x3) [kg/s], with Ṁᵢ - 2Cᵢ skew.

    With (59) it is not: here half of the term in P is ν ṡ sᵀ instead, which does the same to ẋᵢ.
    """
    s, r = at.s, at.inverse_l
    _, nu, _ = leg_inertia(leg, at)
    m2, c2 = leg.piston.mass, leg.piston.center_of_mass
    l_dot = dot(s, x_dot)  # (13)
    s_dot = (x_dot - l_dot * s) * r
    P = ca.DM.eye(3) - s @ s.T
    C = s @ (m2 * c2 * r * s_dot).T - (nu * s_dot) @ s.T - nu * l_dot * r * P  # (59)
    if leg.kind == "UPS":
        turn = turning(leg, at)
        q = turn.U @ x_dot
        N = turning_coriolis(turn, q)
        C += turn.U.T @ ((N - l_dot * r * turn.H) @ turn.U - (turn.H @ q * r) @ s.T)
    return C


@dataclass(frozen=True)
class Turning:
    """How a leg on a universal joint turns: ω = E q on its own axes, where q = U ẋᵢ.

    q = (u, v) is ṡ along the leg's x and y [1/s], so ω = (-v, u, t u): the joint makes the leg
    spin about s by t for each turn about y. I is the inertia that μ and ν do not have already,
    all but Ixx across the leg [kg m^2].
    """

    U: Value
    t: Value
    IE: Value
    H: Value
    """Eᵀ I E (2x2)."""


def turning(leg: Leg, at: LegPosition) -> Turning:
    """The turning of a UPS leg: its first axis lies in the plane of y and s, and x across it."""
    x, y, s = leg_axes(leg, at)
    t = dot(leg.first_axis, s) * reciprocal(norm(cross(leg.first_axis, s)))
    E = ca.blockcat([[0, -1], [1, 0], [t, 0]])
    I = leg.cylinder.inertia + leg.piston.inertia
    IE = (I - I[0, 0] * ca.diag([1, 1, 0])) @ E
    return Turning(ca.horzcat(x, y).T * at.inverse_l, t, IE, E.T @ IE)


def turning_coriolis(turn: Turning, q: Value) -> Value:
    """N (2x2) of Eᵀ (I ω̇ + ω x I ω) = H (U ẍᵢ - 2 (l̇ / l) q) + N q.

    The leg's axes turn with it: U̇ = (t u Q - l̇ / l) U - q sᵀ / l with Q = [0 1; -1 0]. Hence
    N = t u H Q + Eᵀ (I Ė - pₓ E) with p = I ω; here Eᵀ pₓ E = (t p_y - p_z) Q, ṫ = (1 + t²) v.
    """
    (u, v), t = ca.vertsplit(q), turn.t
    t_dot = (1 + t**2) * v
    p = turn.IE @ q
    Q = ca.DM([[0, 1], [-1, 0]])
    EIE_dot = ca.horzcat(turn.IE[2, :].T * t_dot, ca.DM.zeros(2))  # Eᵀ I Ė
    return t * u * turn.H @ Q + EIE_dot + (p[2] - t * p[1]) * Q
