"""A run without sampling: a controller that measures nothing is a function of time alone."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from gough.compiler.native.kernel import Kernel
from gough.motion import total_wrench
from gough.robot import Robot
from gough.simulation.adaptive import Adaptive, integrate
from gough.simulation.controller import Controller
from gough.simulation.course import Course

Array = np.ndarray[Any, np.dtype[np.float64]]


def run_blind(
    course: Course, controller: Controller, robot: Robot, limit: Any, integrator: Adaptive
) -> tuple[Array, Array]:
    """States (samples, n) and commands (samples, 6); after a run is lost they are NaN."""
    kernel = Kernel(controller.function(robot, 0.0, limit))
    bound = np.asarray(limit, dtype=float)

    def command(t: Any) -> Array:
        reference = np.concatenate(course.motion(t), axis=-1)
        unused = np.zeros(24)
        wanted, _ = kernel(np.zeros(1), unused, reference, controller.gain_values)
        return np.asarray(np.clip(wanted, -bound, bound))

    def wrench(t: float) -> Array:
        return total_wrench(course.tasks, t, course.motion(t))

    jumps = {t for task in course.tasks for t in task.jumps} | set(course.motion.breaks)
    states = np.full((len(course.time), len(course.start)), np.nan)
    states[0] = course.start
    for first, last in _stretches(course):
        rows = next(iter(course.parameters), None)
        found = integrate(
            course.plant,
            states[first],
            course.time[first : last + 1],
            command,
            wrench=wrench,
            parameters=None if rows is None else rows[first],
            integrator=integrator,
            breaks=jumps,
        )
        states[first : first + len(found.time)] = found.state
        if found.time[-1] < course.time[last]:
            break
    return states, command(course.time)


def _stretches(course: Course) -> list[tuple[int, int]]:
    """From which sample to which other the plant stays the same."""
    last = len(course.time) - 1
    changes = [
        int(k) + 1
        for rows in course.parameters
        for k in np.flatnonzero((rows[1:] != rows[:-1]).any(axis=1))
    ]
    return list(pairwise([0, *(k for k in changes if k < last), last]))
