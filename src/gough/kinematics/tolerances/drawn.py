"""Machines drawn at random: what those do whose numbers have errors, one by one and exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.executors import Executor, in_chunks
from gough.kinematics.progress import progress_bar
from gough.kinematics.tolerances.kernels import (
    force_kernel,
    margin_kernel,
    nearby_kernel,
    searched_kernel,
)
from gough.kinematics.tolerances.spread import Spread
from gough.model.machines import Machines
from gough.robot.numbers import parameters_of
from gough.shown.brief import brief

MOST_ROBOTS = 1_000_000
MOST = 0.95
"""The share of all machines that counts as most."""


@dataclass(frozen=True)
class Drawn:
    """What machines do whose errors are drawn at random, at poses (...)."""

    robots: int
    seed: int
    mean: Array
    """(..., 6) mean displacement [m, rad]."""
    covariance: Array
    """(..., 6, 6) of the displacement [m, rad]."""
    way_of_most: Array
    """(...) 95 % of the machines come as near to a pose [m]."""
    turn_of_most: Array
    """(...) and are turned by no more [rad]."""
    force_deviation: Array
    """(..., n) standard deviation of the actuators' forces [N, N m]."""
    margin_deviation: Array
    """(..., 5) that of the margins."""
    reaching: Array
    """(...) share of the machines that take a pose within all limits."""

    __repr__ = brief

    @property
    def pose_deviation(self) -> Array:
        """(..., 6) standard deviation of the displacement [m, rad]."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1)))


class _Figures(NamedTuple):
    """What is kept of all machines at one pose."""

    mean: Array
    covariance: Array
    way_of_most: Array
    turn_of_most: Array
    force_deviation: Array
    margin_deviation: Array
    reaching: Array


def drawn(
    spread: Spread,
    poses: Array,
    loads: list[Array],
    robots: int,
    seed: int,
    *,
    progress: bool,
    executor: Executor = None,
) -> Drawn:
    """So many machines at poses (..., 7), all of them at each."""
    if isinstance(robots, bool) or not isinstance(robots, int) or not 2 <= robots <= MOST_ROBOTS:
        raise GoughError(f"robots is {robots!r}; expected a whole number from 2 to {MOST_ROBOTS:,}")
    batch = poses.shape[:-1]
    states = [
        np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (poses, *loads)
    ]
    found = _each(_Machines(spread, robots, seed, tuple(states)), executor, progress)
    kept = (np.reshape(part, (*batch, *np.shape(part[0]))) for part in zip(*found, strict=True))
    return Drawn(robots, seed, *kept)


def _each(machines: _Machines, executor: Executor, progress: bool) -> list[_Figures]:
    """The figures of all machines at each state; of a state that is not done all are kept."""
    poses, robots = machines.states[0], machines.robots
    count = len(poses) * robots
    parts: dict[int, dict[int, _Taken]] = {}
    found: dict[int, _Figures] = {}
    with progress_bar("machines", count, progress) as done:
        for chunk in in_chunks(machines, range(count), executor=executor, here=robots):
            for (state, first), taken in chunk.result.items():
                own = parts.setdefault(state, {})
                own[first] = taken
                if sum(len(part.displacement) for part in own.values()) == robots:
                    whole = (own[first] for first in sorted(own))
                    found[state] = _figures(
                        poses[state], *map(np.concatenate, zip(*whole, strict=True))
                    )
                    del parts[state]
            done(len(chunk.items))
    return [found[state] for state in range(len(poses))]


class _Taken(NamedTuple):
    """What m machines do at one state."""

    displacement: Array
    """(m, 6)"""
    forces: Array
    """(m, n)"""
    margins: Array
    """(m, 5)"""


@dataclass(frozen=True, eq=False)
class _Machines:
    """All machines at all states: a job whose items are the machines, state after state."""

    spread: Spread
    robots: int
    seed: int
    states: tuple[Array, ...]
    """Poses (s, 7), and loads (s, 6)."""

    @cached_property
    def errors(self) -> Array:
        """Of all machines, (robots, k)."""
        return self.spread.errors(self.robots, self.seed)

    def __call__(self, items: range) -> dict[tuple[int, int], _Taken]:
        """What they do, by state and the number of the first machine there."""
        found = {}
        while items:
            state, first = divmod(items.start, self.robots)
            here = items[: self.robots - first]
            at = (part[state] for part in self.states)
            found[state, first] = self._taken(self.errors[first : first + len(here)], *at)
            items = items[len(here) :]
        return found

    def _taken(self, errors: Array, pose: Array, *loads: Array) -> _Taken:
        robot, places = self.spread.robot, self.spread.places
        machines, numbers = Machines(robot, parametric=True), parameters_of(robot)
        displacement, poses = taken(self.spread, errors, pose)
        forces = force_kernel(machines, places)(numbers, errors, poses, *loads)
        return _Taken(displacement, forces, margin_kernel(machines, places)(numbers, errors, poses))


def taken(spread: Spread, errors: Array, pose: Array) -> tuple[Array, Array]:
    """Displacements (m, 6) and poses (m, 7) of machines with errors (m, k); NaN where none is."""
    machines, numbers = Machines(spread.robot, parametric=True), parameters_of(spread.robot)
    displacement, poses, settled = nearby_kernel(machines, spread.places)(numbers, errors, pose)
    far = settled == 0
    if far.any():
        kernel = searched_kernel(machines, spread.places)
        displacement[far], poses[far] = kernel(numbers, errors[far], pose)
    return displacement, poses


def _figures(pose: Array, displacement: Array, forces: Array, margins: Array) -> _Figures:
    exist = np.isfinite(displacement[:, 0])
    if exist.sum() < 2:
        raise GoughError(
            f"of {len(exist)} machines {exist.sum()} can take the pose {pose.tolist()}; expected "
            "a smaller spread, or a pose that is farther from singular ones"
        )
    displacement, forces = displacement[exist], forces[exist]
    ways, turns = (np.linalg.norm(part, axis=1) for part in np.split(displacement, 2, axis=1))
    return _Figures(
        displacement.mean(0),
        np.cov(displacement, rowvar=False),
        np.quantile(ways, MOST),
        np.quantile(turns, MOST),
        forces.std(0, ddof=1),
        _deviation(margins[exist]),
        (margins >= 0).all(-1).mean(),
    )


def _deviation(margins: Array) -> Array:
    """Of margins that are finite; 0 of limits that there are not."""
    return np.asarray(np.where(np.isfinite(margins), margins, 0.0).std(0, ddof=1))
