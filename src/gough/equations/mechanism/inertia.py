"""Inertia of a machine of any kind: mass matrix in the coordinates u, and energy.

[Briot & Khalil 2021, §3].
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.mechanism import elimination, rods, tree
from gough.equations.mechanism.freedom import Assembled, assembled
from gough.equations.mechanism.legs import LegPosture, leg_jacobian
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.stance import twist_in
from gough.equations.spatial.algebra import Value, dot, skew


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
    shared = rods.momenta(at, G, T)
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
        ms += tree.first_moment(leg.leg.joints, leg.places) + rods.first_moment(leg)
    return ms
