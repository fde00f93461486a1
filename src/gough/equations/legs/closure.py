"""Extensible legs: lengths, directions and rotations, the Jacobian of q̇ = J · twist, and rates.

The leg frame has z along s, from base joint to platform joint; x and y are as its base joint says.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from math import sqrt

import casadi as ca
from casadi import cross, dot, skew

from gough.equations.legs.extensible import ExtensibleLegs, Leg, platform_arm, platform_reach
from gough.equations.solvers.linear import Factors, Fit, solve_regular
from gough.equations.spatial import algebra
from gough.equations.spatial.algebra import Value, angular, linear, norm, position, rotation
from gough.equations.spatial.pose import normalised, nudge

SINGULAR = 1e-7
"""Singularity threshold: forces would be up to 1e7 times the load, and half of their digits
rounding error. J counts as singular when a pivot is smaller than this share of the maximum one. The
inertia of a leg grows with the inverse square of its length, and of the sine of its angle to the
first axis of its universal joint: it is singular when one of these squares is as small."""


@dataclass(frozen=True)
class LegPosition:
    """Where a leg is: lengths in m, vectors in base axes."""

    b: Value  # from the platform frame's origin to the platform joint
    l: Value  # length: the distance between the two joint centres
    inverse_l: Value  # 1 / l
    s: Value  # direction, from base joint to platform joint


@dataclass(frozen=True)
class LegVelocity:
    """Velocity of a leg: m/s and rad/s, vectors in base axes."""

    x_dot: Value  # velocity of the platform joint
    l_dot: Value
    s_dot: Value
    omega: Value  # angular velocity of cylinder and piston, spin included


def leg_position(leg: Leg, pose: Value) -> LegPosition:
    """A leg's length and direction at a pose [Oftadeh 2010, section II]."""
    b = rotation(pose) @ leg.platform
    span = position(pose) + b - leg.base
    l = norm(span)  # Oftadeh (3)
    inverse_l = algebra.reciprocal(l)
    return LegPosition(b, l, inverse_l, span * inverse_l)  # Oftadeh (4)


def leg_velocity(leg: Leg, at: LegPosition, twist: Value) -> LegVelocity:
    """A leg's rates [Oftadeh 2010 (11)-(16)]."""
    x_dot = linear(twist) + cross(angular(twist), at.b)  # Oftadeh (11)
    l_dot = dot(at.s, x_dot)  # Oftadeh (13)
    s_dot = (x_dot - l_dot * at.s) * at.inverse_l
    return LegVelocity(x_dot, l_dot, s_dot, leg.base_joint.angular_velocity(at.s, s_dot))


def leg_acceleration(
    leg: Leg, at: LegPosition, v: LegVelocity, twist: Value, acceleration: Value
) -> tuple[Value, Value]:
    """A leg's l̈ [m/s^2], and its angular acceleration α [rad/s^2], spin included."""
    omega_p = angular(twist)
    x_ddot = linear(acceleration) + cross(angular(acceleration), at.b)
    x_ddot += cross(omega_p, cross(omega_p, at.b))
    l_ddot = dot(at.s, x_ddot) + at.l * dot(v.s_dot, v.s_dot)
    s_ddot = (x_ddot - l_ddot * at.s - 2 * v.l_dot * v.s_dot) * at.inverse_l
    carried = leg.base_joint.carried(at.s, v.s_dot)
    rest = s_ddot - cross(v.omega, v.s_dot) - cross(carried, at.s)  # s̈ = α x s + ω x ṡ
    alpha = leg.base_joint.angular_velocity(at.s, rest) + carried
    return l_ddot, alpha


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
    """The forces of Jᵀ · force = wrench, or several in columns; NaN at a singular pose."""
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
    legs = tuple(leg for leg in machine.legs if leg.base_joint.first_axis is not None)
    return universal_joint_sines(replace(machine, legs=legs), pose)


