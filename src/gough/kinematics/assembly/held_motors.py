"""A machine with locked motors: the constant distances between base and platform.

Bodies on both sides of a motor are one body then. A leg with a single remaining body between base
and platform, on two joints about which it may tilt in every direction, constrains only a distance:
so do the rods of a Delta and the legs of 6-RSS, 6-RUS, 6-PSS, 6-PUS and 6-UPS machines; and in a
plane, a body between two hinges. All is computed from the home configuration.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.poses import compose, pose, transform
from gough.robot import BASE, PLATFORM, Mechanism, spanning_tree
from gough.robot.mechanism import AnyJoint

PARALLEL = 1e-9
"""Sine of the angle below which axes are parallel."""


@dataclass(frozen=True)
class Distances:
    """Points (k, 3) of the base [m], points of the platform, and their distances.

    All are at home: `platform` is in base axes, from the platform's origin.
    """

    base: Array
    platform: Array
    lengths: Array
    """(k) [m]; zero where a hinge joins base and platform."""
    normal: Array | None
    """The direction of all hinges of a machine that moves in a plane; None if in space."""


def held_distances(robot: Mechanism, q: Array) -> Distances:
    """Return the distances at motor positions q; GoughError for other constraints."""
    rigid = _rigid_bodies(robot, q)
    free = [j for j in robot.joints if rigid[j.between[0]].root != rigid[j.between[1]].root]
    normal = _normal(robot, free)
    found = []
    for name in dict.fromkeys(body.root for body in rigid.values()):
        joints = [j for j in free if name in (rigid[b].root for b in j.between)]
        if name in (BASE, PLATFORM):
            ends = [(j, _ends(j, rigid)) for j in joints if name == BASE]
            found += [_hinged(robot, *pair) for pair in ends if PLATFORM in pair[1]]
        else:
            found.append(_distance(robot, name, joints, rigid, normal is not None))
    base, platform, lengths = (np.array(part) for part in zip(*found, strict=True))
    return Distances(base, platform - np.array(robot.home[:3]), lengths, normal)


class _Body(NamedTuple):
    """A body of a rigid group: the root of the group, and its displacement (7) from home there."""

    root: str
    moved: Array


def _rigid_bodies(robot: Mechanism, q: Array) -> dict[str, _Body]:
    """Every body with the root of its rigid group: base and platform first, then any."""
    positions = dict(zip((a.name for a in robot.actuators), q, strict=True))
    held = [j for j in robot.joints if j.is_driven or j.kind.is_fixed]
    bodies: dict[str, _Body] = {}
    for root in (BASE, PLATFORM, *(body.name for body in robot.bodies)):
        if root in bodies:
            continue
        bodies[root] = _Body(root, pose(np.zeros(3)))
        for joint, carrier, body in spanning_tree(held, root):
            way = positions.get(joint.name, joint.home) - joint.home
            step = _moved(joint, way if joint.first == carrier else -way)
            bodies[body] = _Body(root, compose(bodies[carrier].moved, step))
    return bodies


def _moved(joint: AnyJoint, way: float) -> Array:
    """The displacement (7) of a body since home, by a way of its joint [rad, m]."""
    if joint.type not in ("R", "P"):
        return pose(np.zeros(3))
    step, at = way * np.array(joint.axis) / np.linalg.norm(joint.axis), np.array(joint.at)
    if joint.type == "P":
        return pose(step)
    turn = pose(np.zeros(3), rotation_vector=step)
    return pose(at - transform(turn, at), rotation_vector=step)


def _normal(robot: Mechanism, free: list[AnyJoint]) -> Array | None:
    """Common direction of all free joints, if they are parallel hinges."""
    if not free or any(joint.type != "R" for joint in free):
        return None
    axes = np.array([joint.lines[0] for joint in free])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    if np.linalg.norm(np.cross(axes, axes[0]), axis=1).max() > PARALLEL:
        raise _refused(robot, "its hinges are not parallel", free[0])
    return np.asarray(axes[0])


def _ends(joint: AnyJoint, rigid: dict[str, _Body]) -> dict[str, Array]:
    """Where a joint is on both of its rigid groups, by their roots."""
    return {rigid[b].root: transform(rigid[b].moved, joint.at) for b in joint.between}


def _hinged(
    robot: Mechanism, joint: AnyJoint, ends: dict[str, Array]
) -> tuple[Array, Array, float]:
    """A hinge between base and platform: a distance of zero."""
    if joint.type != "R":
        raise _refused(robot, f"{joint.name} joins base and platform", joint)
    return ends[BASE], ends[PLATFORM], 0.0


def _distance(
    robot: Mechanism, root: str, joints: list[AnyJoint], rigid: dict[str, _Body], planar: bool
) -> tuple[Array, Array, float]:
    """A point of the base, one of the platform, and their distance, set by a body on two joints."""
    if not joints:
        raise _refused(robot, f"{root} has no free joint", None)
    ends: dict[str, tuple[Array, Array]] = {}
    for joint in joints:
        if not planar and not joint.kind.tilts:
            raise _refused(robot, f"{joint.name} is no ball or universal joint", joint)
        points = _ends(joint, rigid)
        ends |= {far: (points[far], points[root]) for far in points.keys() & {BASE, PLATFORM}}
    if len(joints) != 2 or set(ends) != {BASE, PLATFORM}:
        raise _refused(robot, f"{root} is not alone between base and platform", joints[0])
    (base, base_end), (platform, platform_end) = ends[BASE], ends[PLATFORM]
    return base, platform, float(np.linalg.norm(platform_end - base_end))


def _refused(robot: Mechanism, why: str, joint: AnyJoint | None) -> GoughError:
    where = "" if joint is None else f" ({joint.name}, {joint.type})"
    return GoughError(
        f"assembly_modes: {robot.name}: with its motors locked {why}{where}; expected legs that "
        "only constrain distances. forward_kinematics finds the pose near a guess"
    )
