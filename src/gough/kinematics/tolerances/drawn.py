"""Machines drawn at random: what those do whose numbers have errors, one by one and exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
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
    spread: Spread, poses: Array, loads: list[Array], robots: int, seed: int, *, progress: bool
) -> Drawn:
    """So many machines at poses (..., 7), all of them at each."""
    if isinstance(robots, bool) or not isinstance(robots, int) or not 2 <= robots <= MOST_ROBOTS:
        raise GoughError(f"robots is {robots!r}; expected a whole number from 2 to {MOST_ROBOTS:,}")
    batch = poses.shape[:-1]
    states = [np.broadcast_to(x, (*batch, x.shape[-1])).reshape(-1, x.shape[-1]) for x in loads]
    errors = spread.errors(robots, seed)
    flat = zip(poses.reshape(-1, poses.shape[-1]), *states, strict=True)
    found = list(_each(spread, errors, list(flat), progress))
    kept = (np.reshape(part, (*batch, *np.shape(part[0]))) for part in zip(*found, strict=True))
    return Drawn(robots, seed, *kept)


def _each(
    spread: Spread, errors: Array, states: list[tuple[Array, ...]], progress: bool
) -> Iterator[_Figures]:
    """The figures of the machines with such errors, state by state."""
    with progress_bar("machines", len(states), progress) as done:
        for state in states:
            yield _figures(spread, errors, *state)
            done(1)


def taken(spread: Spread, errors: Array, pose: Array) -> tuple[Array, Array]:
    """Displacements (m, 6) and poses (m, 7) of machines with errors (m, k); NaN where none is."""
    machines, numbers = Machines(spread.robot, parametric=True), parameters_of(spread.robot)
    displacement, poses, settled = nearby_kernel(machines, spread.places)(numbers, errors, pose)
    far = settled == 0
    if far.any():
        kernel = searched_kernel(machines, spread.places)
        displacement[far], poses[far] = kernel(numbers, errors[far], pose)
    return displacement, poses


def _figures(spread: Spread, errors: Array, pose: Array, *loads: Array) -> _Figures:
    machines, numbers = Machines(spread.robot, parametric=True), parameters_of(spread.robot)
    displacement, poses = taken(spread, errors, pose)
    forces = force_kernel(machines, spread.places)(numbers, errors, poses, *loads)
    margins = margin_kernel(machines, spread.places)(numbers, errors, poses)
    exist = np.isfinite(displacement[:, 0])
    if exist.sum() < 2:
        raise GoughError(
            f"of {len(errors)} machines {exist.sum()} can take the pose {pose.tolist()}; expected "
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
