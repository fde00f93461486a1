"""The matrices of a machine with links that bend: M z̈ + h = Bᵀ τ + Cᵀ λ, C z̈ + κ = 0.

h holds inertia that motion brings, weight, elastic forces and the wrench; τ are the motors' efforts
and λ the forces in the joints that close loops.
"""

from collections.abc import Sequence
from functools import partial

import casadi as ca
from casadi import cross, dot

from gough.equations.flexible import machine as links
from gough.equations.flexible.machine import LinkTree, PlacedTree
from gough.equations.solvers.linear import solve_symmetric
from gough.equations.spatial import algebra
from gough.equations.spatial.algebra import Value, angular, derivative, linear, position, rotation
from gough.equations.spatial.attitude import angle_from, vee
from gough.equations.spatial.pose import BAUMGARTE_RATE
from gough.equations.tree.bodies import ZERO, Body, BodyMotion, MovingBase

DEPENDENT, REFINEMENTS = 1e-12, 2
"""Diagonal, as a share of the mean one, that makes dependent rows regular; steps that undo it."""
NEAR_HOME = 1e-4  # sin² of half an angle below which the angle's square is its series


def mass_matrix(machine: LinkTree, z: Value) -> Value:
    """M (n x n) [SI]: forces are linear in accelerations."""
    second = ca.SX.sym("second", machine.size)
    rest = ca.DM.zeros(machine.size)
    return ca.jacobian(links.forces(machine, z, rest, second, ca.DM.zeros(6), None), second)


def momentum(machine: LinkTree, z: Value) -> Value:
    """Linear and angular momentum (6 x n) about the base's origin, by the coordinates' rates.

    Its transpose is the forces that hold a machine at rest in a base that is accelerated.
    """
    base, rest = ca.SX.sym("base", 6), ca.DM.zeros(machine.size)
    shaken = BodyMotion(ZERO, angular(base), linear(base))
    return ca.jacobian(links.forces(machine, z, rest, rest, ca.DM.zeros(6), shaken), base).T


def bias(machine: LinkTree, z: Value, rate: Value, wrench: Value) -> Value:
    """h (n) [SI]."""
    return needed(machine, z, rate, ca.DM.zeros(machine.size), wrench)


def needed(
    machine: LinkTree,
    z: Value,
    rate: Value,
    second: Value,
    wrench: Value,
    base: MovingBase | None = None,
) -> Value:
    """M z̈ + h (n) [SI]: what moves all bodies, and what strains springs and dampers."""
    carried = None
    if base is not None:
        moved, g = base.acceleration, base.rotation.T @ machine.gravity
        carried = BodyMotion(base.twist.omega, moved.omega, moved.v - g)
    moving = links.forces(machine, z, rate, second, wrench, carried)
    if not machine.springs:
        return moving
    for spring in machine.springs:
        if isinstance(spring, links.StretchedSpring) and spring.damping:
            along = derivative(partial(_length, machine, spring), z)
            moving += spring.damping * along.T @ (along @ rate)
    return moving + spring_load(machine, z)


def energies(
    machine: LinkTree, z: Value, rate: Value, base: MovingBase | None = None
) -> tuple[Value, Value, Value]:
    """Kinetic, gravitational and elastic energy [J]; weights count from the base's origin.

    On a base that moves they are those in the world: kinetic ½ żᵀM ż + VᵀP ż + ½ VᵀI V, with the
    base's twist V, the momentum P ż and the inertia I of all bodies about the base's origin.
    """
    tree = PlacedTree.of(machine, z)
    strained, whole = spring_energy(machine, z), Body(ca.SX(0), ca.SX(3, 1), ca.SX(3, 3))
    for k, link in enumerate(machine.links):
        (R, p), body = tree.frames[k], link.joint.body
        if link.shapes is not None:
            eta = tree.eta[k]
            body = link.shapes.deformed(body, eta)
            strained += dot(eta, link.shapes.stiffness @ eta) / 2
        ms, sigma = R @ body.ms, R @ body.sigma @ R.T
        sigma += body.mass * p @ p.T + p @ ms.T + ms @ p.T
        whole = Body(whole.mass + body.mass, whole.ms + body.mass * p + ms, whole.sigma + sigma)
    kinetic = dot(rate, mass_matrix(machine, z) @ rate) / 2
    if base is None:
        return kinetic, -dot(machine.gravity, whole.ms), strained
    v, omega = base.twist.v, base.twist.omega
    p, L = whole.mass * v + cross(omega, whole.ms), cross(whole.ms, v) + whole.inertia @ omega
    own = momentum(machine, z) @ rate
    kinetic += dot(ca.vertcat(v, omega), own + ca.vertcat(p, L) / 2)
    lifted = whole.mass * base.position + base.rotation @ whole.ms
    return kinetic, -dot(machine.gravity, lifted), strained


