"""Monte Carlo analysis of tolerances: every sample is a machine with errors, solved exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.checks import require_integer
from gough.display.brief import brief
from gough.errors import GoughError
from gough.executors import Executor, in_chunks
from gough.model.machines import Machines
from gough.progress import progress_bar
from gough.robot.numbers import parameters_of
from gough.tolerance.kernels import (
    force_kernel,
    margin_kernel,
    nearby_kernel,
    searched_kernel,
)
from gough.tolerance.stated import StatedTolerances

MOST_SAMPLES = 1_000_000
MOST = 0.95
"""Quantile of the errors that is reported."""


@dataclass(frozen=True)
class MonteCarlo:
    """Results of Monte Carlo samples, machines with random errors, at poses (...)."""

    samples: int
    seed: int
    mean: Array
    """(..., 6) mean displacement [m, rad]."""
    covariance: Array
    """(..., 6, 6) of the displacement [m, rad]."""
    position_error_95: Array
    """(...) position error that 95 % of the samples do not exceed [m]."""
    orientation_error_95: Array
    """(...) orientation error that 95 % of the samples do not exceed [rad]."""
    force_deviation: Array
    """(..., n) standard deviation of the actuators' forces [N, N m]."""
    margin_deviation: Array
    """(..., 5) standard deviation of the margins."""
    reaching: Array
    """(...) fraction of the machines that reach a pose within all limits."""

    __repr__ = brief

    @property
    def pose_deviation(self) -> Array:
        """(..., 6) standard deviation of the displacement [m, rad]."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance, axis1=-2, axis2=-1)))


_Figures = tuple[Array, ...]
"""Statistics of all machines at one pose, in the order of the fields of MonteCarlo."""


def monte_carlo(
    stated: StatedTolerances,
    poses: Array,
    loads: list[Array],
    samples: int,
    seed: int,
    executor: Executor = None,
) -> MonteCarlo:
    """Evaluate Monte Carlo samples at poses (..., 7), all of them at each pose."""
    require_integer("samples", samples, least=2, most=MOST_SAMPLES)
    batch = poses.shape[:-1]
    states = [
        np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (poses, *loads)
    ]
    found = _each(_Machines(stated, samples, seed, tuple(states)), executor)
    kept = (np.reshape(part, (*batch, *np.shape(part[0]))) for part in zip(*found, strict=True))
    return MonteCarlo(samples, seed, *kept)


def _each(machines: _Machines, executor: Executor) -> list[_Figures]:
    """The figures of all machines at each state; of a state that is not done all are kept."""
    poses, samples = machines.states[0], machines.samples
    count = len(poses) * samples
    parts: dict[int, dict[int, _TakenPoses]] = {}
    found: dict[int, _Figures] = {}
    with progress_bar("machines", count) as done:
        for chunk in in_chunks(machines, range(count), executor=executor, here=samples):
            for (state, first), taken in chunk.result.items():
                own = parts.setdefault(state, {})
                own[first] = taken
                if sum(len(part.displacement) for part in own.values()) == samples:
                    whole = (own[first] for first in sorted(own))
                    found[state] = _figures(
                        poses[state], *map(np.concatenate, zip(*whole, strict=True))
                    )
                    del parts[state]
            done(len(chunk.items))
    return [found[state] for state in range(len(poses))]


class _TakenPoses(NamedTuple):
    """Displacements, forces and margins of m machines at one state."""

    displacement: Array
    """(m, 6)"""
    forces: Array
    """(m, n)"""
    margins: Array
    """(m, 5)"""


@dataclass(frozen=True, eq=False)
class _Machines:
    """All machines at all states: a job whose items are the machines, state after state."""

    stated: StatedTolerances
    samples: int
    seed: int
    states: tuple[Array, ...]
    """Poses (s, 7), and loads (s, 6)."""

    @cached_property
    def errors(self) -> Array:
        """Errors of all samples, (samples, k)."""
        return self.stated.errors(self.samples, self.seed)

    def __call__(self, items: range) -> dict[tuple[int, int], _TakenPoses]:
        """Return the results, by state and the number of the first machine there."""
        found = {}
        while items:
            state, first = divmod(items.start, self.samples)
            here = items[: self.samples - first]
            at = (part[state] for part in self.states)
            found[state, first] = self._taken(self.errors[first : first + len(here)], *at)
            items = items[len(here) :]
        return found

    def _taken(self, errors: Array, pose: Array, *loads: Array) -> _TakenPoses:
        robot, places = self.stated.robot, self.stated.places
        machines, numbers = Machines(robot, parametric=True), parameters_of(robot)
        displacement, poses = taken(self.stated, errors, pose)
        forces = force_kernel(machines, places)(numbers, errors, poses, *loads)
        return _TakenPoses(
            displacement, forces, margin_kernel(machines, places)(numbers, errors, poses)
        )


def taken(stated: StatedTolerances, errors: Array, pose: Array) -> tuple[Array, Array]:
    """Displacements (m, 6) and poses (m, 7) of machines with errors (m, k); NaN where none is."""
    machines, numbers = Machines(stated.robot, parametric=True), parameters_of(stated.robot)
    displacement, poses, settled = nearby_kernel(machines, stated.places)(numbers, errors, pose)
    far = settled == 0
    if far.any():
        kernel = searched_kernel(machines, stated.places)
        displacement[far], poses[far] = kernel(numbers, errors[far], pose)
    return displacement, poses


def _figures(pose: Array, displacement: Array, forces: Array, margins: Array) -> _Figures:
    exist = np.isfinite(displacement[:, 0])
    if exist.sum() < 2:
        raise GoughError(
            f"of {len(exist)} machines {exist.sum()} can take the pose {pose.tolist()}; expected "
            "smaller tolerances, or a pose that is farther from singular ones"
        )
    displacement, forces = displacement[exist], forces[exist]
    finite = np.where(np.isfinite(margins), margins, 0.0)[exist]  # 0 for limits that are not given
    ways, turns = (np.linalg.norm(part, axis=1) for part in np.split(displacement, 2, axis=1))
    return (
        displacement.mean(0),
        np.cov(displacement, rowvar=False),
        np.quantile(ways, MOST),
        np.quantile(turns, MOST),
        forces.std(0, ddof=1),
        finite.std(0, ddof=1),
        (margins >= 0).all(-1).mean(),
    )
