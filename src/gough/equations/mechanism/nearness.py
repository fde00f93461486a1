"""How near a machine of any kind is to its four kinds of singularity, as plain numbers.

Lengths are measured by a characteristic length, so that it does not matter how large the machine
is: a motor that turns counts by the way at that length, and so does the platform's turning. What
vanishes in a singularity of each kind is said in `singularity`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import casadi as ca

from gough.equations.legs.closure import SINGULAR
from gough.equations.mechanism import elimination, rows
from gough.equations.mechanism.freedom import Assembled, assembled
from gough.equations.mechanism.joints import Hinge, Turn
from gough.equations.mechanism.legs import LegPosture, leg_jacobian
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.stance import in_base_axes
from gough.equations.mechanism.tips import HingedTip, Tip
from gough.equations.solvers.elimination import factorise
from gough.equations.solvers.linear import solve_with_pivots
from gough.equations.spatial.algebra import Value, dot, norm
from gough.equations.spatial.pose import nudge

NOTHING = 1e-6
"""A row that sees as little of the platform says nothing of it: one of a loop inside a leg."""

ROUNDING = 1e-9
"""A length that is as small beside the machine's is none."""


def arm(machine: Machine) -> Value:
    """How far a platform joint, or a hinge's axis, is at most from the platform's origin [m].

    Of a machine all of whose platform joints are there, that of a leg's joint from the one before;
    1 m if all joints are in one point, as in a spherical machine.
    """
    tips = [tip for leg in machine.legs for tip in leg.tips if tip.other is None]
    between = [norm(joint.origin) for leg in machine.legs for joint in leg.joints]
    points = [norm(tip.held_point) for tip in tips]
    size = max((float(x) for x in (*points, *between) if x.is_constant()), default=0.0)

    def apart(lengths: Iterable[Value]) -> list[Value]:
        """Lengths that are more than rounding."""
        return [x for x in lengths if not (x.is_constant() and float(x) <= ROUNDING * size)]

    known = apart(norm(_lever(tip)) for tip in tips) or apart(between) or [ca.DM(1)]
    longest = reduce(ca.fmax, known)
    return float(longest) if longest.is_constant() else longest


def _lever(tip: Tip) -> Value:
    """From the origin of what holds a tip to its point, or across to its hinge's axis."""
    if not isinstance(tip, HingedTip):
        return tip.held_point
    return tip.held_point - dot(tip.held_point, tip.held_axis) * tip.held_axis


def determinant(machine: Machine, pose: Value) -> Value:
    """det J T, which changes its sign in a parallel singularity [SI].

    More motors than freedoms: the root of det (J T)ᵀ(J T), which has no sign.
    """
    return _determinant(_actuation(assembled(machine, pose)))


def scaled_jacobian(machine: Machine, pose: Value, length: Value) -> Value:
    """J T (motors, n), all entries numbers: motions measured by the characteristic length [m]."""
    return _scaled(assembled(machine, pose), length)


def unscaled_moves(machine: Machine, length: Value, share: Value) -> Value:
    """The moves u (n) of a motion in the scaled freedoms."""
    return share / _freedom_units(machine, length)


def distance(machine: Machine, pose: Value, length: Value) -> Value:
    """How far the nearest pose with det J T = 0 is, to first order [m].

    |det| over its steepest slope; a rotation by φ counts as a way of `length` times φ.
    """
    at = assembled(machine, pose)
    share = ca.SX.sym("share", at.T.shape[1])
    step = in_base_axes(machine, at.T @ unscaled_moves(machine, length, share))
    moved = _determinant(_actuation(assembled(machine, nudge(pose, step))))
    slope = ca.substitute(ca.gradient(moved, share), share, ca.DM.zeros(*share.shape))
    return ca.fabs(_determinant(_actuation(at))) / norm(slope)


def serial(machine: Machine, pose: Value) -> Value:
    """One for each leg with motors: what its driven rows see of them, beside the platform."""
    legs = [at for at in assembled(machine, pose).legs if at.leg.plan.driven]
    return ca.vertcat(*(_serial(at, arm(machine)) for at in legs))


def passive(machine: Machine, pose: Value) -> Value:
    """One for each group of passive joints, leg by leg: what its rows see of them.

    NaN of a leg out of reach; 0 of one whose joints have no position because it is singular.
    """
    groups = []
    for at in assembled(machine, pose).legs:
        for stage in at.leg.plan.stages:
            pivot = _passive(at, stage, arm(machine))
            vanishes = ca.fabs(pivot) < SINGULAR
            groups.append(ca.if_else(vanishes, pivot, _where_reached([at], pivot)))
    return ca.vertcat(*groups) if groups else ca.DM(0, 1)


def constraint_matrix(machine: Machine, pose: Value, length: Value) -> Value:
    """What all rows left over see of what the moves leave out, each row of length one."""
    outside = machine.freedom.outside
    across = ca.vertcat(*(_unit(_by_length(row, 1 / length)) for row in ca.vertsplit(outside)))
    found = []
    for at in assembled(machine, pose).legs:
        for row in _all_left(at):
            line = rows.wrench_of(at.tips, elimination.left_over(at.rows, row)).T
            seen = _by_length(line, length)
            found.append(seen / ca.fmax(norm(seen), NOTHING * length) @ across.T)
    return ca.vertcat(*found)


