"""Dynamics by Newton-Euler in explicit form [Oftadeh, Aref, Taghirad 2010, sections II-IV].

A leg has an equation of its own, for the position xᵢ of its platform joint (51). With P = 1 - s sᵀ,
which takes the part across the leg, and sorted by powers of 1/l, (58)-(60) read

    Mᵢ = m₂ 1 + μ P    Cᵢ = (m₂ c₂ / l) s ṡᵀ - 2 ν (l̇ / l) P    Gᵢ = -m₂ g - η P g

The platform carries m₂ 1; μ, ν, η are what the leg adds to that. A leg on a universal joint also
spins, and need not be symmetric: its angular velocity is another linear map of ẋᵢ, and what that
adds to Mᵢ and Cᵢ stands under `LegRotation`. Jᵢ of ẋᵢ = Jᵢ · twist takes the legs to the platform.
Twists stand in for the rates of Euler angles, so the paper's E is the unit matrix. The platform's
mass centre may be anywhere.
"""

from dataclasses import dataclass
from functools import partial

import casadi as ca
from casadi import cross, dot, skew

from gough.equations.legs.closure import LegPosition, leg_position
from gough.equations.legs.extensible import ExtensibleLegs, Leg
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial import algebra
from gough.equations.spatial.algebra import Value, angular, linear, rotation, vector, wrench_at
from gough.equations.tree.bodies import Rigid


def required_forces(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value]:
    """Return a motion's wrench on the platform (6) [N, N m] and forces along the legs (n): (82)."""
    v_dot, omega, alpha = linear(acceleration), angular(twist), angular(acceleration)
    D = skew(alpha) + skew(omega) @ skew(omega)  # b̈ = D b
    free = v_dot - machine.gravity  # F_d, n_d of (25), (26) are lost in print in (82)
    wrench = body_wrench(carried_body(machine), pose, omega, alpha, free, D)
    along = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        x_dot = linear(twist) + cross(omega, at.b)  # (11)
        x_ddot = v_dot + D @ at.b  # (18)
        f_n, f_s = leg_force(leg, at, x_dot, x_ddot, machine.gravity)
        wrench += wrench_at(at.b, f_n)  # (77)
        along.append(f_s)
    return wrench, vector(*along)


def forward_dynamics(
    machine: ExtensibleLegs, pose: Value, twist: Value, force: Value, wrench: Value
) -> Value:
    """Acceleration (6) [m/s^2, rad/s^2] under actuator forces and an external wrench."""
    omega, g = angular(twist), machine.gravity
    m, c, I = in_base_axes(carried_body(machine), pose)
    M = body_mass_matrix(m, c, I)
    f, n = cross(omega, cross(omega, c)) - m * g, cross(omega, I @ omega) - cross(c, g)
    left = wrench - vector(f, n)  # (25), (26)
    for leg, pushed in zip(machine.legs, ca.vertsplit(force), strict=True):
        at = leg_position(leg, pose)
        b_dot = cross(omega, at.b)
        f_n, f_s = leg_force(leg, at, linear(twist) + b_dot, cross(omega, b_dot), g)
        left -= wrench_at(at.b, f_n + (f_s - pushed) * at.s)  # (77)
        M += at_platform(leg_mass_matrix(leg, at), at)
    return solve_symmetric(M, left)  # (1)


def mass_matrix(machine: ExtensibleLegs, pose: Value) -> Value:
    """M (6x6) [kg, kg m, kg m^2] in twist coordinates: the sum (79)."""
    m, c, I = in_base_axes(carried_body(machine), pose)
    M = body_mass_matrix(m, c, I)
    for leg in machine.legs:
        at = leg_position(leg, pose)
        M += at_platform(leg_mass_matrix(leg, at), at)
    return ca.tril2symm(ca.tril(M))


