"""A machine whose motors are held: which distances between base and platform stay the same.

Bodies that a motor joins are one body then. A leg that is left with a single body between base and
platform, on two joints about which it may lean all ways, holds the platform by a distance alone:
so do the rods of a Delta and the legs of 6-RSS, 6-RUS, 6-PSS, 6-PUS and 6-UPS machines; and in a
plane, a body between two hinges. All is computed from the drawing, about the joints' home places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.robot import Mechanism
from gough.robot.mechanism import BASE, PLATFORM, AnyJoint

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

"""Joints about which a body leans all ways."""
PARALLEL = 1e-9
"""Axes with a smaller sine between them are parallel."""


@dataclass(frozen=True)
class Distances:
    """Points (k, 3) of the base [m], points of the platform, and how far they are apart.

    All at home, with the platform where it is drawn: `platform` is in base axes, from the
    platform's origin.
    """

    base: Array
    platform: Array
    lengths: Array
    """(k) [m]; zero where a hinge joins base and platform."""
    normal: Array | None
    """The direction of all hinges of a machine that moves in a plane; None if in space."""


def held_distances(robot: Mechanism, q: Array) -> Distances:
    """The distances at positions q of the motors; GoughError where more holds the platform."""
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
    """A body among those that move with it: from the root's place at home to its own."""

    root: str
    turn: Rotation
    shift: Array

    def moved(self, point: Array) -> Array:
        """Where a point of the body at home is, as the root sees it."""
        return np.asarray(self.turn.apply(point) + self.shift)

    def beyond(self, turn: Rotation, shift: Array) -> _Body:
        """The next body, which has moved so against this one."""
        return _Body(self.root, self.turn * turn, self.turn.apply(shift) + self.shift)


def _rigid_bodies(robot: Mechanism, q: Array) -> dict[str, _Body]:
    """Every body with the one that it moves with: base and platform first, then any."""
    from scipy.spatial.transform import Rotation  # noqa: PLC0415  (slow to import)

    positions = dict(zip((a.name for a in robot.actuators), q, strict=True))
    held = [j for j in robot.joints if j.is_driven or j.kind.is_fixed]
    bodies: dict[str, _Body] = {}
    for root in (BASE, PLATFORM, *(body.name for body in robot.bodies)):
        if root in bodies:
            continue
        bodies[root] = _Body(root, Rotation.identity(), np.zeros(3))
        waiting = [root]
        while waiting:
            at = waiting.pop()
            for joint in (j for j in held if at in j.between):
                first = joint.between[0] == at
                other = joint.between[1] if first else joint.between[0]
                if other not in bodies:
                    moved = _moved(joint, positions.get(joint.name, joint.home), first)
                    bodies[other] = bodies[at].beyond(*moved)
                    waiting.append(other)
    return bodies


def _moved(joint: AnyJoint, position: float, forward: bool) -> tuple[Rotation, Array]:
    """How the second body has moved against the first since home, or the first one backwards."""
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
    """The common direction of all joints that are free, if they are hinges and parallel."""
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
    """What a body on two joints holds: a point of the base, one of the platform, their distance."""
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
        f"assembly_modes: {robot.name}: with its motors held {why}{where}; expected legs that hold "
        "the platform by distances alone. forward_kinematics finds the pose near a guess"
    )
