"""Dynamics of a machine of any kind [Briot & Khalil 2021, §2, §3].

The platform is free, every leg is a free tree with all its joints driven; the rows of the closed
loops bring them together, in the platform's own coordinates u.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism import elimination, rods, rows, tree
from gough.equations.mechanism.freedom import REST, coasting
from gough.equations.mechanism.freedom import moves as platform_moves
from gough.equations.mechanism.kinematics import leg_jacobian
from gough.equations.mechanism.legs import LegPosture, leg_motion, leg_postures
from gough.equations.mechanism.machine import BASE, Machine
from gough.equations.mechanism.rows import Platform, Twist
from gough.equations.mechanism.stance import (
    acceleration_in,
    in_base_axes,
    less_gravity,
    platform_at,
    twist_in,
    wrench_in,
)
from gough.equations.mechanism.tree import lever_matrix, moment
from gough.equations.solvers.linear import solve, solve_symmetric
from gough.equations.spatial.algebra import Value, cross, dot, skew


def inverse_dynamics(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """Efforts of the motors [N m, N] for a motion of the platform.

    More motors than freedoms share the work so that the sum of their squares is least.
    """
    platform = platform_at(machine, pose)
    legs = leg_postures(machine, platform)
    V, V_dot = twist_in(machine, twist), acceleration_in(machine, acceleration)
    needs = [leg_need(machine, at, V, V_dot) for at in legs]
    required = platform_wrench(machine, platform, V, V_dot) - wrench_in(machine, wrench)
    for at, need in zip(legs, needs, strict=True):
        required += rows.wrench_of(at.tips, need.multipliers, need.at_tips)
    T = platform_moves(machine, legs)
    own = _by_motor(machine, [_split(need.motors) for need in needs])
    if len(machine.motors) == T.shape[1]:
        phi = _driven_multipliers(machine, legs, T, required)  # (15), in the driven rows' terms
        return own + _motor_efforts(machine, legs, phi)
    J = _by_motor(machine, [_driven_rates(at, T) for at in legs])
    return J @ solve_symmetric(J.T @ J, T.T @ required + J.T @ own)


def _driven_multipliers(
    machine: Machine, legs: Sequence[LegPosture], T: Value, required: Value
) -> Value:
    """φ of the driven rows with which they give the platform a wrench, seen in u.

    If it moves in all ways, moments are about the first tip, where that leg's forces have none.
    """
    o = legs[0].tips[0].lever if T.shape == (6, 6) else tree.ZERO
    lines = _by_motor(machine, [_lines(at, T, o) for at in legs])
    f, n = required[0:3], required[3:6]
    return solve(lines.T, T.T @ ca.vertcat(f, n - cross(o, f)))


def forward_dynamics(
    machine: Machine, pose: Value, twist: Value, force: Value, wrench: Value
) -> Value:
    """Acceleration of the platform, 6x1 [m/s^2, rad/s^2], under the motors' efforts."""
    platform = platform_at(machine, pose)
    legs = leg_postures(machine, platform)
    T, V = platform_moves(machine, legs), twist_in(machine, twist)
    V_dot = coasting(machine, legs, V)
    pushed = -platform_wrench(machine, platform, V, V_dot) + wrench_in(machine, wrench)
    for number, at in enumerate(legs):
        need = leg_need(machine, at, V, V_dot)
        mine = [k for k, (leg, _) in enumerate(machine.motors) if leg == number]
        phi = elimination.driven_multipliers(at.rows, force[mine] - need.motors)
        multipliers = elimination.with_driven(at.rows, [-l for l in need.multipliers], phi)
        pushed += rows.wrench_of(at.tips, multipliers, [-f for f in need.at_tips])
    u_dot = solve_symmetric(_mass_matrix(machine, platform, legs, T), T.T @ pushed)  # (20)
    coast = ca.vertcat(V_dot.v + machine.gravity, V_dot.omega)
    return in_base_axes(machine, T @ u_dot + coast)  # (18)


