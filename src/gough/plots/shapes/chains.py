"""Whose force a body carries: that of the motor which is fewest joints away."""

from __future__ import annotations

from gough.robot import Robot
from gough.robot.home.configuration import HomeJoint
from gough.robot.home.spanning import welded
from gough.robot.mechanism import BASE, PLATFORM


def wholes(robot: Robot) -> dict[str, str]:
    """By body, the one that stands for all that fixed joints hold together with it."""
    home = robot.bodies_and_joints
    return welded(home.bodies, home.joints)


def moved_bodies(robot: Robot) -> dict[str, int]:
    """By body, the actuator that moves it against what is nearer to the base."""
    whole, away = wholes(robot), joints_from_base(robot)
    driven = (joint for joint in robot.bodies_and_joints.joints if joint.driven)
    return {_moved(joint, whole, away): k for k, joint in enumerate(driven)}


def chains(robot: Robot) -> dict[str, int]:
    """By body, the actuator whose force it carries; not of bodies that two share equally."""
    joined, ends = _neighbours(robot), {BASE, PLATFORM}
    reached = {body: {k} for body, k in moved_bodies(robot).items() if body not in ends}
    edge = reached
    while edge:
        beyond: dict[str, set[int]] = {}
        for body, actuators in edge.items():
            for other in joined[body] - reached.keys() - ends:
                beyond.setdefault(other, set()).update(actuators)
        reached = reached | beyond
        edge = beyond
    return {body: min(those) for body, those in reached.items() if len(those) == 1}


def _moved(joint: HomeJoint, whole: dict[str, str], away: dict[str, int]) -> str:
    bodies = [whole[body] for body in joint.between]
    return max(bodies, key=lambda body: (body not in (BASE, PLATFORM), away[body]))


def _neighbours(robot: Robot) -> dict[str, set[str]]:
    whole = wholes(robot)
    joined: dict[str, set[str]] = {body: set() for body in whole.values()}
    for joint in robot.bodies_and_joints.joints:
        first, second = (whole[body] for body in joint.between)
        joined[first].add(second)
        joined[second].add(first)
    return joined


def joints_from_base(robot: Robot) -> dict[str, int]:
    """By body, how many joints are between it and the base."""
    joined, away, edge = _neighbours(robot), {BASE: 0}, {BASE}
    while edge:
        edge = {other for body in edge for other in joined[body]} - away.keys()
        away |= dict.fromkeys(edge, max(away.values()) + 1)
    return away