def leg_spin(machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
    """Angular velocity of each leg about itself [rad/s], -γ̇ sin ψ; zero for SPS legs."""
    legs = _moving(machine, pose, twist)
    return ca.vertcat(*(dot(v.omega, at.s) * leg.base_joint.spins for leg, at, v in legs))


def balance(machine: ExtensibleLegs, lines: Value, wrench: Value) -> tuple[Value, Value]:
    """Forces on six lines (columns) that make up a wrench, and whether these are independent."""
    by_size = algebra.reciprocal(platform_arm(machine))  # however large the machine is
    numbers = ca.vertcat(lines[0:3, :], lines[3:6, :] * by_size)
    required = ca.vertcat(wrench[0:3, :], wrench[3:6, :] * by_size)
    return solve_regular(numbers, required, SINGULAR)


def _leg_forces(machine: ExtensibleLegs, pose: Value, wrench: Value) -> tuple[Value, Value]:
    legs = [leg_position(leg, pose) for leg in machine.legs]
    o = legs[0].b  # moments about the first leg's platform joint, where it has none
    lines = ca.horzcat(*(ca.vertcat(at.s, cross(at.b - o, at.s)) for at in legs))
    f, n = wrench[0:3, :], wrench[3:6, :]
    forces, independent = balance(machine, lines, ca.vertcat(f, n - skew(o) @ f))
    passive = [leg.base_joint.alignment(at.s) for leg, at in zip(machine.legs, legs, strict=True)]
    return forces, ca.logic_and(independent, ca.logic_and(_long(machine, legs), _apart(passive)))


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
    for _, at, v in _moving(machine, pose, twist):
        b_dot = cross(angular(twist), at.b)
        rows.append(ca.horzcat(v.s_dot.T, (cross(b_dot, at.s) + cross(at.b, v.s_dot)).T))
    return ca.vertcat(*rows)


def joint_velocity(machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
    """Rates of the leg lengths."""
    return ca.vertcat(*(v.l_dot for _, _, v in _moving(machine, pose, twist)))


def joint_acceleration(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> Value:
    """Second rates of the leg lengths."""
    legs = _moving(machine, pose, twist)
    return ca.vertcat(*(leg_acceleration(*leg, twist, acceleration)[0] for leg in legs))


def leg_angular_velocity(machine: ExtensibleLegs, pose: Value, twist: Value) -> Value:
    """Each leg's angular velocity, spin included: one row per leg."""
    return ca.vertcat(*(v.omega.T for _, _, v in _moving(machine, pose, twist)))


def leg_angular_acceleration(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value
) -> Value:
    """Each leg's angular acceleration, spin included: one row per leg."""
    legs = _moving(machine, pose, twist)
    return ca.vertcat(*(leg_acceleration(*leg, twist, acceleration)[1].T for leg in legs))


def _moving(
    machine: ExtensibleLegs, pose: Value, twist: Value
) -> Iterator[tuple[Leg, LegPosition, LegVelocity]]:
    for leg in machine.legs:
        at = leg_position(leg, pose)
        yield leg, at, leg_velocity(leg, at, twist)


def lengths_possible(machine: ExtensibleLegs, q: Value, slack: Value | float) -> Value:
    """Whether no length is negative and no two contradict each other by more than `slack` [m].

    Legs i and j, with distances a of their base joints and b of their platform joints, close a
    quadrangle: none of its sides qᵢ, qⱼ, a, b is longer than the other three together. False for
    what is not a number.
    """
    legs = machine.legs
    tests = [q[i] >= 0 for i in range(len(legs))]
    for i, j in combinations(range(len(legs)), 2):
        a, b = norm(legs[i].base - legs[j].base), norm(legs[i].platform - legs[j].platform)
        tests.append(ca.fabs(q[i] - q[j]) <= a + b + slack)
        tests.append(q[i] + q[j] >= ca.fabs(a - b) - slack)
    return reduce(ca.logic_and, tests)


# Newton's method for the pose at given leg lengths, in the tangent space at the present pose: no
# attitude is special


def newton_step(machine: ExtensibleLegs, pose: Value, q: Value) -> tuple[Value, Factors]:
    """The step J⁻¹ (q - l) towards leg lengths q, and the factors of J [Kalani 2016 (67)-(69)]."""
    legs = [leg_position(leg, pose) for leg in machine.legs]
    J = Fit.of(ca.vertcat(*map(jacobian_row, legs)))
    return J.solve(q - ca.vertcat(*(at.l for at in legs))), J.factors


def third_order_step(machine: ExtensibleLegs, pose: Value, q: Value) -> tuple[Value, Factors]:
    """A step of third order [Darvishi & Barati; Kalani 2016 (71)-(73)], and the factors of J."""
    newton, factors = newton_step(machine, pose, q)
    l_new = inverse_kinematics(machine, normalised(nudge(pose, newton)))  # at X* of Kalani (72)
    return newton + factors.solve(q - l_new), factors  # Kalani (71)