def mass_matrix(machine: Machine, pose: Value) -> Value:
    """M_rob, n x n, in the coordinates u = S · twist."""
    platform = platform_at(machine, pose)
    legs = leg_postures(machine, platform)
    return _mass_matrix(machine, platform, legs, platform_moves(machine, legs))


def bias(machine: Machine, pose: Value, twist: Value) -> Value:
    """c_rob, n x 1: what velocities and gravity ask for by themselves, in the coordinates u."""
    platform = platform_at(machine, pose)
    legs = leg_postures(machine, platform)
    V = twist_in(machine, twist)
    V_dot = coasting(machine, legs, V)
    T = platform_moves(machine, legs)
    required = platform_wrench(machine, platform, V, V_dot)
    for at in legs:
        need = leg_need(machine, at, V, V_dot)
        phi = elimination.driven_multipliers(at.rows, need.motors)
        multipliers = elimination.with_driven(at.rows, need.multipliers, phi)
        required += rows.wrench_of(at.tips, multipliers, need.at_tips)
    return T.T @ required  # (22)


def gravity(machine: Machine, pose: Value) -> Value:
    """c_rob at rest, n x 1."""
    return bias(machine, pose, ca.DM.zeros(6))


def energy(machine: Machine, pose: Value, twist: Value) -> Value:
    """Kinetic and potential energy, 2x1 [J]; the latter is zero for a mass at the base's origin."""
    platform = platform_at(machine, pose)
    legs = leg_postures(machine, platform)
    V = twist_in(machine, twist)
    u = machine.freedom.S @ ca.vertcat(V.v, V.omega)
    M = _mass_matrix(machine, platform, legs, platform_moves(machine, legs))
    ms = machine.ground + _first_moment(machine, platform, legs)
    return ca.vertcat(dot(u, M @ u) / 2, -dot(machine.gravity, ms))


@dataclass(frozen=True)
class LegNeed:
    """What a leg asks for in order to move, but for its driven rows."""

    multipliers: list[Value]
    """Of the platform, by row: what its passive joints cannot give."""
    at_tips: list[Value]
    """Of the platform, by tip: forces that move a rod's share of mass, in the machine's axes [N]."""
    motors: Value
    """Of its motors [N m, N]."""


def leg_need(machine: Machine, at: LegPosture, twist: Twist, acceleration: Twist) -> LegNeed:
    """τ_i of a leg, all of whose joints are driven, shared between passive and driven joints."""
    motion = leg_motion(at, twist, acceleration, machine.gravity)
    more = rods.forces_on_links(at, motion, twist, acceleration)
    tau = tree.joint_forces(at.leg.joints, at.places, motion.links, more)
    multipliers = elimination.passive_multipliers(at.rows, tau)
    own = elimination.motor_forces(at.rows, tau, multipliers)
    return LegNeed(multipliers, rods.forces_at_tips(at, motion), own)


def platform_wrench(
    machine: Machine, platform: Platform, twist: Twist, acceleration: Twist
) -> Value:
    """w_P: what moves the free platform, 6x1 [N, N m]; the acceleration is less gravity."""
    R, body = platform.rotation, machine.platform
    ms = R @ body.ms
    U = lever_matrix(twist.omega, acceleration.omega)
    f = body.mass * acceleration.v + U @ ms  # (10)
    local = lever_matrix(R.T @ twist.omega, R.T @ acceleration.omega)
    return ca.vertcat(f, cross(ms, acceleration.v) + R @ moment(local, body.sigma))  # (10)


def _mass_matrix(
    machine: Machine, platform: Platform, legs: Sequence[LegPosture], T: Value
) -> Value:
    M = T.T @ _platform_inertia(machine, platform) @ T
    for at in legs:
        M += leg_inertia(at, T)  # (21), with Ψ = T on the legs too
    return M