def gaps(machine: LinkTree, z: Value) -> Value:
    """Gaps of the loops [m, –], row by row."""
    tree = PlacedTree.of(machine, z)
    return ca.vertcat(ca.SX(0, 1), *(gap(tree, cut) for cut in machine.cuts))


def closing_rows(machine: LinkTree, z: Value) -> Value:
    """C (m x n): rates of the gaps."""
    return derivative(partial(gaps, machine), z)


def drifts(machine: LinkTree, z: Value, rate: Value) -> Value:
    """κ (m): how the gaps accelerate at z̈ = 0."""
    return derivative(lambda x: derivative(partial(gaps, machine), x, rate), z, rate)


def closing_tangent(machine: LinkTree, z: Value, multipliers: Value) -> Value:
    """∂(Cᵀ λ)/∂z (n x n): how the forces of loops change as they move."""
    x = ca.SX.sym("z", machine.size)
    return ca.substitute(ca.hessian(dot(multipliers, gaps(machine, x)), x)[0], x, z)


def tangent(machine: LinkTree, z: Value, rate: Value, second: Value, wrench: Value) -> Value:
    """∂(M z̈ + h)/∂z (n x n) [SI]: how the forces change as the machine moves."""
    return derivative(lambda x: needed(machine, x, rate, second, wrench), z)


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
    S = [ca.reshape(spin[:, c], 3, 3) @ R.T for c in range(machine.size)]  # Ṙ Rᵀ = ω^
    omega = ca.horzcat(*(ca.vertcat(W[2, 1], W[0, 2], W[1, 0]) for W in S))
    return ca.substitute(ca.vertcat(v, omega), x, z)


def platform_drift(machine: LinkTree, z: Value, rate: Value) -> Value:
    """The platform's acceleration (6) [m/s^2, rad/s^2] at z̈ = 0."""
    return derivative(lambda x: platform_rates(machine, x) @ rate, z, rate)


def spring_load(machine: LinkTree, z: Value) -> Value:
    """Loads that strain all springs (n) [SI]."""
    return derivative(partial(spring_energy, machine), z).T


def spring_energy(machine: LinkTree, z: Value) -> Value:
    """½ Σ k strain² [J] of all bearings and flexures; of other springs beyond that at home."""
    tree, twice = PlacedTree.of(machine, z), ca.SX(0)
    for spring in machine.springs:
        if isinstance(spring, links.FlexureSpring):
            twice += spring.stiffness * _squares(tree, spring)
        elif isinstance(spring, links.BearingSpring):
            twice += dot(spring.stiffness, gap(tree, spring.rows) ** 2)
        elif isinstance(spring, links.BesideJoint):
            twice += 2 * spring.law.energy(z[spring.place] - spring.home)
        else:
            twice += 2 * spring.law.energy(_length(machine, spring, z) - spring.length)
    return twice / 2


def _length(machine: LinkTree, spring: links.StretchedSpring, z: Value) -> Value:
    tree = PlacedTree.of(machine, z)
    start, end = (tree.placed(spot)[1] for spot in spring.ends)
    return algebra.norm(end - start)


def gap(tree: PlacedTree, cut: links.LoopJoint | links.Guide | links.CoupledJoints) -> Value:
    """Displacements [m] and sines of angles between the sides of a joint, row by row."""
    if isinstance(cut, links.CoupledJoints):
        return dot(cut.coefficients, ca.vertcat(*(tree.displaced[k] for k in cut.links)))
    if isinstance(cut, links.Guide):
        return _guide_gap(tree, cut)
    (R, p), (R_far, p_far) = tree.placed(cut.first), tree.placed(cut.second)
    angles = (dot(R @ a, R_far @ b) - dot(a, b) for a, b in cut.pairs)
    return ca.vertcat(cut.ways @ (R.T @ (p_far - p)), *angles)


