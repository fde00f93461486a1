"""Ways to check a motion from outside: differences of high order, and a home pose."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

HOME = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
TILTED = np.array([0.1, -0.2, 0.9, *Rotation.from_rotvec([0.3, -0.5, 0.2]).as_quat()[[3, 0, 1, 2]]])

_WEIGHTS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}


def difference(function, t, step):
    """The first derivative of a function of time, by central differences of eighth order."""
    return sum(
        w * (function(t + k * step) - function(t - k * step)) for k, w in _WEIGHTS.items()
    ) / step  # fmt: skip


def angular_velocity(motion, t, step):
    """ω in base axes from differences of the rotation matrix: Ṙ Rᵀ is its cross matrix."""

    def matrix(times):
        return Rotation.from_quat(motion(times).pose[..., 3:], scalar_first=True).as_matrix()

    W = difference(matrix, t, step) @ np.swapaxes(matrix(t), -1, -2)
    W = (W - np.swapaxes(W, -1, -2)) / 2
    return np.stack([W[..., 2, 1], W[..., 0, 2], W[..., 1, 0]], axis=-1)


def inner_times(motion, step, count=60, also=()):
    """Times inside the motion whose differences do not reach across a break."""
    rng = np.random.default_rng(7)
    t = rng.uniform(5 * step, motion.duration - 5 * step, count)
    corners = np.array([*motion.breaks, *also, 0.0, motion.duration])
    clear = np.abs(t[:, None] - corners).min(axis=-1) > 5 * step
    assert clear.sum() > count / 4
    return t[clear]


def largest_inconsistency(motion, step=None, also=()):
    """How far twist and acceleration are from the derivatives of pose and twist, relatively."""
    step = motion.duration / 500 if step is None else step
    t = inner_times(motion, step, also=also)
    pose, twist, acceleration = motion(t)
    v = difference(lambda x: motion(x).pose[..., :3], t, step)
    a = difference(lambda x: motion(x).twist, t, step)
    scale_v, scale_a = max(np.abs(twist).max(), 1e-3), max(np.abs(acceleration).max(), 1e-3)
    return max(
        np.abs(v - twist[..., :3]).max() / scale_v,
        np.abs(angular_velocity(motion, t, step) - twist[..., 3:]).max() / scale_v,
        np.abs(a - acceleration).max() / scale_a,
        np.abs(np.linalg.norm(pose[..., 3:], axis=-1) - 1).max(),
    )
