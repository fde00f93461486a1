"""Dynamics of a machine of any kind [Briot & Khalil 2021, §2, §3].

The platform is free, every leg is a free tree with all its joints driven; the rows of the closed
loops bring them together, in the platform's own coordinates u.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from gough.equations.mechanism import elimination, rods, rows, tree
from gough.equations.mechanism.bodies import ZERO, lever_matrix, moment
from gough.equations.mechanism.freedom import Assembled, assembled, coasting
from gough.equations.mechanism.inertia import energy, machine_inertia, mass_matrix
from gough.equations.mechanism.legs import LegPosture, leg_jacobian, leg_motion
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.rows import Twist
from gough.equations.mechanism.stance import (
    acceleration_in,
    in_base_axes,
    in_machine_axes,
    twist_in,
)
from gough.equations.solvers.linear import solve, solve_symmetric
from gough.equations.spatial.algebra import Value, cross

__all__ = [
    "balancing_forces",
    "bias",
    "energy",
    "force_parts",
    "forward_dynamics",
    "gravity",
    "inverse_dynamics",
    "mass_matrix",
    "regressor",
    "required_forces",
]

NONE = ca.DM.zeros(6)
"""No twist, no acceleration, no wrench."""


def inverse_dynamics(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """Efforts of the motors [N m, N] for a motion of the platform.

    pose 7 [m, -], twist 6 [m/s, rad/s], acceleration 6 [m/s^2, rad/s^2], and the external
    wrench 6 [N, N m] on the platform about its origin; all in base axes. More motors than
    freedoms share the work so that the sum of their efforts' squares is least.
    """
    at = assembled(machine, pose)
    required, own = _required(at, twist, acceleration)
    required -= in_machine_axes(machine, wrench)
    if len(machine.motors) == at.T.shape[1]:
        return own + _balancing(at, required)  # (15)
    J = _by_motor(machine, [leg_jacobian(leg, at.T) for leg in at.legs], of_all_joints=True)
    return J @ solve_symmetric(J.T @ J, at.T.T @ required + J.T @ own)


def required_forces(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> tuple[Value, Value]:
    """What a motion takes: for the moves u (n), and efforts of the motors beside [N m, N].

    M_u u̇ + c_rob = the first + J_uᵀ the second: a leg's own part need not pass the platform.
    """
    at = assembled(machine, pose)
    required, own = _required(at, twist, acceleration)
    return at.T.T @ required, own


def balancing_forces(machine: Machine, pose: Value, needed: Value) -> Value:
    """Efforts of J_uᵀ · effort = what the moves u need, of as many motors; columns of several."""
    at = assembled(machine, pose)
    J = _by_motor(machine, [leg_jacobian(leg, at.T) for leg in at.legs], of_all_joints=True)
    return solve(J.T, needed)


def forward_dynamics(
    machine: Machine, pose: Value, twist: Value, force: Value, wrench: Value
) -> Value:
    """Acceleration of the platform, 6x1 [m/s^2, rad/s^2], under the motors' efforts [N m, N]."""
    at, V = assembled(machine, pose), twist_in(machine, twist)
    V_dot = coasting(at, V)
    pushed = in_machine_axes(machine, wrench) - platform_wrench(at, V, V_dot)
    for number, leg in enumerate(at.legs):
        need = leg_need(leg, V, V_dot, machine.gravity)
        multipliers = driving_multipliers(leg, need, force[machine.own_motors(number), :])
        pushed += rows.wrench_of(leg.tips, multipliers, [-f for f in need.at_tips])
    u_dot = solve_symmetric(machine_inertia(at), at.T.T @ pushed)  # (20)
    coast = ca.vertcat(V_dot.v + machine.gravity, V_dot.omega)
    return in_base_axes(machine, at.T @ u_dot + coast)  # (18)


def bias(machine: Machine, pose: Value, twist: Value) -> Value:
    """c_rob, n x 1: what velocities and gravity ask for by themselves, in the coordinates u."""
    at, V = assembled(machine, pose), twist_in(machine, twist)
    return required_force(at, V, coasting(at, V))  # (22)


def gravity(machine: Machine, pose: Value) -> Value:
    """c_rob at rest, n x 1."""
    return bias(machine, pose, ca.DM.zeros(6))


def required_force(at: Assembled, twist: Twist, acceleration: Twist) -> Value:
    """What a motion asks for, n x 1, in the coordinates u; the acceleration is less gravity."""
    required = platform_wrench(at, twist, acceleration)
    for leg in at.legs:
        need = leg_need(leg, twist, acceleration, at.machine.gravity)
        phi = elimination.driven_multipliers(leg.rows, need.motors)
        multipliers = elimination.with_driven(leg.rows, need.multipliers, phi)
        required += rows.wrench_of(leg.tips, multipliers, need.at_tips)
    return at.T.T @ required


def _required(at: Assembled, twist: Value, acceleration: Value) -> tuple[Value, Value]:
    """A wrench on the platform (6), in the machine's axes, and efforts of the motors."""
    machine = at.machine
    V, V_dot = twist_in(machine, twist), acceleration_in(machine, acceleration)
    needs = [leg_need(leg, V, V_dot, machine.gravity) for leg in at.legs]
    required = platform_wrench(at, V, V_dot)
    for leg, need in zip(at.legs, needs, strict=True):
        required += rows.wrench_of(leg.tips, need.multipliers, need.at_tips)
    return required, _by_motor(machine, [ca.vertsplit(need.motors) for need in needs])


