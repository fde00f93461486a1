"""Newton's steps that close a machine whose pose, or motors, leave some of its rows open.

Two questions have two steps. A pose that the machine cannot take leaves rows open that say what
the platform cannot do: it is moved until they close, its u as it is. And while the motors go where
they are wanted, the platform and all passive joints follow until all rows close: the forward
kinematics.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import casadi as ca

from gough.equations.legs import newton
from gough.equations.machine import Leg, Machine, short
from gough.equations.mechanism import elimination, rows
from gough.equations.mechanism.frame_convention import in_base_axes, platform_at
from gough.equations.mechanism.joints import Turn
from gough.equations.mechanism.kinematics import (
    actuation_matrix,
    inverse_kinematics,
    jacobian,
    moves,
)
from gough.equations.mechanism.legs import LegPosture, leg_postures, posture
from gough.equations.mechanism.newton import posture_at
from gough.equations.mechanism.rows import PlatformPlacement
from gough.equations.solvers.elimination import Factors, factorise
from gough.equations.solvers.elimination import solve as solve_factorised
from gough.equations.solvers.least_squares import Fit
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value


def all_positions(machine: Machine, pose: Value) -> Value:
    """Positions of all joints of all legs at a pose [rad, m], leg by leg."""
    legs = leg_postures(machine, platform_at(machine, pose))
    return ca.vertcat(*(x for at in legs for x in at.joint_positions))


def postures(machine: Machine, pose: Value, joints: Value) -> list[LegPosture]:
    """All legs at joint positions [rad, m] that may leave them open."""
    platform = platform_at(machine, pose)
    return [
        posture_at(leg, joints[mine], platform.position, platform.rotation)
        for leg, mine in zip(machine.legs, own_joints(machine), strict=True)
    ]


def own_joints(machine: Machine) -> list[slice]:
    """Which of all joints are each leg's."""
    ends = list(accumulate(len(leg.joints) for leg in machine.legs))
    return [slice(end - len(leg.joints), end) for leg, end in zip(machine.legs, ends, strict=True)]


def motor_places(machine: Machine) -> list[int]:
    """Which of all joints each motor moves."""
    owned = own_joints(machine)
    return [owned[leg].start + joint for leg, joint in machine.motors]


def open_gaps(machine: Machine, pose: Value) -> Value:
    """Return the gaps of the platform constraints at a pose [m, rad]; to first order.

    Empty where T is constant: a pose is then projected to one that the machine can take.
    """
    if machine.freedom.T is not None:
        return ca.DM(0, 1)
    return _left_over(postures(machine, pose, all_positions(machine, pose)))[1]


def closing_step(machine: Machine, pose: Value) -> Value:
    """Return the platform's step (6) [m, rad], base axes, that closes its constraints; u stays.

    Zero where T is constant.
    """
    if machine.freedom.T is not None:
        return ca.DM.zeros(6)
    platform = platform_at(machine, pose)
    K, gaps = _left_over([_rigid(leg, platform) for leg in machine.legs])
    outside = machine.freedom.outside
    return in_base_axes(machine, -outside.T @ solve(K @ outside.T, gaps))


def _rigid(leg: Leg, platform: PlatformPlacement) -> LegPosture:
    """A leg whose links stay links where it cannot be assembled: all its turns are of length one.

    A closed form may reach a point that the leg cannot by turns that also stretch.
    """
    found = leg.positions(platform.position, platform.rotation)
    return posture(leg, [x.unit() if isinstance(x, Turn) else x for x in found], platform)


def _left_over(legs: list[LegPosture]) -> tuple[Value, Value]:
    """K of K V = 0, and the gaps of the same rows."""
    K, gaps = [], []
    for at in legs:
        for row in at.leg.plan.left:
            weights = elimination.left_over(at.rows, row)
            K.append(rows.wrench_of(at.tips, weights).T)
            gaps.append(_weighted(weights, rows.gaps(at.tips)))
    return ca.vertcat(*K), ca.vertcat(*gaps)


@dataclass(frozen=True)
class DrivenStep:
    """A step with given steps of the motors: of the platform (6), base axes, and of all joints."""

    platform: Value
    joints: Value
    factors: Factors
    """Factors of the rows' matrix over the platform: singular in a parallel singularity."""
    by_size: Value
    """That step of the platform in the machine's axes, dimensionless: lengths over the size."""


