"""Passive joints: the angles of the universal joints at the base, the tilt of the spherical ones.

A universal joint's γ is counted from a reference direction. The paper's is the base frame's z
[Kalani 2016, section 2], which fails for an upright first axis; here it is each leg's own direction
at a home pose.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.legs.leg import leg_position, leg_velocity
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, cross, dot, norm, rotation


def universal_joint_angles(machine: Machine, pose: Value, home: Value) -> Value:
    """γ and ψ [rad] of each leg, one row per leg; γ is zero at the home pose.

    SPS legs have no such angles: their rows are NaN.
    """
    rows = []
    for leg in machine.legs:
        s, s_home = leg_position(leg, pose).s, leg_position(leg, home).s
        rows.append(ca.horzcat(*leg.base_joint.angles(s, s_home)))
    return ca.vertcat(*rows)


def universal_joint_velocity(machine: Machine, pose: Value, twist: Value) -> Value:
    """γ̇ and ψ̇ [rad/s] of each leg, one row per leg; NaN for SPS legs [Kalani 2016 (27)]."""
    rows = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        s_dot = leg_velocity(leg, at, twist).s_dot
        rows.append(ca.horzcat(*leg.base_joint.rates(at.s, s_dot)))
    return ca.vertcat(*rows)


def leg_spin(machine: Machine, pose: Value, twist: Value) -> Value:
    """Angular velocity of each leg about itself [rad/s], -γ̇ sin ψ; zero for SPS legs."""
    spins = []
    for leg in machine.legs:
        at = leg_position(leg, pose)
        spins.append(leg.base_joint.spin(at.s, leg_velocity(leg, at, twist).s_dot))
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


def angle_between(a: Value, b: Value) -> Value:
    """Angle [rad] between two vectors, exact also where they are nearly parallel."""
    return ca.atan2(norm(cross(a, b)), dot(a, b))
