"""How a machine with links that bend moves on under its motors: z̈ of M z̈ + h = Bᵀ τ + Cᵀ λ.

Loops are closed by C z̈ + κ = 0. Errors of integration would open them: what leads them back is a
spring with critical damping, C z̈ + κ = -2 β C ż - β² gap.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.flexible import dynamics
from gough.equations.flexible.machine import Machine
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial.algebra import Value, position, rotation
from gough.equations.spatial.pose import LEADING_BACK


def forward_dynamics(
    machine: Machine,
    rows: Sequence[int],
    z: Value,
    rate: Value,
    efforts: Value,
    inertias: Value,
    wrench: Value,
) -> Value:
    """z̈ (n) under efforts (n) [N m, N] along all coordinates, and a wrench on the platform.

    `inertias` (n) [kg m^2, kg] move with the coordinates, as rotors do; `rows` are those of the
    loops that do not repeat others.
    """
    M = dynamics.mass_matrix(machine, z) + ca.diag(inertias)
    moving = efforts - dynamics.bias(machine, z, rate, wrench)
    rows = list(rows)
    C = dynamics.closing_rows(machine, z)[rows, :]
    found = _solved(machine, M, ca.horzcat(moving, C.T))
    free, by_loops = found[:, 0], found[:, 1:]
    if not rows:
        return free
    back = -dynamics.drifts(machine, z, rate)[rows] - 2 * LEADING_BACK * C @ rate
    back -= LEADING_BACK**2 * dynamics.gaps(machine, z)[rows]
    return free + by_loops @ solve_symmetric(C @ by_loops, back - C @ free)


def platform_motion(machine: Machine, z: Value, rate: Value, second: Value) -> tuple[Value, Value]:
    """Twist and acceleration (6) [m/s, rad/s, m/s^2, rad/s^2] of the platform, base axes."""
    rates = dynamics.platform_rates(machine, z)
    return rates @ rate, rates @ second + dynamics.platform_drift(machine, z, rate)


def platform_off(machine: Machine, z: Value, pose: Value) -> Value:
    """The small step (6) [m, rad] from a pose to where the links hold the platform."""
    p, R = dynamics.platform_pose(machine, z)
    turn = R @ rotation(pose).T
    W = (turn - turn.T) / 2
    return ca.vertcat(p - position(pose), W[2, 1], W[0, 2], W[1, 0])


def _solved(machine: Machine, M: Value, right: Value) -> Value:
    """M⁻¹ right, from the tips of the tree inwards: in that order no zero of M is lost."""
    inwards = machine.outwards[::-1]
    back = [inwards.index(k) for k in range(machine.size)]
    return solve_symmetric(M[inwards, inwards], right[inwards, :])[back, :]