def leg_inertia(at: LegPosture, T: Value) -> Value:
    """Tᵀ G_iᵀ M_i G_i T, n x n; of a leg on one ball by the ball's velocity, which is shorter."""
    if at.is_on_a_ball and T.is_constant():
        (ball,) = at.tips
        G = elimination.solved(at.rows, [(ball.reach.axes @ row.force).T for row in ball.rows])
        X = ca.horzcat(ca.DM.eye(3), -skew(ball.lever)) @ T
        return X.T @ _doubled(G, _half_momenta(at, G, T)) @ X
    G = leg_jacobian(at, T)
    return _doubled(G, _half_momenta(at, G, T))


def _doubled(G: Sequence[Value], Z: Sequence[Value]) -> Value:
    """Gᵀ Z + Zᵀ G, of matrices that are given row by row."""
    half = sum((g.T @ z for g, z in zip(G, Z, strict=True)), ca.DM.zeros(1))
    return half + half.T


def _platform_inertia(machine: Machine, platform: Platform) -> Value:
    R, body = platform.rotation, machine.platform
    ms, sigma = skew(R @ body.ms), R @ body.sigma @ R.T
    inertia = ca.trace(body.sigma) * ca.DM.eye(3) - sigma
    return ca.blockcat([[body.mass * ca.DM.eye(3), -ms], [ms, inertia]])  # (11)


def _half_momenta(at: LegPosture, G: Sequence[Value], T: Value) -> list[Value]:
    """½ M_i G_i T, and the momenta that rods share with the platform; a row for each joint."""
    M = tree.mass_matrix(at.leg.joints, at.places)
    n = len(G)
    rest = [M[i][i] / 2 * G[i] + sum(M[i][j] * G[j] for j in range(i)) for i in range(n)]
    for j, row in rods.momenta(at, G, T).items():
        rest[j] += row
    return rest


def _first_moment(machine: Machine, platform: Platform, legs: Sequence[LegPosture]) -> Value:
    """∫ r dm of all that moves [kg m]: what gravity acts on."""
    body = machine.platform
    ms = body.mass * platform.position + platform.rotation @ body.ms
    for at in legs:
        frames: list[tuple[Value, Value]] = []
        for joint, place in zip(at.leg.joints, at.places, strict=True):
            R, p = (ca.DM.eye(3), ca.DM.zeros(3)) if joint.before == BASE else frames[joint.before]
            frames.append((R @ place.rotation, p + R @ place.origin))
            R, p = frames[-1]
            ms += joint.body.mass * p + R @ joint.body.ms
        ms += rods.first_moment(at)
    return ms


def _lines(at: LegPosture, T: Value, about: Value) -> list[Value]:
    """What a leg's driven rows see of u: a row for each motor; moments about a point."""
    return elimination.freed(at.rows, [row @ T for row in rows.platform_rows(at.tips, about)])


def _driven_rates(at: LegPosture, T: Value) -> list[Value]:
    rates = leg_jacobian(at, T)
    return [rates[j] for j in at.leg.plan.driven]


def _motor_efforts(machine: Machine, legs: Sequence[LegPosture], phi: Value) -> Value:
    """Efforts that the driven rows' multipliers ask of the motors: pivotᵀ φ."""
    efforts = []
    for number, at in enumerate(legs):
        mine = [k for k, (leg, _) in enumerate(machine.motors) if leg == number]
        efforts.append(_split(at.rows.pivot.T @ phi[mine] if mine else ca.DM(0, 1)))
    return _by_motor(machine, efforts)


def _by_motor(machine: Machine, by_leg: Sequence[Sequence[Value]]) -> Value:
    """What the legs give for their own motors, in the order of the motors."""
    places = [(leg, joint) for leg, joint in machine.motors]
    return ca.vertcat(
        *(by_leg[leg][machine.legs[leg].plan.driven.index(joint)] for leg, joint in places)
    )


def _split(column: Value) -> list[Value]:
    return [column[k] for k in range(column.shape[0])]


__all__ = [
    "REST", "bias", "energy", "forward_dynamics", "gravity", "inverse_dynamics", "less_gravity",
    "mass_matrix",
]  # fmt: skip
