"""Rods with balls at both ends: the mass that each shares between its ends.

A rod's kinetic energy is that of two point masses at its ends, which belong to the bodies there,
and m v_E · v_C of the mass m that it shares. So each end is loaded by m times the acceleration of
the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.mechanism.bodies import ZERO, Force
from gough.equations.mechanism.joints import BASE
from gough.equations.mechanism.legs import LegMotion, LegPosture
from gough.equations.mechanism.rows import Held, Reach, Twist
from gough.equations.mechanism.tips import Rod
from gough.equations.spatial.algebra import Value, cross


def forces_on_links(
    at: LegPosture, motion: LegMotion, twist: Twist, acceleration: Twist
) -> dict[int, list[Force]]:
    """What the links of a leg need at the ends of rods, by link."""
    forces: dict[int, list[Force]] = {}
    for rod, held in _rods(at):
        far = held.holder_acceleration(motion.links, twist, acceleration)
        loads = [(rod.link, held.reach, rod.point, far)]
        if held.other is not None and rod.other is not None:
            loads.append((rod.other, held.other, rod.held_point, _near_end(held, motion)))
        for link, reach, point, acceleration_beyond in loads:
            if link != BASE:
                force = _load(rod, reach, point, acceleration_beyond)
                forces.setdefault(link, []).append(force)
    return forces


def forces_at_tips(at: LegPosture, motion: LegMotion) -> list[Value]:
    """What the platform is asked for at each tip of a leg, in the machine's axes [N]."""
    return [
        held.tip.shared_mass * _near_end(held, motion) if isinstance(held.tip, Rod) else ZERO
        for held in at.tips
    ]


def momenta(at: LegPosture, G: Sequence[Value], T: Value) -> dict[int, Value]:
    """m v_C along each joint's own motion of E, by joint: rows over u."""
    rows: dict[int, Value] = {}
    for rod, held in _rods(at):
        for j, (v, _) in held.reach.columns.items():
            rows[j] = rows.get(j, 0) + rod.shared_mass * _velocity_along(held, v, G, T)
    return rows


def first_moment(at: LegPosture) -> Value:
    """∫ r dm of the masses that a leg's rods share [kg m]."""
    return sum(
        (rod.shared_mass * (held.reach.position + held.position) for rod, held in _rods(at)), ZERO
    )


def _velocity_along(held: Held, v: Value, G: Sequence[Value], T: Value) -> Value:
    """v · v_C, a row over u, for a velocity v of the other end."""
    if held.other is None:
        return ca.vertcat(v, cross(held.lever, v)).T @ T
    return sum((v.T @ c * G[j] for j, (c, _) in held.other.columns.items()), ca.DM.zeros(1))


def _rods(at: LegPosture) -> list[tuple[Rod, Held]]:
    return [(held.tip, held) for held in at.tips if isinstance(held.tip, Rod)]


def _near_end(held: Held, motion: LegMotion) -> Value:
    return held.reach.acceleration(motion.links[held.tip.link], held.tip.point)


def _load(rod: Rod, reach: Reach, point: Value, acceleration: Value) -> Force:
    """On a link at a rod's end: its shared mass times the other end's acceleration."""
    f = rod.shared_mass * (reach.link_axes.T @ acceleration)
    return Force(f, cross(point, f))
