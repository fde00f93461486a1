"""Bounds of a platform's positions from the maximum lengths of its legs in any direction."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.size import joints_of
from gough.kinematics.workspace.reach import Limits
from gough.poses import inverse, transform
from gough.robot import Robot
from gough.robot.home.configuration import HomeConfiguration, HomeJoint
from gough.robot.mechanism import BASE, PLATFORM


def box_to_search(
    robot: Robot, limits: Limits, centre: Array, turning: bool
) -> tuple[Array, Array]:
    """Return the box of positions to search: that of the longest legs, or one around the centre."""
    if is_bounded(robot, limits):
        return reachable_box(robot, centre, turning=turning)
    far = 2 * farthest_foot(robot)
    return centre[:3] - far, centre[:3] + far


def reachable_box(robot: Robot, centre: Array, *, turning: bool = False) -> tuple[Array, Array]:
    """Return a box of all positions within the longest legs, at the centre's orientation.

    It is the intersection of the boxes around the spheres on which the legs are longest. Raises
    GoughError if it is empty. If the platform is `turning` the box is for every orientation.
    """
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    for foot, wrist, longest in _longest_legs(robot):
        middle = foot if turning else centre[:3] - transform(centre, wrist) + foot
        far = longest + np.linalg.norm(wrist) if turning else longest
        low = np.maximum(low, middle - far)
        high = np.minimum(high, middle + far)
    if not (low <= high).all():
        raise GoughError(
            f"{robot.name}: no position is reachable with the orientation {centre[3:].tolist()}: "
            "the longest strokes have no position in common"
        )
    return low, high


def is_bounded(robot: Robot, limits: Limits) -> bool:
    """Whether there is a leg with a maximum length among the limits that count."""
    counts = "stroke" in limits.families or not robot.has_extensible_legs
    return counts and next(_longest_legs(robot), None) is not None


def farthest_foot(robot: Robot) -> float:
    """Return the maximum distance of a joint of the base from its origin [m]."""
    return float(np.linalg.norm(joints_of(robot, BASE), axis=-1).max())


def _longest_legs(robot: Robot) -> Iterator[tuple[Array, Array, float]]:
    """Yield ends, in base and platform frame, and maximum length [m] of each limited leg."""
    if legs := robot.extensible_legs:  # whose slides only extend them
        for leg in legs:
            if leg.stroke is not None:
                yield np.array(leg.base), np.array(leg.platform), leg.stroke[1]
        return
    for chain in _chains(robot.bodies_and_joints):
        places = [np.array(joint.at) for joint in chain]
        links = (float(np.linalg.norm(b - a)) for a, b in pairwise(places))
        length = sum(links) + sum(map(_travel, chain))
        if np.isfinite(length):
            yield places[0], transform(inverse(robot.home), places[-1]), length


def _chains(home: HomeConfiguration) -> Iterator[list[HomeJoint]]:
    """Yield the shortest chain of joints to the platform for each joint at the base."""
    for first in (joint for joint in home.joints if joint.joins(BASE)):
        waiting, seen = [([first], first.beyond(BASE))], {BASE}
        while waiting:
            chain, body = waiting.pop(0)
            if body == PLATFORM:
                yield chain
                break
            seen.add(body)
            onwards = [j for j in home.joints if j.joins(body) and j.beyond(body) not in seen]
            waiting += [([*chain, j], j.beyond(body)) for j in onwards if j not in chain]


def _travel(joint: HomeJoint) -> float:
    """Maximum extension of a leg by a joint, from home [m]."""
    if not joint.kind.slides:
        return 0.0
    travel = joint.travel[-1].from_home if joint.travel else None
    return np.inf if travel is None else max(map(abs, travel)) * (abs(joint.lead) or 1.0)
