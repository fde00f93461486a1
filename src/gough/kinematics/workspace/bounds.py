"""How far a platform can be at all: what its legs leave, however they are turned."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.size import joints_of
from gough.kinematics.workspace.reach import Limits
from gough.poses import inverse, transform
from gough.robot import Hexapod, Mechanism, Robot
from gough.robot.mechanism import BASE, PLATFORM, AnyJoint


def box_to_search(
    robot: Robot, limits: Limits, centre: Array, turning: bool
) -> tuple[Array, Array]:
    """Where to look for positions: the box of the longest legs, or one around the centre."""
    if is_bounded(robot, limits):
        return reachable_box(robot, centre, turning=turning)
    far = 2 * farthest_foot(robot)
    return centre[:3] - far, centre[:3] + far


def reachable_box(robot: Robot, centre: Array, *, turning: bool = False) -> tuple[Array, Array]:
    """A box that holds all positions within the longest legs, at the centre's attitude.

    It is the common part of the boxes around the spheres on which the legs are longest. Raises
    GoughError where there is none. If the platform is `turning` the box is for every attitude.
    """
    low, high = np.full(3, -np.inf), np.full(3, np.inf)
    for foot, wrist, longest in _longest_legs(robot):
        middle = foot if turning else centre[:3] - transform(centre, wrist) + foot
        far = longest + np.linalg.norm(wrist) if turning else longest
        low = np.maximum(low, middle - far)
        high = np.minimum(high, middle + far)
    if not (low <= high).all():
        raise GoughError(
            f"{robot.name}: nothing is reachable with this attitude {centre[3:].tolist()}: the "
            "longest strokes have no position in common"
        )
    return low, high


def is_bounded(robot: Robot, limits: Limits) -> bool:
    """Whether there is a leg that cannot be longer than so much, with the limits that count."""
    counts = "stroke" in limits.families or not isinstance(robot, Hexapod)
    return counts and next(_longest_legs(robot), None) is not None


def farthest_foot(robot: Robot) -> float:
    """The largest distance of a joint of the base from its origin [m]."""
    if isinstance(robot, Hexapod):
        return max(float(np.linalg.norm(leg.base)) for leg in robot.legs)
    assert isinstance(robot, Mechanism)
    return float(np.linalg.norm(joints_of(robot, BASE), axis=-1).max())


def _longest_legs(robot: Robot) -> Iterator[tuple[Array, Array, float]]:
    """Of each leg that has a longest length its ends, in the base's and platform's frame [m]."""
    if isinstance(robot, Hexapod):
        for leg in robot.legs:
            if leg.stroke is not None:
                yield np.array(leg.base), np.array(leg.platform), leg.stroke[1]
        return
    assert isinstance(robot, Mechanism)
    for way in _ways(robot):
        links = (np.subtract(b.at, a.at) for a, b in pairwise(way))
        length = sum(float(np.linalg.norm(link)) for link in links) + sum(map(_travel, way))
        if np.isfinite(length):
            wrist = transform(inverse(robot.home), way[-1].at)
            yield np.array(way[0].at), wrist, length


def _ways(robot: Mechanism) -> Iterator[list[AnyJoint]]:
    """For each joint at the base the shortest way over joints to the platform."""
    for first in (j for j in robot.joints if BASE in j.between):
        found = _way(robot, first)
        if found is not None:
            yield found


def _way(robot: Mechanism, first: AnyJoint) -> list[AnyJoint] | None:
    waiting = [([first], first.between[first.between[0] == BASE])]
    seen = {BASE}
    while waiting:
        way, body = waiting.pop(0)
        if body == PLATFORM:
            return way
        seen.add(body)
        for joint in robot.joints:
            if body in joint.between and joint not in way:
                beyond = joint.between[joint.between[0] == body]
                if beyond not in seen:
                    waiting.append(([*way, joint], beyond))
    return None


def _travel(joint: AnyJoint) -> float:
    """How much longer a joint can make a leg than it is at home [m]."""
    if not joint.kind.slides:
        return 0.0
    travel = joint.range_of_travel
    return np.inf if travel is None else max(abs(end - joint.home) for end in travel)
