"""All legs together: lengths, the Jacobian of q̇ = J · twist, and the joints' rates."""

from __future__ import annotations

import casadi as ca

from gough.equations.algebra import Value, angular, cross, skew
from gough.equations.leg import LegPosition, leg_acceleration, leg_position, leg_velocity
from gough.equations.linear import solve_with_pivots
from gough.equations.machine import Machine

SINGULAR = 1e-7
"""J counts as singular when a pivot is smaller than this share of the largest one: forces would be
up to 1e7 times the load, and half of their digits rounding error."""


def inverse_kinematics(machine: Machine, pose: Value) -> Value:
    """Leg lengths at a pose: distances between the joint centres [Oftadeh 2010 (3)]."""
    return ca.vertcat(*(leg_position(leg, pose).l for leg in machine.legs))


def jacobian(machine: Machine, pose: Value) -> Value:
    """The matrix J of q̇ = J · twist; row i is [sᵢᵀ, (bᵢ x sᵢ)ᵀ] [Oftadeh 2010 (15)]."""
    return ca.vertcat(*(jacobian_row(leg_position(leg, pose)) for leg in machine.legs))


def jacobian_row(at: LegPosition) -> Value:
    """One leg's row of the Jacobian: the line along it, as seen from the platform's origin."""
    return ca.horzcat(at.s.T, cross(at.b, at.s).T)


def leg_forces(machine: Machine, pose: Value, wrench: Value) -> Value:
    """The forces of Jᵀ · force = wrench, one along each leg; NaN at a singular pose.

    Moments are about the first leg's platform joint, where that leg has none: three entries less.
    There may be several wrenches, one a column.
    """
    forces, regular = _leg_forces(machine, pose, wrench)
    return ca.if_else(regular, forces, ca.DM.nan(*forces.shape))


def is_singular(machine: Machine, pose: Value) -> Value:
    """1 where leg forces cannot be found because J is singular to working precision, else 0."""
    _, regular = _leg_forces(machine, pose, ca.DM.zeros(6))
    return ca.logic_not(regular)


def _leg_forces(machine: Machine, pose: Value, wrench: Value) -> tuple[Value, Value]:
    legs = [leg_position(leg, pose) for leg in machine.legs]
    o = legs[0].b
    lines = ca.horzcat(*(ca.vertcat(at.s, cross(at.b - o, at.s)) for at in legs))
    f, n = wrench[0:3, :], wrench[3:6, :]
    forces, least, greatest = solve_with_pivots(lines, ca.vertcat(f, n - skew(o) @ f))
    return forces, least > SINGULAR * greatest  # false for NaN, too


def jacobian_rate(machine: Machine, pose: Value, twist: Value) -> Value:
    """J̇ (6x6), the time derivative of J; row i is [ṡᵢᵀ, (ḃᵢ x sᵢ + bᵢ x ṡᵢ)ᵀ]."""
    rows = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        s_dot = leg_velocity(leg, at, twist).s_dot
        b_dot = cross(angular(twist), at.b)
        rows.append(ca.horzcat(s_dot.T, (cross(b_dot, at.s) + cross(at.b, s_dot)).T))
    return ca.vertcat(*rows)


def joint_velocity(machine: Machine, pose: Value, twist: Value) -> Value:
    """Rates of the leg lengths."""
    return ca.vertcat(
        *(leg_velocity(leg, leg_position(leg, pose), twist).l_dot for leg in machine.legs)
    )


def joint_acceleration(machine: Machine, pose: Value, twist: Value, acceleration: Value) -> Value:
    """Second rates of the leg lengths."""
    rates = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        v = leg_velocity(leg, at, twist)
        rates.append(leg_acceleration(leg, at, v, twist, acceleration).l_ddot)
    return ca.vertcat(*rates)


def leg_angular_velocity(machine: Machine, pose: Value, twist: Value) -> Value:
    """Each leg's angular velocity, spin included: one row per leg."""
    return ca.vertcat(
        *(leg_velocity(leg, leg_position(leg, pose), twist).omega.T for leg in machine.legs)
    )


def leg_angular_acceleration(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> Value:
    """Each leg's angular acceleration, spin included: one row per leg."""
    rows = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        v = leg_velocity(leg, at, twist)
        rows.append(leg_acceleration(leg, at, v, twist, acceleration).alpha.T)
    return ca.vertcat(*rows)
