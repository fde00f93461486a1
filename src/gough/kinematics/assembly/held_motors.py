"""A machine with locked motors: the constant distances between base and platform.

Bodies on both sides of a motor are one body then. A leg with a single remaining body between base
and platform, on two joints about which it may tilt in every direction, constrains only a distance:
so do the rods of a Delta and the legs of 6-RSS, 6-RUS, 6-PSS, 6-PUS and 6-UPS machines; and in a
plane, a body between two hinges. All is computed from the home configuration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.robot import Mechanism
from gough.robot.home.spanning import spanning_tree
from gough.robot.mechanism import BASE, PLATFORM, AnyJoint

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

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
            found += [_hinged(robot, j, rigid) for j in joints if name == BASE and _meets(j, rigid)]
        else:
            found.append(_distance(robot, name, joints, rigid, normal is not None))
    base, platform, lengths = (np.array(part) for part in zip(*found, strict=True))
    return Distances(base, platform - np.array(robot.home[:3]), lengths, normal)


@dataclass(frozen=True)
class _Body:
    """A body of a rigid group: its displacement relative to the root of the group, from home."""

    root: str
    turn: Rotation
    shift: Array

    def moved(self, point: Array) -> Array:
        """Return the position of a point of the body at home, seen from the root."""
        return np.asarray(self.turn.apply(point) + self.shift)

    def beyond(self, turn: Rotation, shift: Array) -> _Body:
        """Return the next body, which has this displacement relative to this one."""
        return _Body(self.root, self.turn * turn, self.turn.apply(shift) + self.shift)


def _rigid_bodies(robot: Mechanism, q: Array) -> dict[str, _Body]:
    """Every body with the root of its rigid group: base and platform first, then any."""
    from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

    positions = dict(zip((a.name for a in robot.actuators), q, strict=True))
    held = [j for j in robot.joints if j.is_driven or j.kind.is_fixed]
    bodies: dict[str, _Body] = {}
    for root in (BASE, PLATFORM, *(body.name for body in robot.bodies)):
        if root in bodies:
            continue
        bodies[root] = _Body(root, Rotation.identity(), np.zeros(3))
        for joint, carrier, body in spanning_tree(held, root):
            position = positions.get(joint.name, joint.home)
            bodies[body] = bodies[carrier].beyond(*_moved(joint, position, joint.first == carrier))
    return bodies


def _moved(joint: AnyJoint, position: float, forward: bool) -> tuple[Rotation, Array]:
    """Displacement of the second body relative to the first since home, or backwards."""
    from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

    way = (position - joint.home) * (1 if forward else -1)
    if joint.type == "R":
        axis, at = np.array(joint.axis) / np.linalg.norm(joint.axis), np.array(joint.at)
        turn = Rotation.from_rotvec(way * axis)
        return turn, at - turn.apply(at)
    if joint.type == "P":
        return Rotation.identity(), way * np.array(joint.axis) / np.linalg.norm(joint.axis)
    return Rotation.identity(), np.zeros(3)


def _normal(robot: Mechanism, free: list[AnyJoint]) -> Array | None:
    """Common direction of all free joints, if they are parallel hinges."""
    if not free or any(joint.type != "R" for joint in free):
        return None
    axes = np.array([joint.lines[0] for joint in free])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    if np.linalg.norm(np.cross(axes, axes[0]), axis=1).max() > PARALLEL:
        raise _refused(robot, "its hinges are not parallel", free[0])
    return np.asarray(axes[0])


def _meets(joint: AnyJoint, rigid: dict[str, _Body]) -> bool:
    return {rigid[body].root for body in joint.between} == {BASE, PLATFORM}


def _hinged(
    robot: Mechanism, joint: AnyJoint, rigid: dict[str, _Body]
) -> tuple[Array, Array, float]:
    """A hinge between base and platform: a distance of zero."""
    if joint.type != "R":
        raise _refused(robot, f"{joint.name} joins base and platform", joint)
    ends = {rigid[b].root: rigid[b].moved(np.array(joint.at)) for b in joint.between}
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
        for near, far in (joint.between, joint.between[::-1]):
            if rigid[near].root == root and rigid[far].root in (BASE, PLATFORM):
                at = np.array(joint.at)
                ends[rigid[far].root] = rigid[far].moved(at), rigid[near].moved(at)
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
