"""Newton's steps that close a machine whose pose, or motors, leave some of its rows open.

Two questions have two steps. A pose that the machine cannot take leaves rows open that say what
the platform cannot do: it is moved until they close, its u as it is. And while the motors go where
they are wanted, the platform and all passive joints follow until all rows close: the forward
kinematics.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, product

import casadi as ca
from casadi import dot

from gough.equations import closure
from gough.equations.closure import constraint_rows as loops
from gough.equations.closure.assembled import LegPosture, assembled, home, platform_at, posture
from gough.equations.machine import Leg, Machine
from gough.equations.motion import kinematics
from gough.equations.motion.singularity_measures import arm
from gough.equations.solvers.linear import DampedFit, Factors, Fit, factorise, solve
from gough.equations.spatial.algebra import Value, norm, position, quaternion
from gough.equations.spatial.algebra import rotation as matrix_of
from gough.equations.spatial.attitude import vee
from gough.equations.spatial.pose import turn_between
from gough.equations.tree.joints import Revolute, Turn

OPEN = 1e-4  # gaps in radians and lengths of the platform's arm from which loops are open
SINGULAR = 1e-9  # size of a pivot at home below which its sign does not determine a branch


def all_positions(machine: Machine, pose: Value) -> Value:
    """Positions of all joints of all legs at a pose [rad, m], leg by leg."""
    return ca.vertcat(*(x for at in assembled(machine, pose).legs for x in at.joint_positions))


def postures(machine: Machine, pose: Value, joints: Value) -> list[LegPosture]:
    """All legs at joint positions [rad, m] that may leave them open."""
    platform = platform_at(machine, pose)
    place = platform.position, platform.rotation
    pairs = zip(machine.legs, own_joints(machine), strict=True)
    return [closure.assembled.posture_at(leg, joints[mine], *place) for leg, mine in pairs]


def branch_of(machine: Machine, joints: Value, pose: Value) -> tuple[Value, Value]:
    """Branch on which joints are, by the nearest solution of each leg, and the distance to it.

    1 for each root that has the sign of the home configuration, -1 for the other; of a leg that is
    solved by iteration the number of a configuration. NaN where a leg has no solution.
    """
    platform, found, deviation = platform_at(machine, pose), [], ca.SX(0)
    for leg, mine in zip(machine.legs, own_joints(machine), strict=True):
        if not leg.joints:  # the platform is held to the base itself
            continue
        numbers, nearest = ca.SX.nan(len(leg.branches.joints) if leg.branches else 0), ca.SX(ca.inf)
        for own in leg_branches(leg):
            positions = leg.branches.positions(ca.DM(own)) if leg.branches else leg.positions
            at = posture(leg, positions(platform.position, platform.rotation), platform)
            gaps = joints[mine] - ca.vertcat(*at.joint_positions)
            hinges = ca.DM([type(joint) is Revolute for joint in leg.joints])
            turned = ca.if_else(hinges, ca.atan2(ca.sin(gaps), ca.cos(gaps)), gaps)
            known = ca.sum1(ca.fabs(turned)) < ca.inf  # the maximum knows no NaN
            away = ca.if_else(known, ca.mmax(ca.fabs(turned)), ca.inf)
            numbers = ca.if_else(away < nearest, ca.vertcat(*own), numbers)
            nearest = ca.if_else(away < nearest, away, nearest)
        found.append(numbers)
        deviation = ca.fmax(deviation, nearest)
    return ca.vertcat(*found), ca.if_else(deviation < ca.inf, deviation, ca.DM.nan())


def leg_branches(leg: Leg) -> list[tuple[int, ...]]:
    """Return the numbers of all branches of a leg; of an iteration, of those known at home."""
    if leg.iterated and leg.branches is not None:
        return list(leg.branches.at_home())
    return list(product((1, -1), repeat=len(leg.branches.joints) if leg.branches else 0))


def own_joints(machine: Machine) -> list[slice]:
    """Which of all joints are each leg's."""
    ends = list(accumulate(len(leg.joints) for leg in machine.legs))
    return [slice(end - len(leg.joints), end) for leg, end in zip(machine.legs, ends, strict=True)]


