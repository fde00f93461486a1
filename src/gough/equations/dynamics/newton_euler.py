"""Dynamics by Newton-Euler in explicit form [Oftadeh, Aref, Taghirad 2010, sections II-IV].

A leg first has an equation of its own, for the position xᵢ of its platform joint (51): that stands
in `newton_euler_leg`. The platform carries the pistons' masses as points at its joints.

Jᵢ of ẋᵢ = Jᵢ · twist takes the legs to the platform. Twists stand in for the rates of Euler
angles, so the paper's E is the unit matrix. The platform's mass centre may be anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.dynamics.formulation import turning_coriolis_matrix
from gough.equations.dynamics.newton_euler_leg import (
    leg_coriolis_matrix,
    leg_force,
    leg_mass_matrix,
)
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.legs.leg import LegPosition, leg_position
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial.algebra import (
    Value,
    angular,
    cross,
    dot,
    linear,
    rotation,
    skew,
    total,
    vector,
)


def required_forces(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value]:
    """Return a motion's wrench on the platform (6) [N, N m] and forces along the legs (6) [N].

    (82), with F_d and n_d of (25), (26), which are lost in print.
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
        wrench += at_joint(at, f_n)  # (77)
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
        left -= at_joint(at, f_n + (f_s - pushed) * at.s)  # (77)
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

    (66) has ω^ I for the platform's turning: here it is `turning_coriolis_matrix`.
    """
    omega = angular(twist)
    _, c, I = in_base_axes(carried_body(machine), pose)
    none = ca.DM.zeros(3, 3)
    turning = turning_coriolis_matrix(I, omega)
    C = ca.blockcat([[none, -skew(cross(omega, c))], [none, turning]])  # (66)
    for leg in machine.legs:
        at = leg_position(leg, pose)
        b_dot = cross(omega, at.b)
        J = joint_jacobian(at)
        J_dot = ca.horzcat(none, -skew(b_dot))  # (71), line 1: line 2 has a wrong sign
        M_i = leg_mass_matrix(leg, at)
        C_i = leg_coriolis_matrix(leg, at, linear(twist) + b_dot)
        C += J.T @ (M_i @ J_dot + C_i @ J)  # (74)
    return C


@dataclass(frozen=True)
class Body:
    """A rigid body about the platform frame's origin, on the platform's axes.

    Mass m [kg], first moment c [kg m] and inertia I [kg m^2]: no division by a mass.
    """

    m: Value
    c: Value
    I: Value


def carried_body(machine: ExtensibleLegs) -> Body:
    """The platform with each piston's mass as a point at the joint: the m₂ 1 of every Mᵢ."""
    platform = machine.platform
    points = [(platform.mass, platform.center_of_mass)]
    points += [(leg.piston.mass, leg.platform) for leg in machine.legs]
    return Body(
        sum((m for m, _ in points[1:]), points[0][0]),
        total([m * r for m, r in points]),
        total([platform.inertia] + [m * (dot(r, r) * ca.DM.eye(3) - r @ r.T) for m, r in points]),
    )


def in_base_axes(body: Body, pose: Value) -> tuple[Value, Value, Value]:
    """The body's mass, first moment and inertia, on the base axes."""
    R = rotation(pose)
    return body.m, R @ body.c, ca.tril2symm(ca.tril(R @ body.I @ R.T))  # (27)


def body_wrench(
    body: Body, pose: Value, omega: Value, alpha: Value, free: Value, D: Value
) -> Value:
    """The wrench that moves the body; `free` is its origin's acceleration without gravity's."""
    R = rotation(pose)
    c = R @ body.c
    w = R.T @ omega
    n = R @ (body.I @ (R.T @ alpha) + cross(w, body.I @ w))
    return vector(body.m * free + D @ c, cross(c, free) + n)  # (25), (26)


def body_mass_matrix(m: Value, c: Value, I: Value) -> Value:
    """The mass matrix (6x6) of a body's mass, first moment and inertia."""
    return ca.blockcat([[m * ca.DM.eye(3), -skew(c)], [skew(c), I]])  # (65)


def joint_jacobian(at: LegPosition) -> Value:
    """Jᵢ (3x6) of ẋᵢ = Jᵢ · twist."""
    return ca.horzcat(ca.DM.eye(3), -skew(at.b))  # (70)


def at_joint(at: LegPosition, f: Value) -> Value:
    """Jᵢᵀ f: the wrench (6) of a force at a leg's platform joint."""
    return vector(f, cross(at.b, f))


def at_platform(M: Value, at: LegPosition) -> Value:
    """Transform a mass matrix (3x3) of a leg's platform joint to the platform (6x6)."""
    J = joint_jacobian(at)
    return J.T @ M @ J  # (73)
