"""Episodes of a task side by side: their states, clocks and random numbers, on a CPU or a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gough.arrays import AnyArray, on_host
from gough.checks import require_integer
from gough.compiler.device import Device, arrays_of
from gough.disk.plain_data import PlainMapping
from gough.errors import GoughError, needing
from gough.learning.declared import LearningTask

if TYPE_CHECKING:
    from gough.learning.environments import Environment, VectorEnvironment


class Outcome(NamedTuple):
    """Outcome of a step in each of n episodes; the first two are arrays of CuPy on a GPU."""

    observation: Any
    """(n, o)"""
    reward: Any
    """(n)"""
    terminated: AnyArray
    """(n), whether the task ended the episode."""
    truncated: AnyArray
    """(n), whether its time is over."""
    failed: AnyArray
    """(n), whether it diverged, an actuator exceeded its range, or a ball flew off."""


class Episodes:
    """Several episodes of a task, each with random numbers of its own."""

    def __init__(self, task: LearningTask, count: int, device: Device = "cpu") -> None:
        self.task, self.count = task, require_integer("count", count)
        self.device, asarray = device, arrays_of(device)
        sizes = (task.equations.arguments[name].size for name in ("state", "episode"))
        self.state, self.episode = (asarray(np.zeros((count, size))) for size in sizes)
        self._asarray, self._reference = asarray, asarray(task.run.reference)
        self._rests = bool((task.run.reference == task.run.reference[0]).all())
        self.clock = np.zeros(count, int)
        """Number of actions so far."""
        self.rngs = [np.random.default_rng() for _ in range(count)]

    def reset(self, which: AnyArray) -> Any:
        """Begin some episodes (indices) anew, and return their observations (k, o)."""
        rows = [self.task.begin(self.rngs[k]) for k in which]
        state, episode = (self._asarray(np.array(part)) for part in zip(*rows, strict=True))
        self.state[which], self.episode[which], self.clock[which] = state, episode, 0
        return self.task.outcome(state, self._reference[0], episode).observation

    def step(self, actions: Any, awake: AnyArray | None = None) -> Outcome:
        """Act once in each episode (n, m); those that are not `awake` draw no random numbers."""
        task, steps = self.task, np.arange(self.task.learning.steps + 1)
        drawing = np.ones(self.count, bool) if awake is None else awake
        noise = np.zeros(shape := task.equations.arguments["noise"].shape)
        if std := task.run.sensors.noise:
            noise = np.zeros((self.count, *shape))
            for k in np.flatnonzero(drawing):
                noise[k] = std * self.rngs[k].standard_normal(shape)
        first = np.minimum(self.clock, task.length - 1) * task.learning.steps
        rows = self._reference[steps if self._rests else first[:, None] + steps]
        given = self._asarray(actions), rows, self.episode, self._asarray(noise)
        self.state, seen, reward, *ends = task.step(self.state, *given)
        self.clock += 1
        over, failed = (on_host(x) > 0.5 for x in ends)
        due = sum((self.clock % every == 0 for every in task.target_periods), np.zeros(1, bool))
        if len(which := np.flatnonzero(drawing & due)):  # rewarded for the old target, sees the new
            drawn = on_host(self.episode[which]).copy()
            for k, row in zip(which, drawn, strict=True):
                task.draw_targets(self.rngs[k], row, int(self.clock[k]))
            self.episode[which] = self._asarray(drawn)
            rows = self._reference[(first[which] + steps[-1])]
            seen[which] = task.outcome(self.state[which], rows, self.episode[which]).observation
        return Outcome(seen, reward, over, (self.clock >= task.length) & ~over, failed)


def environment(
    source: str | Path | PlainMapping | LearningTask,
    *,
    count: int | None = None,
    device: Device = "cpu",
) -> Environment | VectorEnvironment:
    """Return the environment of a study file with a table [learning], or of the library, by name.

    With a `count` it is a vector of so many environments, computed together: by all processors, or
    with the device "gpu" on a GPU, where actions, observations and rewards are arrays of CuPy.
    Environment k of a vector that is reset with a seed is the single one with the seed + k.
    """
    with needing("gymnasium", "learning", "environments"):
        from gough.learning.environments import (  # noqa: PLC0415  (an extra)
            Environment,
            VectorEnvironment,
        )
    task = source if isinstance(source, LearningTask) else LearningTask.load(source)
    if count is not None:
        return VectorEnvironment(task, count, device)
    if device != "cpu":
        raise GoughError(f"device is {device!r}; expected 'cpu', or a count of environments")
    return Environment(task)
