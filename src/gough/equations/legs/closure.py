"""All legs together: lengths, the Jacobian of q̇ = J · twist, and the joints' rates."""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from math import sqrt

import casadi as ca

from gough.equations.legs.extensible import ExtensibleLegs, platform_arm, platform_reach
from gough.equations.legs.leg import LegPosition, leg_acceleration, leg_position, leg_velocity
from gough.equations.solvers.linear import solve_with_pivots
from gough.equations.spatial.algebra import Value, angular, cross, norm, reciprocal, skew

SINGULAR = 1e-7
"""Singularity threshold: forces would be up to 1e7 times the load, and half of their digits
rounding error. J counts as singular when a pivot is smaller than this share of the maximum one. The
inertia of a leg grows with the inverse square of its length, and of the sine of its angle to the
first axis of its universal joint: it is singular when one of these squares is as small."""


def inverse_kinematics(machine: ExtensibleLegs, pose: Value) -> Value:
    """Leg lengths at a pose: distances between the joint centres [Oftadeh 2010 (3)]."""
    return ca.vertcat(*(leg_position(leg, pose).l for leg in machine.legs))


def jacobian(machine: ExtensibleLegs, pose: Value) -> Value:
    """The matrix J of q̇ = J · twist; row i is [sᵢᵀ, (bᵢ x sᵢ)ᵀ] [Oftadeh 2010 (15)]."""
    return ca.vertcat(*(jacobian_row(leg_position(leg, pose)) for leg in machine.legs))


def jacobian_row(at: LegPosition) -> Value:
    """One leg's row of the Jacobian: the line along it, as seen from the platform's origin."""
    return ca.horzcat(at.s.T, cross(at.b, at.s).T)


def leg_forces(machine: ExtensibleLegs, pose: Value, wrench: Value) -> Value:
    """The forces of Jᵀ · force = wrench, one along each leg; NaN at a singular pose.

    Moments are about the first leg's platform joint, where that leg has none: three entries less.
    There may be several wrenches, one a column.
    """
    forces, regular = _leg_forces(machine, pose, wrench)
    return ca.if_else(regular, forces, ca.DM.nan(*forces.shape))


def is_singular(machine: ExtensibleLegs, pose: Value) -> Value:
    """1 where no leg forces can be found: J or a leg is singular to working precision, else 0."""
    _, regular = _leg_forces(machine, pose, ca.DM.zeros(6))
    return ca.logic_not(regular)


def singular_legs(machine: ExtensibleLegs, pose: Value) -> Value:
    """For each leg 1 where it stands along its universal joint's first axis, 2 if it has no length.

    0 where it is regular, NaN where the pose or the leg is.
    """
    kinds = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        turned = ca.if_else(_apart([leg.base_joint.alignment(at.s)]), 0, 1)
        kind = ca.if_else(_long(machine, [at]), turned, 2)
        kinds.append(ca.if_else(at.l < ca.inf, kind, ca.DM.nan()))  # false for NaN
    return ca.vertcat(*kinds)


def universal_joint_sines(machine: ExtensibleLegs, pose: Value) -> Value:
    """Sine of the angle between each leg and its joint's first axis; NaN for SPS legs."""
    return ca.vertcat(*(leg.base_joint.sine(leg_position(leg, pose).s) for leg in machine.legs))


def serial_pivots(machine: ExtensibleLegs, pose: Value) -> Value:
    """Length of each leg over the platform's arm: without length it has no direction."""
    return inverse_kinematics(machine, pose) / platform_reach(machine)


def passive_pivots(machine: ExtensibleLegs, pose: Value) -> Value:
    """Sines of the angles between first axis and leg, of the legs on universal joints."""
    legs = [leg for leg in machine.legs if leg.base_joint.first_axis is not None]
    return ca.vertcat(*(leg.base_joint.sine(leg_position(leg, pose).s) for leg in legs))