def motor_places(machine: Machine) -> list[int]:
    """Which of all joints each motor moves."""
    owned = own_joints(machine)
    return [owned[leg].start + joint for leg, joint in machine.motors]


def open_gaps(machine: Machine, pose: Value) -> Value:
    """Gaps of the platform constraints [m, rad], to first order; empty where T is constant."""
    if machine.freedom.T is not None:
        return ca.DM(0, 1)
    return _left_over(postures(machine, pose, all_positions(machine, pose)))[1]


def closing_step(machine: Machine, pose: Value) -> Value:
    """The platform's step (6) [m, rad], base axes, to close it at equal u; 0 if T is constant."""
    if machine.freedom.T is not None:
        return ca.DM.zeros(6)
    at, outside = assembled(machine, pose), machine.freedom.outside
    legs = []
    for leg in at.legs:  # a closed form may reach a point that the leg cannot by stretching turns
        rigid = [x.unit() if isinstance(x, Turn) else x for x in leg.positions]
        legs.append(posture(leg.leg, rigid, at.platform))
    K, gaps = _left_over(legs)
    return machine.in_base_axes(-outside.T @ solve(K @ outside.T, gaps))


def _left_over(legs: list[LegPosture]) -> tuple[Value, Value]:
    """K of K V = 0, and the gaps of the same rows."""
    K, gaps = [], []
    for at in legs:
        for row in at.leg.plan.left:
            weights = at.rows.left_over(row)
            K.append(loops.wrench_of(at.cuts, weights).T)
            gaps.append(_weighted(weights, loops.row_gaps(at.cuts)))
    return ca.vertcat(*K), ca.vertcat(*gaps)


@dataclass(frozen=True)
class DrivenStep:
    """A step with given steps of the motors: of the platform (6), base axes, and of all joints."""

    platform: Value
    joints: Value
    factors: Factors  # of the rows over the platform: singular in a parallel singularity
    by_size: Value  # that step in the machine's axes, lengths over its size


def driven_step(
    machine: Machine, pose: Value, joints: Value, q: Value, size: Value | float
) -> DrivenStep:
    """Return the step that brings the motors to q [rad, m] and closes all rows to first order.

    Rows that determine passive joints are solved for these; the others for the platform. With more
    motors than degrees of freedom, the sum of the squares of the remaining gaps is minimised.
    """
    motors = ca.SX.zeros(joints.shape[0])  # steps of all joints, of which only the motors move
    for k, place in enumerate(motor_places(machine)):
        motors[place] = q[k] - joints[place]
    legs = postures(machine, pose, joints)
    own = zip(legs, own_joints(machine), strict=True)
    gaps = [_gaps_after(at, motors[mine]) for at, mine in own]
    columns = _directions(machine, size)
    lines, missing = _driven_rows(machine, legs, gaps, size)
    M, b = lines @ columns, -missing
    if M.shape[0] > M.shape[1]:
        M, b = M.T @ M, M.T @ b
    factors = factorise(M)
    scaled = columns @ factors.solve(b)
    V = ca.vertcat(scaled[0:3] * size, scaled[3:6])
    passive = []  # steps of passive joints when the platform moves by V and legs close gaps
    for at, open_rows in zip(legs, gaps, strict=True):
        pairs = zip(open_rows, loops.platform_rows(at.cuts), strict=True)
        passive += at.rows.solved_passive([gap + row @ V for gap, row in pairs])
    return DrivenStep(machine.in_base_axes(V), motors + ca.vertcat(*passive), factors, scaled)


def motor_errors(machine: Machine, pose: Value, joints: Value) -> Value:
    """Return the distance of each motor from where it closes its leg [rad, m], to first order."""
    steps = [at.rows.solved(loops.row_gaps(at.cuts)) for at in postures(machine, pose, joints)]
    return ca.vertcat(*(steps[leg][joint] for leg, joint in machine.motors))


