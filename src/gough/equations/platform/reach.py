"""What keeps a machine from a pose: one margin per kind of limit, for one pose.

A margin is at least zero where the limit is respected, and is scaled: 1 for a leg in the middle of
its stroke, for a joint in its home direction and for det J at home. Limits that a machine does not
have leave an infinite margin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import sin

import casadi as ca

from gough.equations.legs.clearance import leg_distance
from gough.equations.legs.leg import leg_position
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, dot, norm, rotation


@dataclass(frozen=True)
class LegLimits:
    """What a leg allows: lengths [m], angles from its home direction [rad], a radius [m]."""

    stroke: tuple[float, float] | None
    base_joint: float | None
    platform_joint: float | None
    radius: float | None


def stroke_margin(machine: Machine, limits: tuple[LegLimits, ...], pose: Value) -> Value:
    """How far the legs are from their shortest and longest, over half the stroke."""
    margins = []
    for leg, limit in zip(machine.legs, limits, strict=True):
        if limit.stroke is not None:
            shortest, longest = limit.stroke
            l = leg_position(leg, pose).l
            margins.append(ca.fmin(l - shortest, longest - l) * (2 / (longest - shortest)))
    return _least(margins)


def base_joint_margin(
    machine: Machine, limits: tuple[LegLimits, ...], pose: Value, home: Value
) -> Value:
    """How far the legs' angles from their home directions, in the base, are from the limit."""
    margins = []
    for leg, limit in zip(machine.legs, limits, strict=True):
        if limit.base_joint is not None:
            s, s_home = leg_position(leg, pose).s, leg_position(leg, home).s
            margins.append(_angle_margin(s - s_home, limit.base_joint))
    return _least(margins)


def platform_joint_margin(
    machine: Machine, limits: tuple[LegLimits, ...], pose: Value, home: Value
) -> Value:
    """How far the legs' angles from their home directions, in the platform, are from the limit."""
    turned = rotation(pose) @ rotation(home).T
    margins = []
    for leg, limit in zip(machine.legs, limits, strict=True):
        if limit.platform_joint is not None:
            s, axis = leg_position(leg, pose).s, turned @ leg_position(leg, home).s
            margins.append(_angle_margin(s - axis, limit.platform_joint))
    return _least(margins)


def clearance_margin(machine: Machine, limits: tuple[LegLimits, ...], pose: Value) -> Value:
    """The gap between the nearest two legs, over the sum of their radii.

    Legs that share a joint centre meet there by design and are not compared.
    """
    margins = []
    for i, j in combinations(range(len(machine.legs)), 2):
        r_i, r_j = limits[i].radius, limits[j].radius
        if r_i is not None and r_j is not None and not _share_a_joint(machine, i, j):
            margins.append(leg_distance(machine, pose, i, j) / (r_i + r_j) - 1)
    return _least(margins)


def _angle_margin(chord: Value, limit: float) -> Value:
    """1 at no angle and 0 at the limit, from the difference of two unit vectors.

    Its square is 4 sin²(angle / 2), which needs no arc function and is exact for small angles.
    """
    return 1 - dot(chord, chord) / (4 * sin(limit / 2) ** 2)


def _least(margins: Iterable[Value]) -> Value:
    least = ca.inf
    for margin in margins:
        least = ca.fmin(least, margin)
    return least


def _share_a_joint(machine: Machine, i: int, j: int) -> bool:
    first, second = machine.legs[i], machine.legs[j]
    size = max(float(norm(leg.base - other.base)) for leg in machine.legs for other in machine.legs)
    gaps = (first.base - second.base, first.platform - second.platform)
    return any(float(norm(gap)) <= 1e-9 * size for gap in gaps)
