"""Whether a pose is one of home's branch, as far as a pose alone can tell.

Joints that were found for a pose may leave loops open: then the machine cannot take it, or only in
another way of being assembled. And a machine with one degree of freedom may pass a change point, a
position from which it can go on in two ways (a parallelogram that is flat): beyond, a pose does not
say in which of them it is.
"""

from __future__ import annotations

from collections.abc import Iterator

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.mechanism import frame_convention
from gough.equations.mechanism.joints import Turn
from gough.equations.mechanism.legs import leg_postures
from gough.equations.mechanism.rows import Held, PlatformPlacement
from gough.equations.mechanism.singularity_measures import arm
from gough.equations.mechanism.tips import HingedTip, Weld
from gough.equations.spatial.algebra import Value, dot, norm, position, quaternion
from gough.equations.spatial.attitude import quaternion_product

OPEN = 1e-4
"""Loops that are open by more, in radians and lengths of the platform's arm, are not closed."""


def is_on_home_branch(machine: Machine, pose: Value) -> Value:
    """1 where all loops are closed and no change point lies between home and the pose, else 0.

    Constant where neither can be otherwise: a platform that has the same moves everywhere is seen
    at a pose that it can take.
    """
    squared, between = squared_gap(machine, pose), is_between_change_points(machine, pose)
    return ca.logic_and(squared < OPEN**2, between)  # false for NaN, too


def squared_gap(machine: Machine, pose: Value) -> Value:
    """The sum of the squares of all gaps, NaN out of reach; 0 where the moves are constant."""
    if machine.freedom.T is not None:
        return ca.SX(0)
    return sum((gap * gap for gap in _gaps(machine, pose)), ca.SX(0))


def is_between_change_points(machine: Machine, pose: Value) -> Value:
    """1 where a machine with one degree of freedom has passed no change point since home."""
    if machine.freedom.on_branch is None:
        return ca.SX(1)
    low, high = machine.freedom.on_branch
    moved = displacement(machine, pose)
    return ca.logic_and(low < moved, moved < high)


def displacement(machine: Machine, pose: Value) -> Value:
    """Return the displacement from home of a platform with one degree of freedom [m, rad]."""
    home = frame_convention.home(machine)
    move = frame_convention.in_base_axes(machine, machine.freedom.S.T)
    w, *v = ca.vertsplit(home[3:7])
    turned = quaternion_product(quaternion(pose), ca.vertcat(w, *(-x for x in v)))
    turned = ca.if_else(turned[0] < 0, -turned, turned)
    size = norm(move[3:6])
    angle = 2 * ca.atan2(dot(move[3:6], turned[1:4]), size * turned[0])
    return dot(move[0:3], position(pose) - home[0:3]) + size * angle


def _gaps(machine: Machine, pose: Value) -> Iterator[Value]:
    """Gaps of all rows of all legs, in radians and lengths of the platform's arm.

    A closed form may close them by turns that also stretch a link, or turn one back to front.
    """
    length, platform = arm(machine), frame_convention.platform_at(machine, pose)
    for at in leg_postures(machine, platform):
        yield from ((x.cosine**2 + x.sine**2 - 1) / 2 for x in at.positions if isinstance(x, Turn))
        for held in at.tips:
            yield from (1 - cosine for cosine in _cosines(held, platform))
            for row in held.rows:
                turns = row.force.is_zero()
                yield row.gap / (norm(row.couple) if turns else length * norm(row.force))


def _cosines(held: Held, platform: PlatformPlacement) -> Iterator[Value]:
    """Yield cosines of angles that rows hold at zero, but would hold at half a turn as well."""
    holder = platform.rotation if held.other is None else held.other.link_axes
    tip, attitude = held.tip, held.reach.link_axes.T @ holder
    if isinstance(tip, HingedTip):
        yield dot(tip.axis, attitude @ tip.held_axis)
    if isinstance(tip, Weld):
        yield (ca.trace(attitude @ tip.held_attitude) - 1) / 2
