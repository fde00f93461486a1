"""Motions of all bodies by those of the platform, the strains of bearings, and beams.

Joints constrain the second body to the first in all but their degrees of freedom. A compliant
bearing has a strain e of its own instead of a constraint. With the platform's displacement V
(translation and rotation vector, base axes) and the elastic coordinates η of the beams,
y = (V, e, η) moves all bodies: x = B y. Constraints beyond those that determine the bodies remain:
they couple V, e and η.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gough.arrays import Array
from gough.elastic.bodies import Bodies, Frames, carried
from gough.elastic.flexible.rows import REPEATED
from gough.kinematics.body_frames import body_poses
from gough.model.mechanism.elastic import bearing_stiffness
from gough.poses.quaternions import rotation_matrix, unit
from gough.robot import Mechanism
from gough.robot.mechanism import PLATFORM


@dataclass(frozen=True)
class BearingStrain:
    """One component of the deflection of a compliant bearing."""

    joint: str
    component: int
    """Component of translation and rotation, in the joint's axes."""
    stiffness: float
    """[N/m, N m/rad]"""


@dataclass(frozen=True)
class Following:
    """A machine at a pose."""

    bodies: Bodies
    frames: Frames
    M: Array
    """(x, x) of all bodies."""
    B: Array
    """(x, y)"""
    ties: Array
    """(k, y) remaining constraint rows: their products with ẏ are zero."""
    spins: Array
    """(x, s) passive degrees of freedom: rods that spin between ball joints."""

    def beside(self, count: int) -> Following:
        """Return this with further coordinates at the end that move no body."""
        B, ties = (np.hstack([rows, np.zeros((len(rows), count))]) for rows in (self.B, self.ties))
        return replace(self, B=B, ties=ties)

    def rates(self, joint: str) -> Array:
        """Rates of a joint along its degrees of freedom (f, y)."""
        return np.asarray(self._freedoms(joint) @ self.B)

    def spun(self, joint: str) -> Array:
        """Rates of a joint by passive degrees of freedom (f, s)."""
        return np.asarray(self._freedoms(joint) @ self.spins)

    def _freedoms(self, joint: str) -> Array:
        found = next(j for j in self.bodies.drawing.described.joints if j.name == joint)
        return self.bodies.rates(found, self.frames)[[*found.kind.free]]


def strains_of(robot: Mechanism) -> list[BearingStrain]:
    """Return all compliant components of a robot's bearings."""
    return [
        BearingStrain(joint.name, component, stiffness)
        for joint in robot.joints
        for component, stiffness in bearing_stiffness(joint).items()
    ]


def following(robot: Mechanism, bodies: Bodies, pose: Array, frames: Frames) -> Following:
    """Return the motions of a robot's bodies at a pose (7)."""
    twists = bodies.twists
    rows, strained = _closed(robot, bodies, frames)
    M, platform = bodies.mass_matrix(frames), carried(-pose[:3])
    given = np.hstack([-rows[:, :6] @ platform, strained, -rows[:, twists:]])
    U, sizes, Vt = np.linalg.svd(rows[:, 6:twists])
    rank = int((sizes > REPEATED * sizes.max(initial=0.0)).sum())
    B = np.zeros((bodies.size, given.shape[1]))
    B[:6, :6] = platform
    B[6:twists] = Vt[:rank].T @ (U[:, :rank].T @ given / sizes[:rank, None])
    B[twists:, 6 + strained.shape[1] :] = np.eye(bodies.size - twists)
    spins = np.zeros((bodies.size, len(Vt) - rank))
    spins[6:twists] = Vt[rank:].T
    B -= spins @ np.linalg.pinv(spins.T @ M @ spins) @ (spins.T @ M @ B)  # without momentum
    return Following(bodies, frames, M, B, U[:, rank:].T @ given, spins)


def _closed(robot: Mechanism, bodies: Bodies, frames: Frames) -> tuple[Array, Array]:
    """Constraint rows of the joints, by the coordinates of bodies, and the strains in them."""
    strains = {(one.joint, one.component): k for k, one in enumerate(strains_of(robot))}
    units, rows, strained = np.eye(len(strains)), [], []
    for joint in bodies.drawing.described.joints:
        held = [*joint.kind.carried]
        rows.append(bodies.rates(joint, frames)[held])
        places = [strains.get((joint.name, component)) for component in held]
        strained += [np.zeros(len(strains)) if k is None else units[k] for k in places]
    return np.vstack(rows), np.array(strained)


def frames_at(robot: Mechanism, poses: Array) -> list[Frames]:
    """Return the displacements of all bodies at poses (k, 7)."""
    home = np.array(robot.home)
    turned = rotation_matrix(unit(poses[:, 3:])) @ rotation_matrix(unit(home[3:])).T
    platform = zip(turned, poses[:, :3] - turned @ home[:3], strict=True)
    others = body_poses(robot.with_rigid_links, poses)
    axes, names = rotation_matrix(others[..., 3:]), [body.name for body in robot.bodies]
    return [
        {PLATFORM: own} | dict(zip(names, zip(R, p, strict=True), strict=True))
        for own, R, p in zip(platform, axes, others[..., :3], strict=True)
    ]
