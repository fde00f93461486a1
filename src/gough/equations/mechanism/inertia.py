"""Inertia of a parallel robot: mass matrix in the coordinates u, and energy.

[Briot & Khalil 2021, §3].
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.dynamics import default
from gough.equations.machine import Machine, short
from gough.equations.mechanism import elimination, tree
from gough.equations.mechanism.bodies import ZERO, Force
from gough.equations.mechanism.frame_convention import twist_in
from gough.equations.mechanism.freedom import Assembled, assembled
from gough.equations.mechanism.joints import BASE
from gough.equations.mechanism.legs import LegMotion, LegPosture, leg_jacobian
from gough.equations.mechanism.rows import Held, LinkPoint, Twist
from gough.equations.mechanism.tips import RodTip
from gough.equations.spatial.algebra import Value, cross, dot, skew


@short(default.mass_matrix)
def mass_matrix(machine: Machine, pose: Value) -> Value:
    """M_rob, n x n, in the coordinates u = S · twist."""
    return machine_inertia(assembled(machine, pose))


def energy(machine: Machine, pose: Value, twist: Value) -> Value:
    """Kinetic and potential energy, 2x1 [J]; the latter is zero for a mass at the base's origin."""
    at, V = assembled(machine, pose), twist_in(machine, twist)
    u = machine.freedom.S @ ca.vertcat(V.v, V.omega)
    kinetic = dot(u, machine_inertia(at) @ u) / 2
    return ca.vertcat(kinetic, -dot(machine.gravity, _first_moment(at)))


def machine_inertia(at: Assembled) -> Value:
    """M_rob of an assembled machine."""
    M = at.T.T @ _platform_inertia(at) @ at.T
    for leg in at.legs:
        M += leg_inertia(leg, at.T)  # (21), with Ψ = T on the legs too
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


def _half_momenta(at: LegPosture, G: Sequence[Value], T: Value) -> list[Value]:
    """Z with G_iᵀ M_i G_i = GᵀZ + ZᵀG: the lower half of M_i, and what rods share; row by row."""
    M = tree.mass_matrix(at.leg.joints, at.places)
    shared = momenta(at, G, T)
    return [
        M[i][i] / 2 * G[i] + sum(M[i][j] * G[j] for j in range(i)) + shared.get(i, 0)
        for i in range(len(G))
    ]


def _doubled(G: Sequence[Value], Z: Sequence[Value]) -> Value:
    """GᵀZ + ZᵀG, of matrices that are given row by row."""
    half = sum((g.T @ z for g, z in zip(G, Z, strict=True)), ca.DM.zeros(1))
    return half + half.T


def _platform_inertia(at: Assembled) -> Value:
    """Generalised inertia of the platform about its origin, 6x6."""
    R, body = at.platform.rotation, at.machine.platform
    ms = skew(R @ body.ms)
    corner = ca.trace(body.sigma) * ca.DM.eye(3) - R @ body.sigma @ R.T
    return ca.blockcat([[body.mass * ca.DM.eye(3), -ms], [ms, corner]])  # (11)


def _first_moment(at: Assembled) -> Value:
    """∫ r dm of all there is [kg m]: what gravity acts on."""
    body, platform = at.machine.platform, at.platform
    ms = at.machine.ground + body.mass * platform.position + platform.rotation @ body.ms
    for leg in at.legs:
        ms += tree.first_moment(leg.leg.joints, leg.places) + first_moment(leg)
    return ms


# Rods with balls at both ends: a rod's kinetic energy is that of two point masses at its ends,
# which belong to the bodies there, and m v_E · v_C of the mass m that it shares. So each end is
# loaded by m times the acceleration of the other.


def forces_on_links(
    at: LegPosture, motion: LegMotion, twist: Twist, acceleration: Twist
) -> dict[int, list[Force]]:
    """Return the forces that move shared rod masses on the links of a leg, by link."""
    forces: dict[int, list[Force]] = {}
    for rod, held in _rods(at):
        far = held.holder_acceleration(motion.links, twist, acceleration)
        loads = [(rod.link, held.reach, rod.point, far)]
        if held.other is not None and rod.other is not None:
            loads.append((rod.other, held.other, rod.held_point, _near_end(held, motion)))
        for link, reach, point, acceleration_beyond in loads:
            if link != BASE:
                force = _load(rod, reach, point, acceleration_beyond)
                forces.setdefault(link, []).append(force)
    return forces


def forces_at_tips(at: LegPosture, motion: LegMotion) -> list[Value]:
    """Return the force required of the platform at each tip of a leg, machine's axes [N]."""
    return [
        held.tip.shared_mass * _near_end(held, motion) if isinstance(held.tip, RodTip) else ZERO
        for held in at.tips
    ]


def momenta(at: LegPosture, G: Sequence[Value], T: Value) -> dict[int, Value]:
    """m v_C along each joint's own motion of E, by joint: rows over u."""
    rows: dict[int, Value] = {}
    for rod, held in _rods(at):
        for j, (v, _) in held.reach.columns.items():
            rows[j] = rows.get(j, 0) + rod.shared_mass * _velocity_along(held, v, G, T)
    return rows


def first_moment(at: LegPosture) -> Value:
    """∫ r dm of the masses that a leg's rods share [kg m]."""
    return sum(
        (rod.shared_mass * (held.reach.position + held.position) for rod, held in _rods(at)), ZERO
    )


def _velocity_along(held: Held, v: Value, G: Sequence[Value], T: Value) -> Value:
    """v · v_C, a row over u, for a velocity v of the other end."""
    if held.other is None:
        return ca.vertcat(v, cross(held.lever, v)).T @ T
    return sum((v.T @ c * G[j] for j, (c, _) in held.other.columns.items()), ca.DM.zeros(1))


def _rods(at: LegPosture) -> list[tuple[RodTip, Held]]:
    return [(held.tip, held) for held in at.tips if isinstance(held.tip, RodTip)]


def _near_end(held: Held, motion: LegMotion) -> Value:
    return held.reach.acceleration(motion.links[held.tip.link], held.tip.point)


def _load(rod: RodTip, reach: LinkPoint, point: Value, acceleration: Value) -> Force:
    """On a link at a rod's end: its shared mass times the other end's acceleration."""
    f = rod.shared_mass * (reach.link_axes.T @ acceleration)
    return Force(f, cross(point, f))