def constraint(machine: Machine, pose: Value) -> Value:
    """What is left of the rows that hold the platform to its moves; infinite if all are free."""
    if not machine.freedom.outside.shape[0]:
        return ca.DM.inf()
    K = constraint_matrix(machine, pose, arm(machine))
    _, least, greatest = solve_with_pivots(K.T @ K, ca.DM.zeros(K.shape[1]))
    return _where_reached(assembled(machine, pose).legs, ca.sqrt(least / greatest))


def _where_reached(legs: list[LegPosture], x: Value) -> Value:
    """x, which may be the same at every pose, where the legs reach; else NaN."""
    placed = [y.cosine if isinstance(y, Turn) else y for at in legs for y in at.positions]
    reached = sum((y * y for y in placed), ca.SX(0)) > -1  # false for NaN
    return ca.if_else(reached, x, ca.DM.nan(*x.shape))


def is_singular(machine: Machine, pose: Value) -> Value:
    """1 where no efforts can be found: singular in any way to working precision, or no pose."""
    at, length = assembled(machine, pose), arm(machine)
    J = _scaled(at, length)
    if J.shape[0] > J.shape[1]:
        J = J.T @ J
    _, least, greatest = solve_with_pivots(J, ca.DM.zeros(J.shape[1]))
    tests = [least > SINGULAR * greatest, *_regular_legs(machine, pose)]
    tests.append(constraint(machine, pose) > SINGULAR)
    return ca.logic_not(reduce(ca.logic_and, tests))


def _regular_legs(machine: Machine, pose: Value) -> list[Value]:
    """Tests that are false where a leg is singular, or cannot be assembled."""
    driven = [ca.fabs(x) > SINGULAR for x in ca.vertsplit(serial(machine, pose))]
    groups = ca.vertsplit(ca.SX(passive(machine, pose)))
    return driven + [x * x > SINGULAR for x in groups if x.numel()]


def _determinant(J: Value) -> Value:
    if J.shape[0] == J.shape[1]:
        return ca.det(ca.SX(J))
    return ca.sqrt(ca.det(ca.SX(J.T @ J)))


def _actuation(at: Assembled) -> Value:
    rates = [leg_jacobian(leg, at.T) for leg in at.legs]
    return ca.vertcat(*(rates[leg][joint] for leg, joint in at.machine.motors))


def _scaled(at: Assembled, length: Value) -> Value:
    machine = at.machine
    kinds = (type(machine.legs[leg].joints[joint]) for leg, joint in machine.motors)
    motors = ca.vertcat(*(length if kind is Hinge else 1 for kind in kinds))
    J = _actuation(at)
    by_row = ca.repmat(motors, 1, J.shape[1])
    return J * by_row / ca.repmat(_freedom_units(machine, length).T, J.shape[0], 1)


def _freedom_units(machine: Machine, length: Value) -> Value:
    """What turns each u into a length: 1 of a way, the characteristic length of an angle."""
    seen = (
        ca.horzcat(row[0, 0:3], row[0, 3:6] / length) for row in ca.vertsplit(machine.freedom.S)
    )
    return ca.vertcat(*(1 / norm(row) for row in seen))


def _serial(at: LegPosture, length: Value) -> Value:
    """The determinant of a leg's driven rows, each over what it sees of the platform."""
    lines = elimination.freed(at.rows, rows.platform_rows(at.tips))
    seen = [norm(ca.horzcat(line[0, 0:3], line[0, 3:6] / length)) for line in lines]
    units = [length if isinstance(at.leg.joints[j], Hinge) else 1 for j in at.leg.plan.driven]
    P = at.rows.pivot
    scaled = [
        [P[r, c] / (seen[r] * unit) for c, unit in enumerate(units)] for r in range(len(seen))
    ]
    return ca.det(ca.SX(ca.blockcat(scaled)))


def _passive(
    at: LegPosture, stage: tuple[tuple[int, ...], tuple[int, ...]], length: Value
) -> Value:
    held = [row for tip in at.tips for row in tip.rows]
    chosen, joints = stage
    block = ca.SX(len(chosen), len(joints))
    for i, r in enumerate(chosen):
        turns = held[r].force.is_zero()
        unit = 1 / length if turns else norm(held[r].force)
        for k, j in enumerate(joints):
            by = unit * (length if isinstance(at.leg.joints[j], Hinge) else 1)
            block[i, k] = at.rows.A[r][j] / by
    return factorise(block).determinant


def _all_left(at: LegPosture) -> list[int]:
    plan = at.leg.plan
    used = {*plan.driven_rows, *elimination.passive_rows(plan)}
    return [row for row in range(len(at.rows.A)) if row not in used]


def _by_length(row: Value, length: Value) -> Value:
    return ca.horzcat(row[0, 0:3] * length, row[0, 3:6])


def _unit(row: Value) -> Value:
    return row / norm(row)
