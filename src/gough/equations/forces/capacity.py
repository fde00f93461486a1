"""Capacity of actuators: to pass a parallel singularity, and to carry wrenches within limits.

At a singular pose J_u loses rank: the platform has an escaping move u_e that no actuator feels,
J_u u_e = 0. The equation of motion J_uᵀ force = r, with r = M u̇ + c - Tᵀ wrench what the motion
needs, has a solution there only if r does no work on that move, u_eᵀ r = 0
[Briot & Arakelian 2008, Int. J. Robotics Research 27(8)]. Which one of the solutions a motion
takes as it passes, its next derivative says: the limit along the motion.

Forces within ± F make J_uᵀ force a zonotope: the sum of as many segments as there are actuators. It
is what lies between pairs of parallel planes; a normal c of such a pair is at right angles to n - 1
rows of J_u, and the planes are at ± Σ F_i |c · J_i| [Gouttefarde & Krut 2010, for cable robots]. A
wrench can be carried if what the motion needs, less that wrench, lies between all of them. There
is no division by det J: flat zonotopes, of singular poses, are as exact as others.
"""

from collections.abc import Callable, Iterator
from functools import cache, reduce
from itertools import combinations
from math import nan
from operator import mul

import casadi as ca
from casadi import dot

from gough.equations.dynamics.formulation import AT_REST, NO_WRENCH
from gough.equations.legs.closure import SINGULAR
from gough.equations.machine import Machine
from gough.equations.motion import kinematics, singularity_measures
from gough.equations.solvers.linear import bounded, is_for_boxes, solve, solve_regular
from gough.equations.spatial.algebra import Value, angular, linear, norm, unit
from gough.equations.spatial.pose import nudge

RequiredForces = Callable[[Machine, Value, Value, Value], tuple[Value, Value]]
"""(machine, pose, twist, acceleration) -> along the degrees of freedom (n), and motors."""
ROUNDING = 1e-14  # share of a wrench below which its component along a normal counts as zero
PARALLEL = 1e-12  # share of the rows' lengths below which their normal is no plane's


def needed(required_forces: RequiredForces, machine: Machine, *state: Value) -> Value:
    """r (n): what actuators do along each move u at pose, twist, acceleration and wrench."""
    pose, twist, acceleration, wrench = state
    across, along = required_forces(machine, pose, twist, acceleration)
    J, T = kinematics.actuation_matrix(machine, pose), kinematics.twist_basis(machine, pose)
    return across + J.T @ along - T.T @ wrench


def needed_parts(required_forces: RequiredForces, machine: Machine, *state: Value) -> list[Value]:
    """Return the parts of r of weights, velocity, acceleration and wrench, each (n)."""
    pose, twist, acceleration, wrench = state
    at_constant_u = kinematics.bias_acceleration(machine, pose, twist)
    motions = ((AT_REST, AT_REST), (twist, at_constant_u), (twist, acceleration))
    rest, moving, all_of_it = (
        needed(required_forces, machine, pose, *motion, NO_WRENCH) for motion in motions
    )
    pushed = -kinematics.twist_basis(machine, pose).T @ wrench
    return [rest, moving - rest, all_of_it - moving, pushed]


def move_units(machine: Machine) -> Value:
    """The moves u (n) that are 1 m each, turns by the way at the characteristic length."""
    return 1 / singularity_measures.freedom_units(machine, singularity_measures.arm(machine))


def limit_forces(
    required_forces: RequiredForces,
    machine: Machine,
    escaping: Value,
    state: tuple[Value, Value, Value, Value],
    rates: tuple[Value, Value],
) -> Value:
    """The forces (n) at a singular pose that those before and behind it lead to [N, N m].

    `state` is pose, twist, acceleration and wrench, `rates` are those of the last two. What the
    escaping move feels, u_eᵀ J_uᵀ force = u_eᵀ r, is 0 = 0 at the pose; its rate,
    u_eᵀ J̇_uᵀ force = u_eᵀ ṙ, stands in for it, and J_uᵀ force + λ u_e = r leaves it out. NaN where
    the motion does not pass through the singularity, but stays in it or only touches it.
    """
    pose, twist, acceleration, wrench = state
    jerk, wrench_rate = rates
    t = ca.SX.sym("t")
    later = nudge(pose, t * twist)
    moved = (later, twist + t * acceleration, acceleration + t * jerk, wrench + t * wrench_rate)
    unit = move_units(machine)
    J = kinematics.actuation_matrix(machine, pose)
    seen = _rate(kinematics.actuation_matrix(machine, later) @ escaping, t)  # J̇_u u_e
    work = _rate(dot(escaping, needed(required_forces, machine, *moved)), t)
    r = needed(required_forces, machine, *state) * unit
    by_size = ca.repmat(unit, 1, J.shape[0])
    bordered = ca.blockcat([[J.T * by_size, escaping / unit], [seen.T / norm(seen), 0]])
    found, regular = solve_regular(bordered, ca.vertcat(r, work / norm(seen)), SINGULAR)
    force = found[: J.shape[0], :]
    return ca.if_else(regular, force, ca.DM.nan(*force.shape))


def _rate(value: Value, t: Value) -> Value:
    """The derivative at t = 0."""
    return ca.substitute(ca.jtimes(value, t, ca.DM.ones(1)), t, 0)


