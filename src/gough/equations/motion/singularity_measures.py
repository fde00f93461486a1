"""Distance of a parallel robot from its four kinds of singularity, as dimensionless numbers.

Lengths are divided by a characteristic length, so that the machine's size does not matter:
rotations of a motor and of the platform count by the arc at that length. `singularity` lists the
quantity that vanishes in a singularity of each kind.
"""

from collections.abc import Iterable
from functools import reduce

import casadi as ca
from casadi import dot

from gough.equations.closure import constraint_rows as loops
from gough.equations.closure.assembled import LegPosture, assembled
from gough.equations.closure.elimination import Stage
from gough.equations.legs import closure
from gough.equations.legs.closure import SINGULAR
from gough.equations.machine import Machine, short
from gough.equations.motion.kinematics import actuation_matrix, twist_basis
from gough.equations.solvers.linear import factorise, solve_with_pivots
from gough.equations.spatial.algebra import Value, norm
from gough.equations.spatial.pose import nudge
from gough.equations.tree.joints import Turn

NOTHING = 1e-6  # size of a row over the platform below which it constrains only a loop inside a leg

ROUNDING = 1e-9  # share of the machine's size below which a length counts as zero


def arm(machine: Machine) -> Value | float:
    """Return the characteristic length of a machine [m].

    The maximum distance of a platform joint, or a hinge's axis, from the platform's origin. For a
    machine all of whose platform joints are there, that of a leg's joint from the one before; 1 m
    if all joints are in one point, as in a spherical machine.
    """
    cuts = [cut for leg in machine.legs for cut in leg.cuts if cut.other is None]
    between = [ca.sumsqr(joint.origin) for leg in machine.legs for joint in leg.joints]
    points = [ca.sumsqr(cut.held_point) for cut in cuts]
    size = max((float(x) for x in (*points, *between) if x.is_constant()), default=0.0)

    def apart(squares: Iterable[Value]) -> list[Value]:
        """Squared lengths that are more than rounding."""
        return [x for x in squares if not (x.is_constant() and float(x) <= ROUNDING**2 * size)]

    known = apart(ca.sumsqr(_lever(cut)) for cut in cuts) or apart(between) or [ca.DM(1)]
    longest = ca.sqrt(reduce(ca.fmax, known))  # the root of a zero length has no derivative
    return float(longest) if longest.is_constant() else longest


def _lever(cut: loops.CutJoint) -> Value:
    """From the origin of what holds a cut joint to its point, or across to its hinge's axis."""
    if not isinstance(cut, loops.CutHinge):
        return cut.held_point
    return cut.held_point - dot(cut.held_point, cut.held_axis) * cut.held_axis


def determinant(machine: Machine, pose: Value) -> Value:
    """det J T, whose sign changes in parallel singularities; √det (J T)ᵀ(J T) with more motors."""
    J = ca.SX(actuation_matrix(machine, pose))
    return ca.det(J) if J.is_square() else ca.sqrt(ca.det(J.T @ J))


def scaled_jacobian(machine: Machine, pose: Value, length: Value | float) -> Value:
    """J T (motors, n), all entries numbers: motions measured by the characteristic length [m]."""
    J = actuation_matrix(machine, pose)
    joints = (machine.legs[leg].joints[joint] for leg, joint in machine.motors)
    motors = ca.vertcat(*(length if joint.turns else 1 for joint in joints))
    by_row = ca.repmat(motors, 1, J.shape[1])
    return J * by_row / ca.repmat(freedom_units(machine, length).T, J.shape[0], 1)


def distance(machine: Machine, pose: Value, length: Value | float) -> Value:
    """Distance [m] to det J T = 0 to first order: |det| over its slope, rotations by `length`."""
    share = ca.SX.sym("share", machine.dof)
    step = twist_basis(machine, pose) @ (share / freedom_units(machine, length))
    slope = ca.gradient(determinant(machine, nudge(pose, step)), share)
    slope = ca.substitute(slope, share, ca.DM.zeros(*share.shape))
    return ca.fabs(determinant(machine, pose)) / norm(slope)


