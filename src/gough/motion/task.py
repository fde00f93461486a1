"""What a task is: something the world does to the platform while it moves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.motion.problems import MotionError
from gough.motion.samples import Array, MotionSamples
from gough.robot import Robot


class Task(ABC):
    """A load along a motion."""

    @abstractmethod
    def wrench(self, t: Any, samples: MotionSamples) -> Array:
        """(..., 6): force [N] and moment [N m] on the platform at times [s], about its origin.

        On base axes. `samples` is the motion at these times.
        """

    def carried_by(self, robot: Robot) -> Robot:
        """The robot with what the task adds to its platform: nothing, unless it is a payload."""
        return robot


@dataclass(frozen=True)
class During(Task):
    """A task that acts only from one time to another [s]."""

    task: Task
    start: float
    end: float

    def __post_init__(self) -> None:
        if not self.start < self.end:
            raise MotionError(
                "ends before it starts",
                key="active",
                value=[self.start, self.end],
                expected="[from, to], in seconds",
            )

    def wrench(self, t: Any, samples: MotionSamples) -> Array:
        """The task's wrench, or zero."""
        times = np.asarray(t, dtype=float)
        active = (times >= self.start) & (times <= self.end)
        return np.where(active[..., None], self.task.wrench(times, samples), 0.0)

    def carried_by(self, robot: Robot) -> Robot:
        """As the task says."""
        return self.task.carried_by(robot)


def total_wrench(tasks: Iterable[Task], t: Any, samples: MotionSamples) -> Array:
    """The wrenches [N, N m] of all tasks together, (..., 6)."""
    total = np.zeros((*np.shape(t), 6))
    for task in tasks:
        total += task.wrench(t, samples)
    return total
