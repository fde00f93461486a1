"""Runs of one compiled loop at the same times, as arrays (N, T, n): a single run is one of one.

Signals that all of them have in common are (1, T, n).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from gough.arrays import AnyArray, Array
from gough.kinematics.size import default_length
from gough.motion import MotionSamples
from gough.simulation.events import varied_in_kinematics
from gough.simulation.plants.plant import PLATFORM, Plant
from gough.simulation.scenario import Run


def common(rows: Iterable[Array]) -> Array:
    """Return arrays as one with an axis in front, whose length is 1 if all are alike."""
    first, *others = rows
    if all(x is first or np.array_equal(x, first, equal_nan=True) for x in others):
        return first[None]
    return np.stack(np.broadcast_arrays(first, *others))


@dataclass(frozen=True, eq=False)
class RunBatch:
    """Runs with their inputs and, once these are known, their paths: NaN after one has failed."""

    runs: tuple[Run, ...]
    time: Array  # (T,) [s]
    numbers: Array  # (N or 1, T or 1, p) of the robots; of each sample where a payload changes
    reference: Array  # the motions to follow, as controllers take them
    loads: Array  # external inputs of the plants
    noise: Array | None
    states: Array
    commands: Array  # commands as they reach the actuators

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Self:
        """Return runs with one compiled loop and as many samples, as they are before their run."""
        noise = [run.noise[:, 0] for run in runs if run.noise is not None]
        return cls(
            tuple(runs),
            runs[0].time,
            numbers=common(np.atleast_2d(run.numbers) for run in runs),
            reference=common(run.reference for run in runs),
            loads=common(run.loads for run in runs),
            noise=np.stack(noise) if noise else None,
            states=np.empty((0, 0, 0)),
            commands=np.empty((0, 0, 0)),
        )

    def along(self, states: Array, commands: Array) -> Self:
        """Return the runs with their paths, (N, T, n)."""
        return replace(self, states=states, commands=commands)

    def part(self, which: slice) -> Self:
        """Return some of the samples."""
        if len(range(*which.indices(len(self.time)))) == len(self.time):
            return self
        batch = self._cut(lambda x: x[:, which] if x.shape[1] > 1 else x, time=self.time[which])
        if "outputs" in self.__dict__:  # need not be computed anew
            batch.__dict__["outputs"] = tuple(x[:, which] for x in self.outputs)
        return batch

    def only(self, which: Sequence[int]) -> Self:
        """Return some of the runs."""
        if len(which) == len(self.runs):
            return self
        rows = slice(which[0], which[-1] + 1) if isinstance(which, range) else [*which]
        chosen = tuple(self.runs[k] for k in which)
        return self._cut(lambda x: x[rows] if len(x) > 1 else x, runs=chosen)

    def _cut(self, cut: Callable[[Array], Array], **others: Any) -> Self:
        for name in ("numbers", "reference", "loads", "noise", "states", "commands"):
            values = getattr(self, name)
            others[name] = None if values is None else cut(values)
        return replace(self, **others)

    @property
    def plant(self) -> Plant:
        """A plant with the functions of all, to which the varied numbers are given."""
        return self.runs[0].plant

    @cached_property
    def plants(self) -> Plant:
        """The plant with the numbers of all runs at their beginning."""
        if len(self.runs) == 1 or not self.plant.varied:
            return self.plant
        return replace(self.plant, values=self.parameters[0][:, 0])

    @property
    def parameters(self) -> tuple[Array, ...]:
        """(N or 1, T or 1, v) the plants' parameters; none if they vary none."""
        return (self.numbers[..., self.plant.varied_places],) if self.plant.varied else ()

    @property
    def changes(self) -> AnyArray:
        """(N or 1, T - 1): whether the plant changes in a step, as where a payload is picked up."""
        rows = next(iter(self.parameters), np.zeros((1, 1, 1)))
        if rows.shape[1] == 1:
            return np.zeros((1, len(self.time) - 1), dtype=bool)
        return np.asarray((rows[:, 1:] != rows[:, :-1]).any(axis=-1))

    @cached_property
    def lengths(self) -> Array:
        """(N,) the `default_length` of each robot [m]."""
        if not varied_in_kinematics(self.plants):
            return np.full(len(self.runs), default_length(self.plant.robot))
        return np.array([default_length(run.plant.robot) for run in self.runs])

    @property
    def starts(self) -> tuple[Array, Array]:
        """Poses and states at the beginning, (N, n); of a single run (n)."""
        found = [(run.initial[0], run.initial_state) for run in self.runs]
        if len(found) == 1:
            return found[0]
        pose, state = map(np.stack, zip(*found, strict=True))
        return pose, state

    @property
    def path(self) -> tuple[Array, Array]:
        """States and commands (N, T, n)."""
        return self.states, self.commands

    @property
    def at(self) -> tuple[Array, ...]:
        """All that the plant's functions take."""
        return *self.path, self.loads, *self.parameters

    @cached_property
    def rates(self) -> Array:
        """Time derivatives of the states."""
        return np.asarray(self.plant.rate_kernel(*self.at))

    @cached_property
    def outputs(self) -> tuple[Array, ...]:
        """Forces, speeds and energies of the plant, then its other outputs."""
        return tuple(self.plant.output_kernel(*self.at))

    @property
    def base(self) -> MotionSamples | None:
        """The motion of the base, prescribed or free; None: it rests."""
        if self.plant.moving_base:
            return MotionSamples(*np.split(self.loads[..., 6:], (7, 13), axis=-1))
        inner = (values[..., PLATFORM:] for values in (self.path[0], self.rates))
        return self.plant.transmission.base_motion(*inner)