@short(closure.serial_pivots)
def serial(machine: Machine, pose: Value) -> Value:
    """One for each leg with motors: what its driven rows see of them, beside the platform."""
    legs = [at for at in assembled(machine, pose).legs if at.leg.plan.driven]
    return ca.vertcat(*(_serial(at, arm(machine)) for at in legs))


@short(closure.passive_pivots)
def passive(machine: Machine, pose: Value) -> Value:
    """One for each group of passive joints, leg by leg: what its rows see of them.

    NaN of a leg out of reach; 0 of one whose joints have no position because it is singular.
    """
    groups = []
    for at in assembled(machine, pose).legs:
        for stage in at.leg.plan.stages:
            pivot = _passive(at, stage, arm(machine))
            groups.append(ca.if_else(ca.fabs(pivot) < SINGULAR, pivot, _where_reached([at], pivot)))
    return ca.vertcat(*groups) if groups else ca.DM(0, 1)


def constraint_matrix(machine: Machine, pose: Value, length: Value | float) -> Value:
    """Return the platform constraints over the complement of the rows of S, as unit rows."""
    outside = [loops.by_length(row, 1 / length) for row in ca.vertsplit(machine.freedom.outside)]
    across = ca.vertcat(*(row / norm(row) for row in outside))
    found = []
    for at in assembled(machine, pose).legs:
        used = {*at.leg.plan.driven_rows, *at.leg.plan.passive_rows}
        for row in sorted(set(range(len(at.rows.A))) - used):
            seen = loops.by_length(loops.wrench_of(at.cuts, at.rows.left_over(row)).T, length)
            found.append(seen / ca.fmax(norm(seen), NOTHING * length) @ across.T)
    return ca.vertcat(*found)


def constraint(machine: Machine, pose: Value) -> Value:
    """Return the conditioning of the platform constraints, from 0 to 1; infinite without any."""
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


@short(closure.is_singular)
def is_singular(machine: Machine, pose: Value) -> Value:
    """1 where no efforts can be found: singular in any way to working precision, or no pose."""
    J = scaled_jacobian(machine, pose, arm(machine))
    if J.shape[0] > J.shape[1]:
        J = J.T @ J
    _, least, greatest = solve_with_pivots(J, ca.DM.zeros(J.shape[1]))
    driven = ca.vertsplit(serial(machine, pose))
    groups = ca.vertsplit(ca.SX(passive(machine, pose)))
    tests = [least > SINGULAR * greatest, *(ca.fabs(x) > SINGULAR for x in driven)]
    tests += [x * x > SINGULAR for x in groups if x.numel()]  # false out of reach, too
    tests.append(constraint(machine, pose) > SINGULAR)
    return ca.logic_not(reduce(ca.logic_and, tests))


def freedom_units(machine: Machine, length: Value | float) -> Value:
    """Return the factor from each u to a length: 1, or the characteristic length for angles."""
    rows = ca.vertsplit(machine.freedom.S)
    seen = (ca.horzcat(row[0, 0:3], row[0, 3:6] / length) for row in rows)
    return ca.vertcat(*(1 / norm(row) for row in seen))


def _serial(at: LegPosture, length: Value | float) -> Value:
    """The determinant of a leg's driven rows, each over what it sees of the platform."""
    lines = at.rows.freed(loops.platform_rows(at.cuts))
    seen = [norm(ca.horzcat(line[0, 0:3], line[0, 3:6] / length)) for line in lines]
    units = [length if at.leg.joints[j].turns else 1 for j in at.leg.plan.driven]
    P = at.rows.pivot
    scaled = [
        [P[r, c] / (seen[r] * unit) for c, unit in enumerate(units)] for r in range(len(seen))
    ]
    return ca.det(ca.SX(ca.blockcat(scaled)))


def _passive(at: LegPosture, stage: Stage, length: Value | float) -> Value:
    held = [row for cut in at.cuts for row in cut.rows]
    chosen, joints = stage
    block = ca.SX(len(chosen), len(joints))
    for i, r in enumerate(chosen):
        unit = 1 / length if held[r].force.is_zero() else norm(held[r].force)
        for k, j in enumerate(joints):
            block[i, k] = at.rows.A[r][j] / (unit * (length if at.leg.joints[j].turns else 1))
    return factorise(block).determinant