def coriolis_matrix(machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
    """C (6x6) in twist coordinates, torsion-free, with Ṁ - 2C skew: the sum (80).

    (66) has ω^ I for the platform's turning: here it is half of ∂(ω x I ω)/∂ω + I [ω, ·].
    """
    omega, W = angular(twist), skew(angular(twist))
    _, c, I = in_base_axes(carried_body(machine), pose)
    none = ca.DM.zeros(3, 3)
    turning = (W @ I - skew(I @ omega) - I @ W) / 2
    C = ca.blockcat([[none, -skew(cross(omega, c))], [none, turning]])  # (66)
    for leg in machine.legs:
        at = leg_position(leg, pose)
        b_dot = cross(omega, at.b)
        J = algebra.point_jacobian(at.b)  # (70)
        J_dot = ca.horzcat(none, -skew(b_dot))  # (71), line 1: line 2 has a wrong sign
        M_i = leg_mass_matrix(leg, at)
        C_i = leg_coriolis_matrix(leg, at, linear(twist) + b_dot)
        C += J.T @ (M_i @ J_dot + C_i @ J)  # (74)
    return C


def limb_matrices(machine: ExtensibleLegs, pose: Value, twist: Value) -> tuple[Value, Value, Value]:
    """Mᵢ, Cᵢ and Gᵢ of each leg: Mᵢ ẍᵢ + Cᵢ ẋᵢ + Gᵢ is the force (51) on its platform joint.

    Three rows for each leg, base axes; Ṁᵢ - 2Cᵢ is skew.
    """
    M, C, G = [], [], []
    none = ca.DM.zeros(3)
    for leg in machine.legs:
        at, m2, g = leg_position(leg, pose), leg.piston.mass, machine.gravity
        x_dot = linear(twist) + cross(angular(twist), at.b)  # (11)
        f_n, f_s = leg_force(leg, at, none, none, g)
        M.append(m2 * ca.DM.eye(3) + leg_mass_matrix(leg, at))  # (58)
        C.append(leg_coriolis_matrix(leg, at, x_dot))  # (59)
        G.append((f_n + f_s * at.s - m2 * g).T)  # (60)
    return ca.vertcat(*M), ca.vertcat(*C), ca.vertcat(*G)


def carried_body(machine: ExtensibleLegs) -> Rigid:
    """The platform, about its origin, with each piston as a point mass: the m₂ 1 of every Mᵢ."""
    platform = machine.platform
    points = [(platform.mass, platform.center_of_mass)]
    points += [(leg.piston.mass, leg.platform) for leg in machine.legs]
    one = ca.DM.eye(3)
    return Rigid(
        sum((m for m, _ in points[1:]), points[0][0]),
        algebra.total([m * r for m, r in points]),
        algebra.total([platform.inertia, *(m * (dot(r, r) * one - r @ r.T) for m, r in points)]),
    )


def in_base_axes(body: Rigid, pose: Value) -> tuple[Value, Value, Value]:
    """The body's mass, first moment and inertia, on the base axes."""
    R = rotation(pose)
    return body.mass, R @ body.ms, ca.tril2symm(ca.tril(R @ body.inertia @ R.T))  # (27)


def body_wrench(
    body: Rigid, pose: Value, omega: Value, alpha: Value, free: Value, D: Value
) -> Value:
    """The wrench that moves the body; `free` is its origin's acceleration without gravity's."""
    R = rotation(pose)
    c = R @ body.ms
    w = R.T @ omega
    n = R @ (body.inertia @ (R.T @ alpha) + cross(w, body.inertia @ w))
    return vector(body.mass * free + D @ c, cross(c, free) + n)  # (25), (26)


def body_mass_matrix(m: Value, c: Value, I: Value) -> Value:
    """The mass matrix (6x6) of a body's mass, first moment and inertia."""
    return ca.blockcat([[m * ca.DM.eye(3), -skew(c)], [skew(c), I]])  # (65)


def at_platform(M: Value, at: LegPosition) -> Value:
    """Transform a mass matrix (3x3) of a leg's platform joint to the platform (6x6)."""
    J = algebra.point_jacobian(at.b)
    return J.T @ M @ J  # (73)


# A leg, without the m₂ 1 that the platform carries


def leg_force(
    leg: Leg, at: LegPosition, x_dot: Value, x_ddot: Value, g: Value
) -> tuple[Value, Value]:
    """Mᵢ ẍᵢ + Cᵢ ẋᵢ + Gᵢ without m₂ (ẍᵢ - g): a force fⁿ (3) and a force fˢ along s (1) [N].

    Of fⁿ only the part across the leg is meant; fˢ takes back the part along s.
    """
    if has_spin_inertia(leg):
        return turning_leg_force(leg, at, x_dot, x_ddot, g)
    mu, nu, eta = leg_inertia(leg, at)
    _, _, mc2 = moments(leg)
    l_dot = dot(at.s, x_dot)  # (13)
    f_n = mu * x_ddot - 2 * nu * l_dot * at.inverse_l * x_dot - eta * g  # (57)
    turned = dot(x_dot, x_dot) - l_dot**2  # (54), (56): -ẋᵀ sₓ² ẋ, misprinted there
    f_s = mc2 * turned * at.inverse_l**2 - dot(at.s, f_n)  # (56)
    return f_n, f_s


def leg_mass_matrix(leg: Leg, at: LegPosition) -> Value:
    """Mᵢ (3x3) [kg] without the carried m₂ 1."""
    mu, _, _ = leg_inertia(leg, at)
    if not has_spin_inertia(leg):
        return mu * (ca.DM.eye(3) - at.s @ at.s.T)  # (58)
    turn = turning(leg, at)
    K = mu * turn.inverse_n2 * ca.DM.eye(2) + (at.inverse_l * turn.inverse_n2) ** 2 * turn.H
    return ca.tril2symm(ca.tril(turn.X.T @ (K @ turn.X)))  # P = Xᵀ X / n²


def leg_coriolis_matrix(leg: Leg, at: LegPosition, x_dot: Value) -> Value:
    """Cᵢ (3x3) [kg/s], torsion-free, with Ṁᵢ - 2Cᵢ skew.

    With (59) it is not: here half of the term in P is ν ṡ sᵀ instead, which does the same to ẋᵢ.
    """
    s, r = at.s, at.inverse_l
    _, nu, _ = leg_inertia(leg, at)
    _, _, mc2 = moments(leg)
    l_dot = dot(s, x_dot)  # (13)
    s_dot = (x_dot - l_dot * s) * r
    P = ca.DM.eye(3) - s @ s.T
    C = s @ (mc2 * r * s_dot).T - (nu * s_dot) @ s.T - nu * l_dot * r * P  # (59)
    if has_spin_inertia(leg):
        turn = turning(leg, at)
        U = turn.X * (r * turn.inverse_n2)
        q = U @ x_dot
        N = algebra.derivative(partial(turning_moment, turn), q) / 2  # as torsion-free as Cᵢ
        C += U.T @ ((N - l_dot * r * turn.H) @ U - (turn.H @ q * r) @ s.T)
    return C


def moments(leg: Leg) -> tuple[Value, Value, Value]:
    """k = Ixx + m₁ c₁² + m₂ c₂² [kg m^2], m₁ c₁ and m₂ c₂ [kg m]."""
    m1, c1 = leg.cylinder.mass, leg.cylinder.center_of_mass
    m2, c2 = leg.piston.mass, leg.piston.center_of_mass
    Ixx = leg.cylinder.inertia[0, 0] + leg.piston.inertia[0, 0]  # (38); in (37) s must be last
    return Ixx + m1 * c1**2 + m2 * c2**2, m1 * c1, m2 * c2


def leg_inertia(leg: Leg, at: LegPosition) -> tuple[Value, Value, Value]:
    """μ, ν and η [kg] of a leg."""
    k, mc1, mc2 = moments(leg)
    mu = (k * at.inverse_l - 2 * mc2) * at.inverse_l  # (58)
    nu = (k * at.inverse_l - mc2) * at.inverse_l  # (59)
    eta = (mc1 - mc2) * at.inverse_l  # (60)
    return mu, nu, eta


def spin_inertia(leg: Leg) -> Value:
    """The inertia (3x3) [kg m^2] that μ and ν do not have already: all but Ixx across the leg."""
    I = leg.cylinder.inertia + leg.piston.inertia
    return I - I[0, 0] * ca.diag(ca.DM([1, 1, 0]))


def has_spin_inertia(leg: Leg) -> bool:
    """Whether it matters how the leg spins; not so for a symmetric rod without axial inertia."""
    return leg.base_joint.spins and not ca.SX(spin_inertia(leg)).is_zero()


@dataclass(frozen=True)
class LegRotation:
    """Rotation of a leg on a universal joint, with a the joint's first axis.

    Its x and y are taken n = |a x s| long, as c = a x s and d = s x c: then there is no root to
    take. ṡ = u c + v d with q = (u, v) = X ẋᵢ / (l n²), and ω = (-n v, n u, e u) on the leg's own
    axes, e = a · s: the joint makes the leg spin. With S = diag(n, n, 1) that is ω = S E q.
    """

    X: Value  # c and d (2x3)
    e: Value
    n2: Value  # n²
    inverse_n2: Value
    a2: Value  # a · a = n² + e²
    IE: Value  # S I S E (3x2), where I is the spin inertia
    H: Value  # Eᵀ S I S E (2x2)


def turning(leg: Leg, at: LegPosition) -> LegRotation:
    """The turning of a leg that spins: the first axis is in the plane of y and s, x across it."""
    a, s = leg.base_joint.first_axis, at.s
    assert a is not None
    c, e = cross(a, s), dot(a, s)
    n2 = dot(c, c)
    n = ca.sqrt(n2)  # if products of inertia need it
    E = ca.blockcat([[0, -1], [1, 0], [e, 0]])
    SIS = spin_inertia(leg) * ca.blockcat([[n2, n2, n], [n2, n2, n], [n, n, 1]])
    X = ca.horzcat(c, a - e * s).T  # s x (a x s) = a - (a · s) s
    return LegRotation(X, e, n2, algebra.reciprocal(n2), dot(a, a), SIS @ E, E.T @ SIS @ E)


def turning_leg_force(
    leg: Leg, at: LegPosition, x_dot: Value, x_ddot: Value, g: Value
) -> tuple[Value, Value]:
    """fⁿ, here across the leg, and fˢ of a leg with spin inertia.

    P = Xᵀ X / n². With w = X ẍᵢ / (l n²) - 2 (l̇ / l) q, the part of (57) across the leg is Xᵀ times
    (k / l - m₂ c₂) w - ((m₁ c₁ - m₂ c₂) X g + m₂ c₂ X ẍᵢ) / (l n²).
    """
    turn, r, (k, mc1, mc2) = turning(leg, at), at.inverse_l, moments(leg)
    X, by_ln2 = turn.X, r * turn.inverse_n2
    a = X @ x_ddot
    q = by_ln2 * (X @ x_dot)
    w = by_ln2 * a - 2 * r * dot(at.s, x_dot) * q
    n = turn.H @ w + turning_moment(turn, q) - X @ ((mc1 - mc2) * g) - mc2 * a
    return X.T @ (by_ln2 * n + (k * r - mc2) * w), mc2 * turn.n2 * dot(q, q)


def turning_moment(turn: LegRotation, q: Value) -> Value:
    """N q (2) of (S E)ᵀ (I ω̇ + ω x I ω) = H w + N q.

    c and d turn with the leg: q̇ = w + e [v u; -u v] q, ė = n² v and ṅ = -n e v. Hence on its axes
    ω̇ = S (E w + B q), where B has the columns (e u, 0, a·a v) and e u (0, 1, e), the last one e u
    times E's first; and (S E)ᵀ (ω x I ω) = (n² p_z - e p_y) Q q with p = S I ω, Q = [0 1; -1 0].
    """
    (u, v), e = ca.vertsplit(q), turn.e
    spin = e * u
    IB = ca.horzcat(turn.IE.T @ ca.vertcat(spin, 0, turn.a2 * v), spin * turn.H[:, 0])
    Q = ca.DM([[0, 1], [-1, 0]])
    return (IB + (turn.n2 * turn.IE[2, :] - e * turn.IE[1, :]) @ q * Q) @ q