def _directions(machine: Machine, size: Value | float) -> Value:
    """Return a basis of the platform's twists, dimensionless: lengths over the machine's size."""
    T = machine.freedom.T
    if T is None:
        return ca.DM.eye(6)
    scaled = ca.DM(ca.vertcat(T[0:3, :] / size, T[3:6, :]))
    return ca.horzcat(*(column / ca.norm_2(column) for column in ca.horzsplit(scaled)))


def _gaps_after(at: LegPosture, steps: Value) -> list[Value]:
    """Gaps of a leg's rows after steps of its motors, to first order."""
    driven = at.leg.plan.driven
    pairs = zip(loops.row_gaps(at.cuts), at.rows.A, strict=True)
    return [
        gap - _weighted([row[j] for j in driven], [steps[j] for j in driven]) for gap, row in pairs
    ]


def _driven_rows(
    machine: Machine, legs: list[LegPosture], gaps_of: list[list[Value]], size: Value | float
) -> tuple[Value, Value]:
    """Rows without passive joints: what they see of the platform, each of length one, and gaps."""
    lines, gaps = [], []
    for at, open_rows in zip(legs, gaps_of, strict=True):
        B = [loops.by_length(row, size) for row in loops.platform_rows(at.cuts)]
        lines += at.rows.freed(B)
        gaps += at.rows.freed(open_rows)
        for left in at.leg.plan.left if machine.freedom.T is None else ():
            weights = at.rows.freed_of_passive(left)
            lines.append(_weighted(weights, B))
            gaps.append(_weighted(weights, open_rows))
    lengths = [ca.sqrt(ca.dot(line, line)) for line in lines]
    pairs = list(zip(lines, gaps, lengths, strict=True))
    return (
        ca.vertcat(*(line / length for line, _, length in pairs)),
        ca.vertcat(*(gap / length for _, gap, length in pairs)),
    )


def _weighted(weights: list[Value], values: list[Value]) -> Value:
    return sum((w * x for w, x in zip(weights, values, strict=True)), ca.DM.zeros(1))


def newton_step(machine: Machine, pose: Value, q: Value) -> Value:
    """The step (6) [m, rad] towards q: T J_u⁻¹ (q - those at the pose), and what closes loops."""
    return step_to(machine, pose, q, Fit.of(kinematics.actuation_matrix(machine, pose)))


def step_to(machine: Machine, pose: Value, q: Value, J_u: Fit | DampedFit) -> Value:
    """Return that step by a solution of J_u · step = missing positions."""
    closed = closing_step(machine, pose)
    missing = q - kinematics.inverse_kinematics(machine, pose)
    missing -= kinematics.jacobian(machine, pose) @ closed
    return kinematics.twist_basis(machine, pose) @ J_u.solve(missing) + closed


def leg_step(at: LegPosture) -> Value:
    """The change of the joint positions [rad, m] that closes the leg to first order."""
    return ca.vertcat(*at.rows.solved(loops.row_gaps(at.cuts)))


def same_side(at: LegPosture, home: LegPosture) -> Value:
    """Whether pivots have their signs at home, where they do not vanish: else branches have met."""
    pairs = zip(at.rows.pivots(), home.rows.pivots(), strict=True)
    test: Value = ca.SX(1)
    for here, there in pairs:
        test = ca.logic_and(test, ca.logic_or(here * there > 0, ca.fabs(there) < SINGULAR))
    return test


def left_open(at: LegPosture, size: float) -> Value:
    """Return the maximum gap of the rows that fix no joint [rad, machine sizes]; 0 without any."""
    used = {*at.leg.plan.driven_rows, *at.leg.plan.passive_rows}
    every = enumerate(row for cut in at.cuts for row in cut.rows)
    rows = [row for k, row in every if k not in used]
    gaps = (row.gap if row.force.is_zero() else row.gap / (size * norm(row.force)) for row in rows)
    return reduce(ca.fmax, map(ca.fabs, gaps), ca.SX(0))


