"""The robot with what its platform carries: payloads joined to it, at a time or along times."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from gough.arrays import Array
from gough.motion.samples import checked_times, checked_type
from gough.motion.tasks.task import Task, checked_tasks
from gough.robot import Robot


def carrying(robot: Robot, tasks: Sequence[Task], t: float = 0.0) -> Robot:
    """The robot with all payloads of a time [s] joined to its platform."""
    checked_type(robot, Robot, "robot", "a gough.Robot")
    checked_type(t, float | int, "t", "a time in seconds")
    for task in checked_tasks(tasks):
        robot = task.carried_by(robot, t)
    return robot


def carried_over(robot: Robot, tasks: Sequence[Task], time: Array) -> list[tuple[slice, Robot]]:
    """The robot with its payloads along times [s] that increase: stretches, and what it is there.

    A payload is picked up at the first time that is not before its start, and let go of at the
    first that is not before its end.
    """
    time = checked_times(time, "time")
    jumps = sorted({t for task in checked_tasks(tasks) for t in task.jumps})
    rounding = 1e-9 * (time[-1] - time[0])
    at = np.searchsorted(time, np.array(jumps) - rounding)
    edges = [0, *(int(k) for k in np.unique(at) if 0 < k < len(time)), len(time)]
    stretches: list[tuple[slice, Robot]] = []
    for first, last in pairwise(edges):
        loaded = carrying(robot, tasks, float(time[first]) + rounding)
        same = bool(stretches) and stretches[-1][1] == loaded
        begin = stretches.pop()[0].start if same else first
        stretches.append((slice(begin, last), loaded))
    return stretches