def driven_step(
    machine: Machine, pose: Value, joints: Value, q: Value, size: Value | float
) -> DrivenStep:
    """Return the step that brings the motors to q [rad, m] and closes all rows to first order.

    Rows that determine passive joints are solved for these; the others for the platform. With more
    motors than degrees of freedom, the sum of the squares of the remaining gaps is minimised.
    """
    motors = _motor_steps(machine, joints, q)
    legs = postures(machine, pose, joints)
    gaps = [
        _gaps_after(at, motors[mine]) for at, mine in zip(legs, own_joints(machine), strict=True)
    ]
    columns = _directions(machine, size)
    lines, missing = _driven_rows(machine, legs, gaps, size)
    M, b = lines @ columns, -missing
    if M.shape[0] > M.shape[1]:
        M, b = M.T @ M, M.T @ b
    factors = factorise(M)
    scaled = columns @ solve_factorised(factors, b)
    V = ca.vertcat(scaled[0:3] * size, scaled[3:6])
    passive = [_followed(at, own, V) for at, own in zip(legs, gaps, strict=True)]
    return DrivenStep(in_base_axes(machine, V), motors + ca.vertcat(*passive), factors, scaled)


def motors_off(machine: Machine, pose: Value, joints: Value) -> Value:
    """Return the distance of each motor from where it closes its leg [rad, m], to first order."""
    steps = [
        elimination.solved(at.rows, rows.gaps(at.tips)) for at in postures(machine, pose, joints)
    ]
    return ca.vertcat(*(steps[leg][joint] for leg, joint in machine.motors))


def _directions(machine: Machine, size: Value | float) -> Value:
    """Return a basis of the platform's twists, dimensionless: lengths over the machine's size."""
    T = machine.freedom.T
    if T is None:
        return ca.DM.eye(6)
    scaled = ca.DM(ca.vertcat(T[0:3, :] / size, T[3:6, :]))
    return ca.horzcat(*(column / ca.norm_2(column) for column in ca.horzsplit(scaled)))


def _motor_steps(machine: Machine, joints: Value, q: Value) -> Value:
    """Steps of all joints, of which only the motors move."""
    steps = ca.SX.zeros(joints.shape[0])
    for k, at in enumerate(motor_places(machine)):
        steps[at] = q[k] - joints[at]
    return steps


def _gaps_after(at: LegPosture, steps: Value) -> list[Value]:
    """Gaps of a leg's rows after steps of its motors, to first order."""
    driven = at.leg.plan.driven
    pairs = zip(rows.gaps(at.tips), at.rows.A, strict=True)
    return [
        gap - _weighted([row[j] for j in driven], [steps[j] for j in driven]) for gap, row in pairs
    ]


def _driven_rows(
    machine: Machine, legs: list[LegPosture], gaps_of: list[list[Value]], size: Value | float
) -> tuple[Value, Value]:
    """Rows without passive joints: what they see of the platform, each of length one, and gaps."""
    lines, gaps = [], []
    for at, open_rows in zip(legs, gaps_of, strict=True):
        B = [_by_size(row, size) for row in rows.platform_rows(at.tips)]
        lines += elimination.freed(at.rows, B)
        gaps += elimination.freed(at.rows, open_rows)
        for left in at.leg.plan.left if machine.freedom.T is None else ():
            weights = elimination.freed_of_passive(at.rows, left)
            lines.append(_weighted(weights, B))
            gaps.append(_weighted(weights, open_rows))
    lengths = [ca.sqrt(ca.dot(line, line)) for line in lines]
    pairs = list(zip(lines, gaps, lengths, strict=True))
    return (
        ca.vertcat(*(line / length for line, _, length in pairs)),
        ca.vertcat(*(gap / length for _, gap, length in pairs)),
    )


def _by_size(row: Value, size: Value | float) -> Value:
    return ca.horzcat(row[0, 0:3] * size, row[0, 3:6])


def _followed(at: LegPosture, gaps: list[Value], V: Value) -> Value:
    """Return a leg's passive joint steps when the platform moves by V and the leg closes gaps."""
    B = rows.platform_rows(at.tips)
    values = [gap + row @ V for gap, row in zip(gaps, B, strict=True)]
    return ca.vertcat(*elimination.solved_passive(at.rows, values))


def _weighted(weights: list[Value], values: list[Value]) -> Value:
    return sum((w * x for w, x in zip(weights, values, strict=True)), ca.DM.zeros(1))


@short(newton.step)
def newton_step(machine: Machine, pose: Value, q: Value) -> Value:
    """The step (6) [m, rad] towards positions q of the driven joints, with all loops closed.

    Beside its moves, T J_u⁻¹ (q - those at the pose), it does what closes the loops.
    """
    closed = closing_step(machine, pose)
    missing = q - inverse_kinematics(machine, pose) - jacobian(machine, pose) @ closed
    J_u = Fit.of(actuation_matrix(machine, pose))
    return moves(machine, pose) @ J_u.solve(missing) + closed
