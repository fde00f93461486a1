"""What acts on a plant over time: the motion to follow, the loads, the errors of the sensors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gough.model.parameters import layout, numbers_over
from gough.motion import Motion, MotionSamples, Task, carried_over, total_wrench
from gough.simulation.plant import Plant

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Course:
    """A plant with its payloads, and all that comes to it at each of T samples."""

    plant: Plant
    motion: Motion
    tasks: tuple[Task, ...]
    time: Array
    """(T,) [s]"""
    start: Array
    """The plant's state at the beginning."""
    numbers: Array
    """All numbers of the plant's robot: one row or, if its payload changes, one for each sample."""
    noise: Array | None
    """(T, 1, 6) [m], of the encoders."""

    @cached_property
    def samples(self) -> MotionSamples:
        """The motion to follow."""
        return self.motion(self.time)

    @cached_property
    def reference(self) -> Array:
        """(T, 19): the motion to follow as controllers take it."""
        return np.concatenate(self.samples, axis=-1)

    @cached_property
    def wrench(self) -> Array:
        """(T, 6) [N, N m]: what the tasks do to the platform along the motion to follow."""
        return total_wrench(self.tasks, self.time, self.samples)

    @cached_property
    def acting(self) -> tuple[Array, Array]:
        """(T, 6) twice [N, N m]: the wrench just after each sample, and just before the next."""
        after = np.concatenate([self.wrench[1:], self.wrench[-1:]])
        if not any(task.jumps for task in self.tasks):
            return self.wrench, after
        moment = 1e-9 * (self.time[1] - self.time[0])
        following = MotionSamples(*(np.concatenate([x[1:], x[-1:]]) for x in self.samples))
        next_time = np.concatenate([self.time[1:], self.time[-1:] + 2 * moment])
        return (
            total_wrench(self.tasks, self.time + moment, self.samples),
            total_wrench(self.tasks, next_time - moment, following),
        )

    @property
    def parameters(self) -> tuple[Array, ...]:
        """What the plant varies, at each sample; none if it varies nothing."""
        return (self.numbers[:, self.plant.varied_places],) if self.plant.varied else ()

    def part(self, which: slice) -> Course:
        """Some of the samples."""
        numbers = self.numbers[which] if self.plant.varied else self.numbers
        return replace(self, time=self.time[which], numbers=numbers, noise=None)


def course_of(
    plant: Plant,
    motion: Motion,
    tasks: Iterable[Task],
    time: Array,
    start: tuple[Any, Any] | None,
    noise: Array | None,
) -> Course:
    """The course of a motion from a pose and twist, or from its own beginning.

    The plant is made anew with the payloads; if they change, their numbers are what it varies.
    """
    loads = tuple(tasks)
    stretches = carried_over(plant.robot, loads, time)
    robot = stretches[0][1]
    if len(stretches) > 1:
        of_platform = tuple(n for n in layout(robot) if n.startswith("platform."))
        loaded = plant.make(robot, of_platform)
    else:
        loaded = plant if robot == plant.robot else plant.make(robot, ())
    if start is None:
        first = motion(time[0])
        start = first.pose, first.twist
    numbers = numbers_over(stretches)
    return Course(loaded, motion, loads, time, loaded.start(*start), numbers, noise)
