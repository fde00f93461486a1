"""Machines for the tests of assembly modes: published ones, symmetric ones, random ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from gough.robot import Robot

DATA = Path(__file__).parents[1] / "data"


def robot_of(base, platform, home=(0.0, 0.0, 1.0), quaternion=(1.0, 0.0, 0.0, 0.0), **leg):
    """A robot with these joint centres (6, 3) [m] and home; further facts are for all legs."""
    joints = zip(np.asarray(base, float), np.asarray(platform, float), strict=True)
    at_home = {"position": list(home), "quaternion": list(quaternion)}
    return Robot.from_dict(
        {
            "schema": "gough/1",
            "name": "test machine",
            "platform": {"mass": 1, "inertia": [1, 1, 1], "home": at_home},
            "leg": {"kind": "SPS", **leg},
            "legs": [{"base": a.tolist(), "platform": b.tolist()} for a, b in joints],
        }
    )


def published(name):
    """A robot, its leg lengths, and its published poses (n, 7)."""
    case = json.loads((DATA / f"{name}.json").read_text())
    poses = [
        [*p["t"], *Rotation.from_matrix(p["R"]).as_quat(canonical=True, scalar_first=True)]
        for p in case["poses"]
    ]
    return robot_of(case["base"], case["platform"]), np.array(case["legs"]), np.array(poses)


def hexagon(radius, half_angle):
    """Joint centres in three pairs on a circle."""
    angles = np.deg2rad([0, 0, 120, 120, 240, 240]) + half_angle * np.array([-1, 1] * 3)
    return radius * np.stack([np.cos(angles), np.sin(angles), 0 * angles], 1)


def lengths(base, platform, position, rotation):
    """Leg lengths (6,) at a pose, straight from the definition."""
    return np.linalg.norm(position + platform @ rotation.as_matrix().T - base, axis=1)


def pose_of(position, rotation):
    """A pose (7,)."""
    return np.concatenate([position, rotation.as_quat(scalar_first=True)])


def random_case(rng):
    """A general machine, one of its poses (7,), and the leg lengths there."""
    base, platform = rng.uniform(-1, 1, (2, 6, 3))
    position, rotation = rng.uniform(-2, 2, 3), Rotation.random(random_state=rng)
    pose = np.concatenate([position, rotation.as_quat(canonical=True, scalar_first=True)])
    q = lengths(base, platform, position, rotation)
    return robot_of(base, platform, home=(9.0, 9.0, 9.0)), pose, q


def distance(poses, pose):
    """The largest difference of position [m] and of rotation matrix, for each of some poses."""
    R = Rotation.from_quat(poses[:, 3:], scalar_first=True).as_matrix()
    difference = R - Rotation.from_quat(pose[3:], scalar_first=True).as_matrix()
    return np.maximum(np.abs(poses[:, :3] - pose[:3]).max(1), np.abs(difference).max((1, 2)))
