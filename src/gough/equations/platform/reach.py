"""What keeps a machine from a pose: margins by kinds of limits, for one pose.

A margin is at least zero where the limit is respected, and is scaled: 1 for a leg in the middle of
its stroke, for a joint in its home direction and for det J at home. There is one for each limit
that is stated, in the order of the legs or of pairs of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.legs.clearance import leg_distance
from gough.equations.legs.leg import leg_position
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, dot, rotation


@dataclass(frozen=True)
class Limiting:
    """Which legs have a limit of each kind that counts, and which pairs of them may meet."""

    stroke: tuple[int, ...]
    base_joint: tuple[int, ...]
    platform_joint: tuple[int, ...]
    clearance: tuple[tuple[int, int], ...]


def stroke_margins(machine: Machine, legs: Sequence[int], pose: Value) -> list[Value]:
    """How far legs are from their shortest and longest, over half the stroke.

    Below zero for any length where the shortest is not the shorter one, as in designs to be found.
    """
    margins = []
    for leg in (machine.legs[k] for k in legs):
        shortest, longest = leg.stroke[0], leg.stroke[1]
        l = leg_position(leg, pose).l
        margins.append(ca.fmin(l - shortest, longest - l) * (2 / ca.fabs(longest - shortest)))
    return margins


def base_joint_margins(
    machine: Machine, legs: Sequence[int], pose: Value, home: Value
) -> list[Value]:
    """How far the legs' angles from their home directions, in the base, are from the limit."""
    margins = []
    for leg in (machine.legs[k] for k in legs):
        s, s_home = leg_position(leg, pose).s, leg_position(leg, home).s
        margins.append(_angle_margin(s - s_home, leg.base_joint_limit))
    return margins


def platform_joint_margins(
    machine: Machine, legs: Sequence[int], pose: Value, home: Value
) -> list[Value]:
    """How far the legs' angles from their home directions, in the platform, are from the limit."""
    turned = rotation(pose) @ rotation(home).T
    margins = []
    for leg in (machine.legs[k] for k in legs):
        s, axis = leg_position(leg, pose).s, turned @ leg_position(leg, home).s
        margins.append(_angle_margin(s - axis, leg.platform_joint_limit))
    return margins


def clearance_margins(
    machine: Machine, pairs: Sequence[tuple[int, int]], pose: Value
) -> list[Value]:
    """The gaps between legs, over the sum of their radii."""
    margins = []
    for pair in pairs:
        radii = sum(machine.legs[k].radius for k in pair)
        margins.append(leg_distance(machine, pose, *pair) / radii - 1)
    return margins


def _angle_margin(chord: Value, limit: Value) -> Value:
    """1 at no angle and 0 at the limit, from the difference of two unit vectors.

    Its square is 4 sin²(angle / 2), which needs no arc function and is exact for small angles.
    """
    return 1 - dot(chord, chord) / (4 * ca.sin(limit / 2) ** 2)
