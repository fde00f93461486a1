"""What keeps a machine from a pose: margins by kinds of limits, for one pose.

A margin is at least zero where the limit is respected, and is scaled: 1 for a leg in the middle of
its stroke, for a joint in its home direction and for det J at home. There is one for each limit
that is stated, in the order of the legs or of pairs of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sin

import casadi as ca

from gough.equations.legs.clearance import leg_distance
from gough.equations.legs.leg import leg_position
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, dot, rotation


@dataclass(frozen=True)
class LegLimits:
    """What a leg allows: lengths [m], angles from its home direction [rad], a radius [m]."""

    stroke: tuple[float, float] | None
    base_joint: float | None
    platform_joint: float | None
    radius: float | None


@dataclass(frozen=True)
class LegGap:
    """Two legs, by their numbers; and how thick both are together [m]."""

    legs: tuple[int, int]
    radii: float


Limits = tuple[LegLimits, ...]
"""Those of each leg."""


def stroke_margins(machine: Machine, limits: Limits, pose: Value) -> list[Value]:
    """How far legs are from their shortest and longest, over half the stroke."""
    margins = []
    for leg, limit in zip(machine.legs, limits, strict=True):
        if limit.stroke is not None:
            shortest, longest = leg.stroke[0], leg.stroke[1]
            l = leg_position(leg, pose).l
            margins.append(ca.fmin(l - shortest, longest - l) * (2 / (longest - shortest)))
    return margins


def base_joint_margins(machine: Machine, limits: Limits, pose: Value, home: Value) -> list[Value]:
    """How far the legs' angles from their home directions, in the base, are from the limit."""
    margins = []
    for leg, limit in zip(machine.legs, limits, strict=True):
        if limit.base_joint is not None:
            s, s_home = leg_position(leg, pose).s, leg_position(leg, home).s
            margins.append(_angle_margin(s - s_home, limit.base_joint))
    return margins


def platform_joint_margins(
    machine: Machine, limits: Limits, pose: Value, home: Value
) -> list[Value]:
    """How far the legs' angles from their home directions, in the platform, are from the limit."""
    turned = rotation(pose) @ rotation(home).T
    margins = []
    for leg, limit in zip(machine.legs, limits, strict=True):
        if limit.platform_joint is not None:
            s, axis = leg_position(leg, pose).s, turned @ leg_position(leg, home).s
            margins.append(_angle_margin(s - axis, limit.platform_joint))
    return margins


def clearance_margins(machine: Machine, gaps: tuple[LegGap, ...], pose: Value) -> list[Value]:
    """The gaps between legs, over the sum of their radii."""
    return [leg_distance(machine, pose, *gap.legs) / gap.radii - 1 for gap in gaps]


def _angle_margin(chord: Value, limit: float) -> Value:
    """1 at no angle and 0 at the limit, from the difference of two unit vectors.

    Its square is 4 sin²(angle / 2), which needs no arc function and is exact for small angles.
    """
    return 1 - dot(chord, chord) / (4 * sin(limit / 2) ** 2)
