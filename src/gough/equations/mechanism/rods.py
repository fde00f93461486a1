"""Rods with balls at both ends: the mass that each shares between its ends.

A rod's kinetic energy is that of two point masses at its ends, which belong to the bodies there, and
m v_E · v_C of the mass m that it shares. So each end is loaded by m times the other's acceleration.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.mechanism.legs import LegMotion, LegPosture
from gough.equations.mechanism.machine import BASE
from gough.equations.mechanism.rows import Held, Twist, holder_acceleration, point_acceleration
from gough.equations.mechanism.tree import ZERO, Force
from gough.equations.spatial.algebra import Value, cross


def forces_on_links(
    at: LegPosture, motion: LegMotion, twist: Twist, acceleration: Twist
) -> dict[int, list[Force]]:
    """What the links of a leg need at the ends of rods, by link."""
    forces: dict[int, list[Force]] = {}
    for held in _rods(at):
        tip, far = held.tip, holder_acceleration(held, motion.links, twist, acceleration)
        if tip.link != BASE:
            forces.setdefault(tip.link, []).append(_at(held, held.reach.link_axes, tip.point, far))
        if tip.other is not None and tip.other != BASE and held.other is not None:
            near = _near_end(held, motion)
            force = _at(held, held.other.link_axes, tip.held_point, near)
            forces.setdefault(tip.other, []).append(force)
    return forces


def forces_at_tips(at: LegPosture, motion: LegMotion) -> list[Value]:
    """What the platform is asked for at each tip of a leg, in the machine's axes [N]."""
    return [
        held.tip.shared_mass * _near_end(held, motion) if held.tip.is_rod else ZERO
        for held in at.tips
    ]


def momenta(at: LegPosture, G: Sequence[Value], T: Value) -> dict[int, Value]:
    """m v_C along each joint's own motion of E, by joint: rows over u."""
    rows: dict[int, Value] = {}
    for held in _rods(at):
        for j, (v, _) in held.reach.columns.items():
            share = held.tip.shared_mass * _velocity_along(held, v, G, T)
            rows[j] = rows[j] + share if j in rows else share
    return rows


def first_moment(at: LegPosture) -> Value:
    """∫ r dm of the masses that a leg's rods share [kg m]."""
    ends = (held.tip.shared_mass * (held.reach.position + held.position) for held in _rods(at))
    return sum(ends, ZERO)


def _velocity_along(held: Held, v: Value, G: Sequence[Value], T: Value) -> Value:
    """v · v_C, a row over u, for a velocity v of the other end."""
    if held.other is None:
        return ca.vertcat(v, cross(held.lever, v)).T @ T
    return sum((v.T @ c * G[j] for j, (c, _) in held.other.columns.items()), ca.DM.zeros(1))


def _rods(at: LegPosture) -> list[Held]:
    return [held for held in at.tips if held.tip.is_rod]


def _near_end(held: Held, motion: LegMotion) -> Value:
    return point_acceleration(held.reach, motion.links[held.tip.link], held.tip.point)


def _at(held: Held, link_axes: Value, point: Value, acceleration: Value) -> Force:
    f = held.tip.shared_mass * (link_axes.T @ acceleration)
    return Force(f, cross(point, f))