def relative_pose(home: loops.PlatformPlacement, position: Value, rotation: Value) -> Value:
    """The platform's way from home, and its turn, a quaternion of length 0 at half a turn."""
    E = home.rotation.T @ rotation
    return ca.vertcat(position - home.position, 1 + ca.trace(E), 2 * vee(E))


def part_of_the_way(home: loops.PlatformPlacement, pose: Value, part: Value) -> tuple[Value, Value]:
    """Position and rotation on the straight way from home to a relative pose; part 1 is there."""
    turn, way = quaternion(pose), position(pose)
    blend = ca.vertcat((1 - part) * norm(turn) + part * turn[0], part * turn[1:4])
    return home.position + part * way, home.rotation @ matrix_of(ca.vertcat(way, blend))


# Whether a pose is one of home's branch, as far as a pose alone can tell. Joints that were found
# for a pose may leave loops open: then the machine cannot take it, or only in another way of being
# assembled. And a machine with one degree of freedom may pass a change point, a position from which
# it can go on in two ways (a parallelogram that is flat): beyond, a pose does not say in which.


def is_on_home_branch(machine: Machine, pose: Value, most: float = OPEN) -> Value:
    """1 where all loops are closed and no change point lies between home and the pose, else 0.

    Loops are closed that are open by less than `most`: if infinite, all that legs reach.
    """
    squared, between = squared_gap(machine, pose), is_between_change_points(machine, pose)
    return ca.logic_and(squared < most**2, between)  # false for NaN, too


def squared_gap(machine: Machine, pose: Value) -> Value:
    """The sum of the squares of all gaps, NaN out of reach; 0 where T is constant on a branch."""
    if machine.freedom.T is not None and not machine.freedom.any_branch:
        return ca.SX(0)
    gaps = (gap for of_leg in gaps_by_leg(machine, pose) for gap in of_leg)
    return sum((gap * gap for gap in gaps), ca.SX(0))


def is_between_change_points(machine: Machine, pose: Value) -> Value:
    """1 where a machine with one degree of freedom has passed no change point since home."""
    if machine.freedom.on_branch is None:
        return ca.SX(1)
    low, high = machine.freedom.on_branch
    moved = displacement(machine, pose)
    return ca.logic_and(low < moved, moved < high)


def displacement(machine: Machine, pose: Value) -> Value:
    """Return the displacement from home of a platform with one degree of freedom [m, rad]."""
    start, move = home(machine), machine.in_base_axes(machine.freedom.S.T)
    turned = turn_between(pose, start)
    turned = ca.if_else(turned[0] < 0, -turned, turned)
    size = norm(move[3:6])
    angle = 2 * ca.atan2(dot(move[3:6], turned[1:4]), size * turned[0])
    return dot(move[0:3], position(pose) - start[0:3]) + size * angle


def gaps_by_leg(machine: Machine, pose: Value) -> list[Iterator[Value]]:
    """Gaps of all rows [rad, the platform's arm], and of turns that stretch or reverse a link."""
    length, machine_at = arm(machine), assembled(machine, pose)
    return [_gaps(at, machine_at.platform, length) for at in machine_at.legs]


def _gaps(
    at: LegPosture, platform: loops.PlatformPlacement, length: Value | float
) -> Iterator[Value]:
    yield from ((x.cosine**2 + x.sine**2 - 1) / 2 for x in at.positions if isinstance(x, Turn))
    for held in at.cuts:
        yield from (1 - cosine for cosine in cosines(held, platform))
        for row in held.rows:
            yield row.gap / (norm(row.couple) if row.force.is_zero() else length * norm(row.force))


def cosines(held: loops.Held, platform: loops.PlatformPlacement) -> Iterator[Value]:
    """Yield cosines of angles that rows hold at zero, but would hold at half a turn as well."""
    holder = platform.rotation if held.other is None else held.other.link_axes
    cut, attitude = held.cut, held.reach.link_axes.T @ holder
    if isinstance(cut, loops.CutHinge):
        yield dot(cut.axis, attitude @ cut.held_axis)
    if isinstance(cut, loops.CutWeld):
        yield (ca.trace(attitude @ cut.held_attitude) - 1) / 2
