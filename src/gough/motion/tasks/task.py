"""Tasks: loads on the platform while it moves."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.display.brief import brief
from gough.equations.spatial.algebra import Value
from gough.errors import RobotError
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.samples import MotionSamples, delegated
from gough.robot import Platform, Robot


class Task(ABC):
    """A load along a motion."""

    __repr__ = brief

    @abstractmethod
    def wrench(self, t: ArrayLike, samples: MotionSamples) -> Array:
        """(..., 6): force [N] and moment [N m] on the platform at times [s], about its origin.

        On base axes. `samples` is the motion at these times.
        """

    def law(self, t: Value, at: float, pose: Value) -> Value:
        """Return the wrench (6) as an expression of time [s] and pose: its form around `at`.

        MotionError where there is none.
        """
        problem = f"a {type(self).__name__} is no expression of time and pose"
        raise MotionError(problem, key="tasks", expected="payloads, and loads that time determines")

    def carried_by(self, robot: Robot, t: float = 0.0) -> Robot:
        """The robot with what its platform carries at a time [s]: nothing, if not a payload."""
        return robot

    @property
    def jumps(self) -> tuple[float, ...]:
        """Times [s] at which the task sets in or ends."""
        return ()

    def jumps_within(self, start: float, end: float) -> tuple[float, ...]:
        """Times [s] between two at which its wrench jumps, also while it acts."""
        return tuple(t for t in self.jumps if start <= t <= end)

    @property
    def corners(self) -> tuple[float, ...]:
        """Times [s] at which the form of what it does changes: its peaks may be there."""
        return self.jumps

    @property
    def active(self) -> tuple[float, float]:
        """From when to when [s] it does anything; both are infinite if it always does."""
        return -np.inf, np.inf

    @property
    def period(self) -> float | None:
        """The shortest time [s] after which what it does comes again; None if it does not."""
        return None


@dataclass(frozen=True, repr=False)
class During(Task):
    """A task that acts only from one time to another [s]."""

    task: Task
    start: float
    end: float
    period = delegated("task.period")

    def __post_init__(self) -> None:
        checked.instance(self.task, Task, "task", "a task, such as a payload")
        for key in ("start", "end"):
            checked.instance(getattr(self, key), float | int, key, "a time in seconds")
            if getattr(self, key) not in (-np.inf, np.inf):
                checked.number(getattr(self, key), key)
        if not self.start < self.end:
            given, expected = [self.start, self.end], "[from, to], in seconds"
            raise MotionError("ends before it starts", key="active", value=given, expected=expected)

    def wrench(self, t: ArrayLike, samples: MotionSamples) -> Array:
        """The task's wrench, or zero."""
        times = np.asarray(t, dtype=float)
        active = (times >= self.start) & (times <= self.end)
        return np.where(active[..., None], self.task.wrench(times, samples), 0.0)

    def law(self, t: Value, at: float, pose: Value) -> Value:
        """Return that of the task, or zero."""
        active = self.start <= at <= self.end
        return self.task.law(t, at, pose) if active else ca.DM.zeros(6)

    def carried_by(self, robot: Robot, t: float = 0.0) -> Robot:
        """Return the robot with the task's payload, from its start until just before its end."""
        return self.task.carried_by(robot, t) if self.start <= t < self.end else robot

    @property
    def jumps(self) -> tuple[float, ...]:
        """Its start and its end."""
        return (self.start, self.end, *self.task.jumps)

    def jumps_within(self, start: float, end: float) -> tuple[float, ...]:
        """Its start and its end, and the jumps of the task between them."""
        first, last = max(start, self.start), min(end, self.end)
        own = (t for t in (self.start, self.end) if start <= t <= end)
        return (*own, *self.task.jumps_within(first, last))

    @property
    def corners(self) -> tuple[float, ...]:
        """Its start and its end, and those of the task."""
        return (self.start, self.end, *self.task.corners)

    @property
    def active(self) -> tuple[float, float]:
        """When the task itself is, from its start to its end; the first is later if never."""
        start, end = self.task.active
        return max(self.start, start), min(self.end, end)