def platform_wrench(at: Assembled, twist: Twist, acceleration: Twist) -> Value:
    """w_P: what moves the free platform, 6x1 [N, N m]; the acceleration is less gravity."""
    R, body = at.platform.rotation, at.machine.platform
    ms = R @ body.ms
    U = lever_matrix(twist.omega, acceleration.omega)
    U_P = lever_matrix(R.T @ twist.omega, R.T @ acceleration.omega)
    f = body.mass * acceleration.v + U @ ms  # (10)
    return ca.vertcat(f, cross(ms, acceleration.v) + R @ moment(U_P, body.sigma))  # (10)


@dataclass(frozen=True)
class LegNeed:
    """What a leg asks for in order to move, but for its driven rows."""

    multipliers: list[Value]
    """Of the platform, by row: what its passive joints cannot give."""
    at_tips: list[Value]
    """Of the platform, by tip: forces that move the mass a rod shares, in the machine's axes."""
    motors: Value
    """Of its motors [N m, N]."""


def leg_need(at: LegPosture, twist: Twist, acceleration: Twist, gravity: Value) -> LegNeed:
    """τ_i of a leg, all of whose joints are driven, shared between passive and driven joints."""
    motion = leg_motion(at, twist, acceleration, gravity)
    more = rods.forces_on_links(at, motion, twist, acceleration)
    tau = tree.joint_forces(at.leg.joints, at.places, motion.links, more)
    multipliers = elimination.passive_multipliers(at.rows, tau)
    own = elimination.motor_forces(at.rows, tau, multipliers)
    return LegNeed(multipliers, rods.forces_at_tips(at, motion), own)


def driving_multipliers(at: LegPosture, need: LegNeed, effort: Value) -> list[Value]:
    """Of a leg's rows: what it does to the platform under these efforts of its motors."""
    phi = elimination.driven_multipliers(at.rows, effort - need.motors)
    return elimination.with_driven(at.rows, [-l for l in need.multipliers], phi)


def _balancing(at: Assembled, required: Value) -> Value:
    """Efforts that give the platform a wrench, as far as u feels it: by the driven rows.

    No division by the rows' pivots: static efforts stay finite where a leg is singular. Of a
    platform that moves in all ways moments are about the first tip: that leg has none there.
    """
    machine, T = at.machine, at.T
    o = at.legs[0].tips[0].lever if T.shape == (6, 6) else ZERO
    lines = _by_motor(machine, [_lines(leg, T, o) for leg in at.legs])
    f, n = required[0:3], required[3:6]
    phi = solve(lines.T, T.T @ ca.vertcat(f, n - cross(o, f)))
    efforts = [
        ca.vertsplit(leg.rows.pivot.T @ phi[machine.own_motors(number), :])
        for number, leg in enumerate(at.legs)
    ]
    return _by_motor(machine, efforts)


def _lines(at: LegPosture, T: Value, about: Value) -> list[Value]:
    """What a leg's driven rows see of u: a row for each motor; moments about a point."""
    return elimination.freed(at.rows, [row @ T for row in rows.platform_rows(at.tips, about)])


def _by_motor(
    machine: Machine, by_leg: Sequence[Sequence[Value]], of_all_joints: bool = False
) -> Value:
    """What legs give for their own motors, or for all their joints, in the order of the motors."""
    places = [
        (leg, joint if of_all_joints else machine.legs[leg].plan.driven.index(joint))
        for leg, joint in machine.motors
    ]
    return ca.vertcat(*(by_leg[leg][place] for leg, place in places))


def force_parts(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> tuple[Value, Value, Value, Value]:
    """Shares of the efforts (motors) [N m, N]: gravity, acceleration, velocity, external wrench.

    They are those of G, M u̇, C u and -wrench; their sum is the whole. The acceleration's share is
    that of T u̇: what is left of it, Ṫ u, comes with the velocity.
    """
    weightless = replace(machine, gravity=ca.DM.zeros(3))
    coast = coasting(assembled(weightless, pose), twist_in(machine, twist))
    carried = in_base_axes(machine, ca.vertcat(coast.v, coast.omega))
    return (
        inverse_dynamics(machine, pose, NONE, NONE, NONE),
        inverse_dynamics(weightless, pose, NONE, acceleration - carried, NONE),
        inverse_dynamics(weightless, pose, twist, carried, NONE),
        inverse_dynamics(weightless, pose, NONE, NONE, wrench),
    )


def regressor(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Y (m x p) of efforts = Y · standard parameters: what each adds per unit.

    Ten of each body (mass, first moment, inertia), the platform first; without an external wrench.
    All that the bodies do to the efforts goes through their wrenches, which are linear in these:
    the derivatives are exact, and hold for all numbers.
    """
    numbers = ca.SX.sym("standard", 10 * len(machine.description.carried))
    heavy = machine.with_bodies(numbers)
    efforts = inverse_dynamics(heavy, pose, twist, acceleration, NONE)
    return ca.densify(ca.jacobian(efforts, numbers))
