"""Passive joints: the angles of the universal joints at the base, the tilt of the spherical ones.

A universal joint turns the leg by γ about its first axis, which is fixed in the base, and then by
ψ about its second axis, first_axis x s [Kalani 2016, section 2]. ψ is zero where the leg is at
right angles to the first axis and stays within ±π/2, where the joint locks. γ is zero in the
half-plane of the first axis and a reference direction. The paper's reference is the base frame's
z, which fails for an upright first axis; over the whole machine it is each leg's own direction at
a home pose.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.legs.leg import LegPosition, leg_position, leg_velocity, universal_joint_rates
from gough.equations.machine import Leg, Machine
from gough.equations.spatial.algebra import Value, cross, dot, norm, rotation


def universal_joint_angles(machine: Machine, pose: Value, home: Value) -> Value:
    """γ and ψ [rad] of each leg, one row per leg; γ is zero at the home pose.

    SPS legs have no such angles: their rows are NaN.
    """
    rows = []
    for leg in machine.legs:
        at, at_home = leg_position(leg, pose), leg_position(leg, home)
        rows.append(_row(*leg_angles(leg, at, at_home.s)) if leg.kind == "UPS" else _no_row())
    return ca.vertcat(*rows)


def universal_joint_velocity(machine: Machine, pose: Value, twist: Value) -> Value:
    """γ̇ and ψ̇ [rad/s] of each leg, one row per leg; NaN for SPS legs [Kalani 2016 (27)]."""
    rows = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        s_dot = leg_velocity(leg, at, twist).s_dot
        rows.append(
            _row(*universal_joint_rates(leg, at, s_dot)) if leg.kind == "UPS" else _no_row()
        )
    return ca.vertcat(*rows)


def leg_spin(machine: Machine, pose: Value, twist: Value) -> Value:
    """Angular velocity of each leg about itself [rad/s], -γ̇ sin ψ [Kalani 2016 (22)]."""
    spins = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        spins.append(dot(leg_velocity(leg, at, twist).omega, at.s) if leg.kind == "UPS" else 0)
    return ca.vertcat(*spins)


def spherical_joint_tilt(machine: Machine, pose: Value, home: Value) -> Value:
    """Angle [rad] between each leg and its platform joint's axis, from 0 to π.

    The axis moves with the platform and lies along the leg at the home pose.
    """
    turned = rotation(pose) @ rotation(home).T
    tilts = []
    for leg in machine.legs:
        s, axis = leg_position(leg, pose).s, turned @ leg_position(leg, home).s
        tilts.append(angle_between(axis, s))
    return ca.vertcat(*tilts)


def leg_angles(leg: Leg, at: LegPosition, reference: Value) -> tuple[Value, Value]:
    """γ and ψ [rad] of a UPS leg; γ is zero towards `reference`, of any length, base axes.

    Kalani's angles are those with reference (0, 0, 1), first axis (-sin α, cos α, 0).
    """
    a, s = leg.first_axis, at.s
    gamma = ca.atan2(  # Kalani (9)
        dot(s, cross(a, reference)), dot(s, reference) - dot(a, s) * dot(a, reference)
    )
    psi = ca.atan2(-dot(a, s), norm(cross(a, s)))  # Kalani (8)
    return gamma, psi


def angle_between(a: Value, b: Value) -> Value:
    """Angle [rad] between two vectors, exact also where they are nearly parallel."""
    return ca.atan2(norm(cross(a, b)), dot(a, b))


def _row(gamma: Value, psi: Value) -> Value:
    return ca.horzcat(gamma, psi)


def _no_row() -> Value:
    return ca.DM.nan(1, 2)
