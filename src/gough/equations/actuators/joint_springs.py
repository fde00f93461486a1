"""Flexures in the joints of a hexapod's legs: their energy, and what they do to the platform.

A flexure resists the turning of its joint from where it is at home: across the leg at either end,
and about the leg, both ends in series.
"""

from __future__ import annotations

import casadi as ca

from gough.equations.elastic.springs import JointSprings
from gough.equations.legs.leg import leg_position
from gough.equations.machine import Leg, Machine
from gough.equations.spatial.algebra import Value, rotation
from gough.equations.spatial.attitude import angle_about, shortest_turn, squared_angle
from gough.equations.spatial.pose import rate as pose_rate


def spring_energy(machine: Machine, pose: Value) -> Value:
    """Energy [J] of all flexures; zero at home."""
    bent = [(leg, leg.flexures) for leg in machine.legs if leg.flexures is not None]
    return sum((_energy(machine, leg, springs, pose) for leg, springs in bent), ca.DM(0))


def spring_wrench(machine: Machine, pose: Value) -> Value:
    """The wrench (6) [N, N m] of all flexures on the platform: their energy decreases along it."""
    if all(leg.flexures is None for leg in machine.legs):
        return ca.DM.zeros(6)
    x, twist = ca.SX.sym("pose", 7), ca.SX.sym("twist", 6)
    by_twist = ca.jacobian(pose_rate(x, twist), twist)
    return ca.substitute(-by_twist.T @ ca.gradient(spring_energy(machine, x), x), x, pose)


def _energy(machine: Machine, leg: Leg, springs: JointSprings, pose: Value) -> Value:
    s, s_home = leg_position(leg, pose).s, leg_position(leg, machine.home).s
    turned = rotation(pose) @ rotation(machine.home).T
    carried = leg.base_joint.carried_axes
    by_base = carried(s, s_home) @ carried(s_home, s_home).T
    by_platform = shortest_turn(turned @ s_home, s) @ turned
    twisted = angle_about(s, by_base, by_platform)
    return (
        springs.base_bending * squared_angle(s_home, s)
        + springs.platform_bending * squared_angle(turned @ s_home, s)
        + springs.torsion * twisted**2
    ) / 2
