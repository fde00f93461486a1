"""What a platform carries, as a wrench on it: that depends on the motion alone, not on the legs."""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.motion import MotionSamples
from gough.poses.quaternions import rotated
from gough.robot import Robot


def inertial_wrench(robot: Robot, samples: MotionSamples) -> Array:
    """The wrench (T, 6) [N, N m] about its origin that moves the platform alone, against gravity.

    Newton and Euler, base axes.
    """
    body, q = robot.platform, samples.pose[:, 3:]
    omega, alpha = samples.twist[:, 3:], samples.acceleration[:, 3:]
    arm = rotated(q, np.array(body.center_of_mass))
    centre = np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
    force = body.mass * (samples.acceleration[:, :3] + centre - np.array(robot.gravity))
    axes = np.stack([rotated(q, axis) for axis in np.eye(3)], axis=-1)
    inertia = axes @ np.array(body.inertia) @ axes.swapaxes(-1, -2)
    spin = np.einsum("tij,tj->ti", inertia, omega)
    moment = np.cross(arm, force) + np.einsum("tij,tj->ti", inertia, alpha) + np.cross(omega, spin)
    return np.concatenate([force, moment], axis=-1)


def carried_wrench(bare: Robot, stretches: list[tuple[slice, Robot]], at: MotionSamples) -> Array:
    """The wrench (T, 6) of what the platform carries beyond its own: on stretches of a motion."""
    own, found = inertial_wrench(bare, at), np.zeros((len(at.pose), 6))
    for where, robot in stretches:
        found[where] = (own - inertial_wrench(robot, at))[where]
    return found
