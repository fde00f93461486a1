"""The matrices of a machine with links that bend: M z̈ + h = Bᵀ τ + Cᵀ λ, C z̈ + κ = 0.

h holds inertia that motion brings, weight, elastic forces and the wrench; τ are the motors' efforts
and λ the forces in the joints that close loops.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.flexible.machine import BearingSpring, FlexureSpring, LinkTree, LoopJoint
from gough.equations.flexible.recursion import PlacedTree, forces
from gough.equations.flexible.shapes import deformed
from gough.equations.mechanism.bodies import ZERO, BodyMotion
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial.algebra import Value, angular, cross, dot, linear, position, rotation
from gough.equations.spatial.pose import LEADING_BACK

NEAR_HOME = 1e-4
"""sin² of half an angle below which the angle's square is its series, to rounding error."""


def mass_matrix(machine: LinkTree, z: Value) -> Value:
    """M (n x n) [SI]: forces are linear in accelerations."""
    second = ca.SX.sym("second", machine.size)
    rest = ca.DM.zeros(machine.size)
    return ca.jacobian(forces(machine, z, rest, second, ca.DM.zeros(6)), second)


def momentum(machine: LinkTree, z: Value) -> Value:
    """Linear and angular momentum (6 x n) about the base's origin, by the coordinates' rates.

    Its transpose is the forces that hold a machine at rest in a base that is accelerated.
    """
    base, rest = ca.SX.sym("base", 6), ca.DM.zeros(machine.size)
    shaken = BodyMotion(ZERO, angular(base), linear(base))
    return ca.jacobian(forces(machine, z, rest, rest, ca.DM.zeros(6), shaken), base).T


def bias(machine: LinkTree, z: Value, rate: Value, wrench: Value) -> Value:
    """h (n) [SI]."""
    return needed(machine, z, rate, ca.DM.zeros(machine.size), wrench)


def needed(machine: LinkTree, z: Value, rate: Value, second: Value, wrench: Value) -> Value:
    """M z̈ + h (n) [SI]: what moves all bodies, and what strains bearings and flexures."""
    moving = forces(machine, z, rate, second, wrench)
    if not machine.springs:
        return moving
    x = ca.SX.sym("z", machine.size)
    return moving + ca.substitute(ca.gradient(spring_energy(machine, x), x), x, z)


def energies(machine: LinkTree, z: Value, rate: Value) -> tuple[Value, Value, Value]:
    """Kinetic, gravitational and elastic energy [J]; weights count from the base's origin."""
    tree = PlacedTree.of(machine, z)
    lifted, strained = ca.SX(0), spring_energy(machine, z)
    for k, link in enumerate(machine.links):
        (R, p), body = tree.frames[k], link.body
        if link.shapes is not None:
            eta = tree.eta[k]
            body = deformed(body, link.shapes, eta)
            strained += dot(eta, link.shapes.stiffness @ eta) / 2
        lifted -= dot(machine.gravity, body.mass * p + R @ body.ms)
    return dot(rate, mass_matrix(machine, z) @ rate) / 2, lifted, strained


def gaps(machine: LinkTree, z: Value) -> Value:
    """Gaps of the loops [m, –], row by row."""
    tree = PlacedTree.of(machine, z)
    return ca.vertcat(ca.SX(0, 1), *(gap(tree, cut) for cut in machine.cuts))


def closing_rows(machine: LinkTree, z: Value) -> Value:
    """C (m x n): rates of the gaps."""
    x = ca.SX.sym("z", machine.size)
    return ca.substitute(ca.jacobian(gaps(machine, x), x), x, z)


def drifts(machine: LinkTree, z: Value, rate: Value) -> Value:
    """κ (m): how the gaps accelerate at z̈ = 0."""
    x = ca.SX.sym("z", machine.size)
    speeds = ca.jtimes(gaps(machine, x), x, rate)
    return ca.substitute(ca.jtimes(speeds, x, rate), x, z)


def closing_tangent(machine: LinkTree, z: Value, multipliers: Value) -> Value:
    """∂(Cᵀ λ)/∂z (n x n): how the forces of loops change as they move."""
    x = ca.SX.sym("z", machine.size)
    return ca.substitute(ca.hessian(dot(multipliers, gaps(machine, x)), x)[0], x, z)


def tangent(machine: LinkTree, z: Value, rate: Value, second: Value, wrench: Value) -> Value:
    """∂(M z̈ + h)/∂z (n x n) [SI]: how the forces change as the machine moves."""
    x = ca.SX.sym("z", machine.size)
    return ca.substitute(ca.jacobian(needed(machine, x, rate, second, wrench), x), x, z)


def platform_pose(machine: LinkTree, z: Value) -> tuple[Value, Value]:
    """Position [m] and rotation matrix of the platform's frame."""
    R, p = PlacedTree.of(machine, z).placed(machine.platform)
    return p, R @ machine.attitude


def platform_rates(machine: LinkTree, z: Value) -> Value:
    """The platform's twist (6 x n) [m/s, rad/s], base axes, by the coordinates' rates."""
    x = ca.SX.sym("z", machine.size)
    p, R = platform_pose(machine, x)
    v = ca.jacobian(p, x)
    spin = ca.jacobian(ca.reshape(R, 9, 1), x)  # columns of R, one below the other
    omega = ca.vertcat(*(_turning(R, spin, k) for k in range(3)))
    return ca.substitute(ca.vertcat(v, omega), x, z)


