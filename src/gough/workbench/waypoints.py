"""Which waypoints of the page make a motion, if there are such."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.motion import (
    InFrames,
    Motion,
    MotionError,
    Sequence,
    motion_from_dict,
    quiet,
)
from gough.robot import Robot

PROFILES = ("quintic", "cycloidal", "cosine", "trapezoidal", "s-curve")
SMOOTH = "smooth"
"""How ways between waypoints are gone in the page: with stops, by a profile, or without."""
MOST_POINTS = 200
SECONDS_BETWEEN = (0.01, 10_000.0)
"""How many waypoints there may be, and the shortest and the longest time from one to the next."""
SAME = 1e-10
"""Motions are the same whose poses, twists and accelerations differ by no more, of the largest."""


def waypoints_of(motion: Motion, robot: Robot, time: Array) -> dict[str, Any] | None:
    """Waypoints whose way is the motion at some times [s]; None if those of the page make none."""
    stops = np.unique(_stops(motion))
    steps, (least, most) = np.diff(stops), SECONDS_BETWEEN
    if len(stops) > MOST_POINTS or steps.min() < least or steps.max() > most:
        return None
    poses = motion(stops).pose
    seconds = steps[[0, *range(len(steps))]]  # the first waypoint has one for when it is moved
    for profile in (*PROFILES, SMOOTH):
        if _is_same(_way(stops, poses, profile, robot), motion, time):
            rows = zip(poses.tolist(), seconds.tolist(), strict=True)
            points = [{"pose": pose, "seconds": step} for pose, step in rows]
            return {"points": points, "profile": profile}
    return None


def _stops(motion: Motion) -> Array:
    """The times [s] of the poses that a motion may have been made from."""
    if isinstance(motion, InFrames):
        return _stops(motion.given)
    if isinstance(motion, Sequence):
        ends = np.cumsum([part.duration for part in motion.parts])
        starts = [0.0, *ends[:-1]]
        parts = zip(starts, motion.parts, strict=True)
        return np.concatenate([start + _stops(part) for start, part in parts])
    return np.array(motion.told or (0.0, motion.duration))


def _way(times: Array, poses: Array, profile: str, robot: Robot) -> Motion | None:
    """The way as a study file has it; None if there is none between these poses."""
    gone = {"stops": False} if profile == SMOOTH else {"stops": True, "profile": profile}
    points = [
        {"time": t, "position": pose[:3], "quaternion": pose[3:]}
        for t, pose in zip(times.tolist(), poses.tolist(), strict=True)
    ]
    with quiet(), suppress(MotionError):
        return motion_from_dict({"kind": "waypoints", **gone, "waypoints": points}, robot)
    return None


def _is_same(way: Motion | None, motion: Motion, time: Array) -> bool:
    """Whether two motions have the same poses, twists and accelerations at some times."""
    if way is None:
        return False
    pairs = zip(way(time), motion(time), strict=True)
    return all(np.abs(a - b).max() <= SAME * max(np.abs(b).max(), SAME) for a, b in pairs)