def leg_spin(machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
    """Angular velocity of each leg about itself [rad/s], -γ̇ sin ψ; zero for SPS legs."""
    spins = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        spins.append(leg.base_joint.spin(at.s, leg_velocity(leg, at, twist).s_dot))
    return ca.vertcat(*spins)


def balance(machine: ExtensibleLegs, lines: Value, wrench: Value) -> tuple[Value, Value]:
    """Forces on six lines (columns) that make up a wrench, and whether the lines are independent.

    Moments are over the platform's size, so that it does not matter how large the machine is.
    """
    by_size = reciprocal(platform_arm(machine))
    numbers = ca.vertcat(lines[0:3, :], lines[3:6, :] * by_size)
    required = ca.vertcat(wrench[0:3, :], wrench[3:6, :] * by_size)
    forces, least, greatest = solve_with_pivots(numbers, required)
    return forces, least > SINGULAR * greatest  # false for NaN, too


def _leg_forces(machine: ExtensibleLegs, pose: Value, wrench: Value) -> tuple[Value, Value]:
    legs = [leg_position(leg, pose) for leg in machine.legs]
    o = legs[0].b
    lines = ca.horzcat(*(ca.vertcat(at.s, cross(at.b - o, at.s)) for at in legs))
    f, n = wrench[0:3, :], wrench[3:6, :]
    forces, independent = balance(machine, lines, ca.vertcat(f, n - skew(o) @ f))
    passive = [leg.base_joint.alignment(at.s) for leg, at in zip(machine.legs, legs, strict=True)]
    regular = ca.logic_and(_long(machine, legs), _apart(passive))
    return forces, ca.logic_and(independent, regular)


def _long(machine: ExtensibleLegs, legs: list[LegPosition]) -> Value:
    """Whether all of these legs have a length; false if one is NaN."""
    shortest = reduce(ca.fmin, (at.l for at in legs))
    long = shortest > sqrt(SINGULAR) * platform_arm(machine)
    return ca.logic_and(long, sum(at.l for at in legs) < ca.inf)  # fmin leaves out NaN


def _apart(alignments: list[Value | float]) -> Value | bool:
    """Whether no leg stands along its universal joint's first axis."""
    return reduce(ca.fmax, alignments) < 1 - SINGULAR


def jacobian_rate(machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
    """J̇ (nx6), the time derivative of J; row i is [ṡᵢᵀ, (ḃᵢ x sᵢ + bᵢ x ṡᵢ)ᵀ]."""
    rows = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        s_dot = leg_velocity(leg, at, twist).s_dot
        b_dot = cross(angular(twist), at.b)
        rows.append(ca.horzcat(s_dot.T, (cross(b_dot, at.s) + cross(at.b, s_dot)).T))
    return ca.vertcat(*rows)


def joint_velocity(machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
    """Rates of the leg lengths."""
    return ca.vertcat(
        *(leg_velocity(leg, leg_position(leg, pose), twist).l_dot for leg in machine.legs)
    )


def joint_acceleration(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> Value:
    """Second rates of the leg lengths."""
    rates = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        v = leg_velocity(leg, at, twist)
        rates.append(leg_acceleration(leg, at, v, twist, acceleration).l_ddot)
    return ca.vertcat(*rates)


def leg_angular_velocity(machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
    """Each leg's angular velocity, spin included: one row per leg."""
    return ca.vertcat(
        *(leg_velocity(leg, leg_position(leg, pose), twist).omega.T for leg in machine.legs)
    )


def leg_angular_acceleration(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> Value:
    """Each leg's angular acceleration, spin included: one row per leg."""
    rows = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        v = leg_velocity(leg, at, twist)
        rows.append(leg_acceleration(leg, at, v, twist, acceleration).alpha.T)
    return ca.vertcat(*rows)


def lengths_possible(machine: ExtensibleLegs, q: Value, slack: Value | float) -> Value:
    """Whether no length is negative and no two contradict each other by more than `slack` [m].

    Legs i and j, with distances a of their base joints and b of their platform joints, close a
    quadrangle: none of its sides qᵢ, qⱼ, a, b is longer than the other three together. False for
    what is not a number.
    """
    legs = machine.legs
    tests = [q[i] >= 0 for i in range(len(legs))]
    for i, j in combinations(range(len(legs)), 2):
        a = norm(legs[i].base - legs[j].base)
        b = norm(legs[i].platform - legs[j].platform)
        tests.append(ca.fabs(q[i] - q[j]) <= a + b + slack)
        tests.append(q[i] + q[j] >= ca.fabs(a - b) - slack)
    return reduce(ca.logic_and, tests)