def platform_drift(machine: LinkTree, z: Value, rate: Value) -> Value:
    """The platform's acceleration (6) [m/s^2, rad/s^2] at z̈ = 0."""
    x = ca.SX.sym("z", machine.size)
    return ca.substitute(ca.jtimes(platform_rates(machine, x) @ rate, x, rate), x, z)


def _turning(R: Value, spin: Value, k: int) -> Value:
    """ω_k by rates, of Ṙ Rᵀ = ω^."""
    i, j = (k + 2) % 3, (k + 1) % 3
    return sum((spin[3 * c + i, :] * R[j, c] for c in range(3)), ca.SX(1, spin.shape[1]))


def spring_energy(machine: LinkTree, z: Value) -> Value:
    """½ Σ k strain² [J] of all bearings and flexures; they are unstrained at home."""
    tree = PlacedTree.of(machine, z)
    return sum((_energy(tree, spring) for spring in machine.springs), ca.SX(0))


def gap(tree: PlacedTree, cut: LoopJoint) -> Value:
    """Displacements [m] and sines of angles between the sides of a joint, row by row."""
    (R, p), (R_far, p_far) = tree.placed(cut.first), tree.placed(cut.second)
    angles = (dot(R @ a, R_far @ b) - dot(a, b) for a, b in cut.pairs)
    return ca.vertcat(cut.ways @ (R.T @ (p_far - p)), *angles)


def _energy(tree: PlacedTree, spring: BearingSpring | FlexureSpring) -> Value:
    if isinstance(spring, BearingSpring):
        strains = gap(tree, spring.rows)
        return dot(spring.stiffness, strains * strains) / 2
    return spring.stiffness * _squares(tree, spring) / 2


def _squares(tree: PlacedTree, flexure: FlexureSpring) -> Value:
    """Sum of the squares of a joint's positions [m^2, rad^2] from home."""
    (R, p), (R_far, p_far) = tree.placed(flexure.first), tree.placed(flexure.second)
    turn = R.T @ R_far
    if not flexure.axes:
        return _square_of_angle(turn)
    a, b = flexure.axes[0], flexure.axes[-1]
    if flexure.slides:
        return dot(a, R.T @ (p_far - p)) ** 2
    if len(flexure.axes) == 1:
        aside = _aside(a)
        return _angle(a, aside, turn @ aside) ** 2
    return _angle(a, b, turn @ b) ** 2 + _angle(b, a, turn.T @ a) ** 2


def _angle(axis: Value, start: Value, now: Value) -> Value:
    """The angle [rad] about an axis from one direction to another."""
    return ca.atan2(
        dot(axis, cross(start, now)), dot(start, now) - dot(axis, start) * dot(axis, now)
    )


def _aside(axis: Value) -> Value:
    """A direction across an axis."""
    k = min(range(3), key=lambda i: abs(float(axis[i])))
    return cross(axis, ca.DM.eye(3)[:, k])


def _square_of_angle(turn: Value) -> Value:
    """θ² [rad^2] of a rotation matrix, smooth at the unit matrix: of h = sin²(θ/2)."""
    h = (3 - ca.trace(turn)) / 4
    series = 4 * h * (1 + h / 3 * (1 + 8 * h / 15 * (1 + 9 * h / 14)))
    near = h < NEAR_HOME
    return ca.if_else(near, series, 4 * ca.asin(ca.sqrt(ca.if_else(near, 0.5, h))) ** 2)


def forward_dynamics(
    machine: LinkTree,
    rows: Sequence[int],
    z: Value,
    rate: Value,
    efforts: Value,
    inertias: Value,
    wrench: Value,
) -> Value:
    """z̈ (n) under efforts (n) [N m, N] along all coordinates, and a wrench on the platform.

    Loops are closed by C z̈ + κ = 0. Errors of integration would open them: what leads them back is
    a spring with critical damping, C z̈ + κ = -2 β C ż - β² gap.
    `inertias` (n) [kg m^2, kg] move with the coordinates, as rotors do; `rows` are those of the
    loops that do not repeat others.
    """
    M = mass_matrix(machine, z) + ca.diag(inertias)
    moving = efforts - bias(machine, z, rate, wrench)
    rows = list(rows)
    C = closing_rows(machine, z)[rows, :]
    found = _solved(machine, M, ca.horzcat(moving, C.T))
    free, by_loops = found[:, 0], found[:, 1:]
    if not rows:
        return free
    back = -drifts(machine, z, rate)[rows] - 2 * LEADING_BACK * C @ rate
    back -= LEADING_BACK**2 * gaps(machine, z)[rows]
    return free + by_loops @ solve_symmetric(C @ by_loops, back - C @ free)


def platform_motion(machine: LinkTree, z: Value, rate: Value, second: Value) -> tuple[Value, Value]:
    """Twist and acceleration (6) [m/s, rad/s, m/s^2, rad/s^2] of the platform, base axes."""
    rates = platform_rates(machine, z)
    return rates @ rate, rates @ second + platform_drift(machine, z, rate)


def platform_off(machine: LinkTree, z: Value, pose: Value) -> Value:
    """The small step (6) [m, rad] from a pose to where the links hold the platform."""
    p, R = platform_pose(machine, z)
    turn = R @ rotation(pose).T
    W = (turn - turn.T) / 2
    return ca.vertcat(p - position(pose), W[2, 1], W[0, 2], W[1, 0])


def _solved(machine: LinkTree, M: Value, right: Value) -> Value:
    """M⁻¹ right, from the tips of the tree inwards: in that order no zero of M is lost."""
    inwards = machine.outwards[::-1]
    back = [inwards.index(k) for k in range(machine.size)]
    return solve_symmetric(M[inwards, inwards], right[inwards, :])[back, :]
