"""What the tests of forward kinematics share: poses, guesses, and a machine from joint centres."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from gough.kinematics.size import machine_size
from gough.robot import Robot, load

DATA = Path(__file__).parents[1] / "data"


def leg_lengths(robot, poses):
    """Distances between joint centres, written out once more: p + R b - a."""
    poses = np.asarray(poses)
    R = Rotation.from_quat(poses[..., 3:].reshape(-1, 4), scalar_first=True).as_matrix()
    R = R.reshape(*poses.shape[:-1], 3, 3)
    legs = []
    for leg in robot.legs:
        span = poses[..., :3] + R @ np.array(leg.platform) - np.array(leg.base)
        legs.append(np.linalg.norm(span, axis=-1))
    return np.stack(legs, -1)


def moved(robot, poses, way, angle, rng):
    """Poses moved by `way` machine sizes and turned by `angle` [rad], in random directions."""
    poses = np.asarray(poses, dtype=float)
    u, w = rng.normal(size=(2, *poses.shape[:-1], 3))
    u, w = (x / np.linalg.norm(x, axis=-1, keepdims=True) for x in (u, w))
    turns = Rotation.from_rotvec((angle * w).reshape(-1, 3))
    attitudes = turns * Rotation.from_quat(poses[..., 3:].reshape(-1, 4), scalar_first=True)
    quaternions = attitudes.as_quat(scalar_first=True).reshape(*poses.shape[:-1], 4)
    return np.concatenate([poses[..., :3] + way * machine_size(robot) * u, quaternions], -1)


def around_home(robot, count, way, angle, rng):
    """Random poses at up to these distances from home."""
    home = np.tile(robot.home, (count, 1))
    return moved(
        robot, home, way * rng.uniform(size=(count, 1)), angle * rng.uniform(size=(count, 1)), rng
    )


def published(name):
    """A published case: its data, and a robot with its joint centres."""
    case = json.loads((DATA / name).read_text())
    data = load("dietmaier-1998").to_dict()
    for leg, base, platform in zip(data["legs"], case["base"], case["platform"], strict=True):
        leg["base"], leg["platform"] = base, platform
    return case, Robot.from_dict(data)


def at_the_end_of_its_strokes(name):
    """A robot whose legs are as short as they can be at home."""
    data = load(name).to_dict()
    for leg, length in zip(data["legs"], leg_lengths(load(name), load(name).home), strict=True):
        leg["stroke"] = [length, 1.2 * length]
    return Robot.from_dict(data)