def _guide_gap(tree: PlacedTree, guide: links.Guide) -> Value:
    """Distances [m] of the piston's inner end, and of the cylinder's open end, from both lines."""
    cylinder, piston = guide.links
    ends = tree.frames[piston][1], tree.frame(links.LinkAttachment(cylinder, ZERO, at_end=True))[1]
    found = []
    for link, line, end in zip(guide.links, guide.lines, ends, strict=True):
        R, p = tree.frames[link]
        x, y, z = ca.vertsplit((R @ line.axes).T @ (end - p))
        found.append(ca.vertcat(y, z) - line.across(x, tree.eta[link]))
    return ca.vertcat(*found)


def _squares(tree: PlacedTree, flexure: links.FlexureSpring) -> Value:
    """Sum of the squares of a joint's positions [m^2, rad^2] from home."""
    (R, p), (R_far, p_far) = tree.placed(flexure.first), tree.placed(flexure.second)
    turn = R.T @ R_far
    if not flexure.axes:
        return _square_of_angle(turn)
    a, b = flexure.axes[0], flexure.axes[-1]
    if flexure.slides:
        return dot(a, R.T @ (p_far - p)) ** 2
    if len(flexure.axes) == 1:
        least = min(range(3), key=lambda i: abs(float(a[i])))
        aside = cross(a, ca.DM.eye(3)[:, least])
        return angle_from(a, aside, turn @ aside) ** 2
    return angle_from(a, b, turn @ b) ** 2 + angle_from(b, a, turn.T @ a) ** 2


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
    base: MovingBase | None = None,
) -> Value:
    """z̈ (n) under efforts (n) [N m, N] along all coordinates, and a wrench on the platform.

    Loops are closed by C z̈ + κ = 0. Errors of integration would open them: what leads them back is
    a spring with critical damping, C z̈ + κ = -2 β C ż - β² gap. At a change point some rows depend
    on others for a moment: S = C M⁻¹ Cᵀ is made regular by a small diagonal, whose effect on rows
    that do not is taken out again [iterated as in Bayo & Avello 1994, Nonlinear Dynamics 5].
    `inertias` (n) [kg m^2, kg] move with the coordinates, as rotors do; `rows` are those of the
    loops that do not repeat others.
    """
    M = mass_matrix(machine, z) + ca.diag(inertias)
    moving = efforts - needed(machine, z, rate, ca.DM.zeros(machine.size), wrench, base)
    rows = list(rows)
    C = closing_rows(machine, z)[rows, :]
    inwards = machine.outwards[::-1]  # from the tips of the tree: so no zero of M is lost
    back = [inwards.index(k) for k in range(machine.size)]
    right = ca.horzcat(moving, C.T)
    found = solve_symmetric(M[inwards, inwards], right[inwards, :])[back, :]
    free, by_loops = found[:, 0], found[:, 1:]
    if not rows:
        return free
    wanted = -drifts(machine, z, rate)[rows] - 2 * BAUMGARTE_RATE * C @ rate
    wanted -= BAUMGARTE_RATE**2 * gaps(machine, z)[rows]
    S, lacking = C @ by_loops, wanted - C @ free
    regular = S + DEPENDENT * ca.trace(S) / len(rows) * ca.DM.eye(len(rows))
    multipliers = solve_symmetric(regular, lacking)
    for _ in range(REFINEMENTS):
        multipliers += solve_symmetric(regular, lacking - S @ multipliers)
    return free + by_loops @ multipliers


def platform_motion(machine: LinkTree, z: Value, rate: Value, second: Value) -> tuple[Value, Value]:
    """Twist and acceleration (6) [m/s, rad/s, m/s^2, rad/s^2] of the platform, base axes."""
    rates = platform_rates(machine, z)
    return rates @ rate, rates @ second + platform_drift(machine, z, rate)


def platform_error(machine: LinkTree, z: Value, pose: Value) -> Value:
    """The small step (6) [m, rad] from a pose to where the links hold the platform."""
    p, R = platform_pose(machine, z)
    return ca.vertcat(p - position(pose), vee(R @ rotation(pose).T))