def wrench_margin(
    required_forces: RequiredForces, machine: Machine, pose: Value, max_force: Value, *rest: Value
) -> Value:
    """Return the maximum additional wrench that can be carried in every direction [N].

    The rest of the state is twist, acceleration and wrench. Moments are divided by the
    characteristic length. The result is negative where the motion by itself exceeds the force
    limits, and zero at most where the machine is singular.
    """
    r = needed(required_forces, machine, pose, *rest)
    planes = _planes(machine, pose, max_force)
    least = reduce(ca.fmin, (apart - ca.fabs(dot(c, r)) for c, apart in planes))
    return ca.if_else(_known(r, max_force), least, nan)


def load_range(
    required_forces: RequiredForces,
    machine: Machine,
    pose: Value,
    max_force: Value,
    direction: Value,
    *rest: Value,
) -> Value:
    """From which to which multiple (2) of a wrench can act besides; NaN if none can.

    Infinite where no actuator feels it. Over boxes in which 0 can act, ends are reciprocals of the
    maximum share of what a plane leaves: a plane that hardly feels the wrench has one near 0.
    """
    r = needed(required_forces, machine, pose, *rest)
    along = kinematics.twist_basis(machine, pose).T @ direction
    size = norm(linear(direction)) + norm(angular(direction)) / singularity_measures.arm(machine)
    least: Value | float = -ca.inf
    most: Value | float = ca.inf
    shares, within = list[Value](), ca.DM(1)
    for c, apart in _planes(machine, pose, max_force):
        here, slope = dot(c, r), dot(c, along)  # |here - λ slope| ≤ apart
        middle, half = here / slope, apart / ca.fabs(slope)
        beside = ca.if_else(ca.fabs(here) <= apart, ca.inf, -ca.inf)  # all of the ray, or nothing
        unfelt = ca.fabs(slope) <= ROUNDING * size
        least = ca.fmax(least, ca.if_else(unfelt, -beside, middle - half))
        most = ca.fmin(most, ca.if_else(unfelt, beside, middle + half))
        within = ca.logic_and(within, ca.fabs(here) < apart)
        share = ca.vertcat(slope / (apart - here), slope / (apart + here))
        shares += [share, -share[::-1]]
    ends, some = ca.vertcat(least, most), least <= most
    if is_for_boxes():
        ends = ca.if_else(within, ca.DM([-1, 1]) / reduce(ca.fmax, shares), ends)
        some = ca.logic_or(within, some)
    return ca.if_else(ca.logic_and(_known(r, max_force), some), ends, ca.DM.nan(2))


def _known(r: Value, max_force: Value) -> Value:
    """Whether all are numbers: `fmin` and `fmax` would hide one that is not."""
    return dot(r, r) + dot(max_force, max_force) >= 0


def _planes(machine: Machine, pose: Value, max_force: Value) -> Iterator[tuple[Value, Value]]:
    """Normals (n) of length one when scaled, and how far [N] their planes are from the middle."""
    unit = move_units(machine)
    J = kinematics.actuation_matrix(machine, pose)
    rows = [row.T * unit for row in ca.vertsplit(J)]
    for some in combinations(range(len(rows)), unit.numel() - 1):
        chosen = ca.horzcat(*(rows[i] for i in some)).T
        minors = _minors(chosen)
        normal = _normal(chosen) if is_for_boxes() and len(some) > 1 else minors
        largest = reduce(mul, (norm(rows[i]) for i in some), 1)
        apart = sum(
            max_force[i] * ca.fabs(dot(normal, rows[i])) for i in range(len(rows)) if i not in some
        )
        regular = norm(bounded(minors)) > PARALLEL * largest
        scale = ca.if_else(regular, 1 / norm(normal), 0)
        yield normal * unit * scale, ca.if_else(regular, apart * scale, ca.inf)


def _normal(rows: Value) -> Value:
    """Vector (n) normal to n - 1 rows over boxes: bounds of a solution are narrower than minors'.

    Along the minors in the middle, about, it is 1.
    """
    n = rows.shape[1]
    return solve(ca.vertcat(rows, _approximate_normal(n)(rows).T), ca.DM.eye(n)[:, n - 1])


@cache
def _approximate_normal(n: int) -> ca.Function:
    """Return the function by whose name the compiler knows what need not be exact."""
    rows = ca.SX.sym("rows", n - 1, n)
    return ca.Function(f"approximate_normal{n}", [rows], [unit(_minors(rows))],
                       {"never_inline": True, "is_diff_in": [False]})  # fmt: skip


def _minors(rows: Value) -> Value:
    """Return the vector (n) normal to n - 1 rows: their minors, with alternating signs."""
    n = rows.shape[1]
    minors: dict[tuple[int, ...], Value | float] = {(): 1}
    for depth, row in enumerate(reversed(ca.vertsplit(rows)), start=1):
        minors = {
            columns: sum(
                (-1) ** k * row[column] * minors[columns[:k] + columns[k + 1 :]]
                for k, column in enumerate(columns)
            )
            for columns in combinations(range(n), depth)
        }
    columns = tuple(range(n))
    return ca.vertcat(*((-1) ** k * minors[columns[:k] + columns[k + 1 :]] for k in range(n)))