def total_wrench(tasks: Iterable[Task], t: ArrayLike, samples: MotionSamples) -> Array:
    """The wrenches [N, N m] of all tasks together, (..., 6)."""
    times = checked.any_times(t)
    checked.instance(samples, MotionSamples, "samples", "those of a motion: motion(t)")
    wrenches = (task.wrench(times, samples) for task in checked_tasks(tasks))
    return np.asarray(sum(wrenches, np.zeros((*times.shape, 6))))


def checked_tasks(tasks: Any) -> tuple[Task, ...]:
    """Some tasks, or an error that names the first which is none."""
    try:
        listed = tuple(tasks)
    except TypeError:
        problem = f"a {type(tasks).__name__}"
        raise MotionError(problem, key="tasks", expected="a list of tasks") from None
    for k, task in enumerate(listed):
        checked.instance(task, Task, f"tasks[{k}]", "a task, such as a payload")
    return listed


def carrying(robot: Robot, tasks: Sequence[Task], t: float = 0.0) -> Robot:
    """The robot with all payloads of a time [s] joined to its platform."""
    checked.instance(robot, Robot, "robot", "a gough.Robot")
    checked.instance(t, float | int, "t", "a time in seconds")
    for task in checked_tasks(tasks):
        robot = task.carried_by(robot, t)
    return robot


def carried_over(robot: Robot, tasks: Sequence[Task], time: Array) -> list[tuple[slice, Robot]]:
    """The robot with its payloads along times [s] that increase: stretches, and what it is there.

    A payload is picked up at the first time that is not before its start, and let go of at the
    first that is not before its end.
    """
    time = checked.times(time, "time")
    jumps = sorted({t for task in checked_tasks(tasks) for t in task.jumps})
    rounding = 1e-9 * (time[-1] - time[0])
    at = np.searchsorted(time, np.array(jumps) - rounding)
    edges = [0, *(int(k) for k in sorted({*at}) if 0 < k < len(time)), len(time)]
    stretches: list[tuple[slice, Robot]] = []
    for first, last in pairwise(edges):
        loaded = carrying(robot, tasks, float(time[first]) + rounding)
        same = bool(stretches) and stretches[-1][1] == loaded
        begin = stretches.pop()[0].start if same else first
        stretches.append((slice(begin, last), loaded))
    return stretches


@dataclass(frozen=True, repr=False)
class Payload(Task):
    """A mass [kg], its centre [m] in the platform's frame, and its inertia [kg m²].

    The inertia is about the payload's own mass centre, on platform axes: three principal moments
    or a 3x3.
    """

    mass: float
    center_of_mass: tuple[float, ...] = (0.0, 0.0, 0.0)
    inertia: tuple[Any, ...] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        _ = self._body

    def wrench(self, t: ArrayLike, samples: MotionSamples) -> Array:
        """Zero: what it does to the platform is in the platform's own mass and inertia."""
        return np.zeros((*np.shape(t), 6))

    def law(self, t: Value, at: float, pose: Value) -> Value:
        """Return zero."""
        return ca.DM.zeros(6)

    def carried_by(self, robot: Robot, t: float = 0.0) -> Robot:
        """The robot with the payload joined to its platform, at any time."""
        own, load = robot.platform, self._body
        mass = own.mass + load.mass
        if mass == 0.0:
            return robot
        c_1, c_2 = np.array(own.center_of_mass), np.array(load.center_of_mass)
        c = (own.mass * c_1 + load.mass * c_2) / mass
        inertia = _about(own, c) + _about(load, c)
        facts = {key: getattr(own, key) for key in type(own).model_fields}
        facts |= {"mass": mass, "center_of_mass": c.tolist(), "inertia": inertia.tolist()}
        return robot.model_copy(update={"platform": type(own)(**facts)})

    @cached_property
    def _body(self) -> Platform:
        """The payload as a body that the robot's own checks have seen."""
        own = {"center_of_mass": self.center_of_mass, "inertia": self.inertia}
        try:
            return Platform(mass=self.mass, **own, home={"position": (0.0, 0.0, 0.0)})
        except RobotError as error:
            raise MotionError.of(error) from None


def _about(body: Platform, c: Array) -> Array:
    """The inertia about a point c, by the parallel axis theorem."""
    d = np.array(body.center_of_mass) - c
    return np.array(body.inertia) + body.mass * (d @ d * np.eye(3) - np.outer(d, d))
