"""Weighted least squares by Gauss and Newton: the machine that takes the poses that were measured.

What nothing tells stays as it was: of all machines that fit alike the one with the least change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.identification.calibration.measurements import Measurements
from gough.identification.calibration.observability import Observability
from gough.identification.calibration.unknowns import Guess, Unknowns, taken_poses
from gough.kinematics.model import Model

AT_MOST = 60
_SETTLED = 1e-5
"""A step that changes all predictions by less [standard deviations] is the last one."""
_ROUNDING = 1e-10
"""Of a sum of squares."""
_HALVINGS = 12
_ORDINARY = 0.95
"""The share of all honest measurements that keep their full weight in a robust fit."""


@dataclass(frozen=True, eq=False)
class Rows:
    """What a machine predicts at the readings, beside what was measured."""

    poses: Array
    """(count, 7) of the platform."""
    misfit: Array
    """(count, m) measured less predicted [m, rad]."""
    whitened: Array
    """(count, m) the same in standard deviations."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The machine that fits best."""

    guess: Guess
    rows: Rows
    weights: Array
    """(count) of each measurement, 1 or less."""
    observability: Observability


@dataclass(frozen=True, eq=False)
class Problem:
    """Unknowns and measurements."""

    model: Model
    """A parametric one."""
    measured: Measurements
    near: Any
    """Where poses are sought first: an array (count, 7), or "home"."""
    robust: bool = False

    def rows(self, guess: Guess, near: Any = None) -> Rows | None:
        """What a guess predicts; None, if it cannot take one of the poses."""
        start = self.near if near is None else near
        poses, found = taken_poses(self.model, guess, self.measured.readings, start)
        if not found.all():
            return None
        misfit = self.measured.misfit(guess.frames.tool_pose(poses))
        return Rows(poses, misfit, misfit / self.measured.sigmas)

    def weights(self, rows: Rows) -> Array:
        """(count) after Huber [1964]: measurements far off count by their size, not its square."""
        if not self.robust:
            return np.ones(len(self.measured))
        sizes = np.linalg.norm(rows.whitened, axis=-1)
        return np.asarray(self._ordinary / np.maximum(sizes, self._ordinary))

    def cost(self, rows: Rows) -> float:
        """Half the sum of squares; in a robust fit less of what is far off."""
        sizes = np.linalg.norm(rows.whitened, axis=-1)
        if not self.robust:
            return float((sizes**2).sum() / 2)
        bound = self._ordinary
        far = bound * (sizes - bound / 2)
        return float(np.where(sizes > bound, far, sizes**2 / 2).sum())

    def slopes(self, unknowns: Unknowns, guess: Guess, rows: Rows) -> Array:
        """(count, m, k) of the predictions [standard deviations / SI], by unknowns."""
        tool = guess.frames.tool_pose(rows.poses)
        by_pose = self.measured.slopes(tool) * self.measured.known[..., None]
        slopes = by_pose @ unknowns.slopes(guess, rows.poses)
        return np.asarray(slopes / self.measured.sigmas[:, None])

    @property
    def _ordinary(self) -> Array:
        from scipy.stats import chi2  # noqa: PLC0415  (slow to import)

        return np.asarray(np.sqrt(chi2.ppf(_ORDINARY, np.maximum(self.measured.known.sum(-1), 1))))


def fitted(problem: Problem, unknowns: Unknowns) -> Fit:
    """The best fit, from the prior: least squares, step by step."""
    guess, rows = unknowns.prior, _first_rows(problem, unknowns.prior)
    for _ in range(AT_MOST):
        weights = problem.weights(rows)
        roots = np.sqrt(weights)[:, None]
        A = (roots[..., None] * problem.slopes(unknowns, guess, rows)).reshape(
            -1, len(unknowns.names)
        )
        seen = unknowns.observability(A, len(problem.measured))
        if seen.rank == 0:
            raise GoughError("no measurement depends on any of the unknowns")
        changes = unknowns.changes(guess)
        step = seen.least_change(A, (roots * rows.whitened).ravel() + A @ changes) - changes
        if np.linalg.norm(A @ step) <= _SETTLED:
            return Fit(guess, rows, weights, seen)
        guess, rows = _after(problem, unknowns, guess, rows, step)
    raise _unsettled(problem)


def _after(
    problem: Problem, unknowns: Unknowns, guess: Guess, rows: Rows, step: Array
) -> tuple[Guess, Rows]:
    """The guess after a step, which is shorter if that makes the fit better."""
    cost = problem.cost(rows)
    for k in range(_HALVINGS):
        moved = unknowns.moved(guess, step / 2**k)
        found = problem.rows(moved, rows.poses)
        if found is not None and problem.cost(found) <= cost * (1 + _ROUNDING):
            return moved, found
    raise _unsettled(problem)


def _unsettled(problem: Problem) -> GoughError:
    return GoughError(
        f"{problem.model.robot.name}: the calibration did not settle; expected measurements of "
        "this machine, frames that are nearly known, or fewer unknowns"
    )


def _first_rows(problem: Problem, start: Guess) -> Rows:
    rows = problem.rows(start)
    if rows is not None:
        return rows
    _, found = taken_poses(problem.model, start, problem.measured.readings, problem.near)
    k = int(np.flatnonzero(~found)[0])
    raise GoughError(
        f"{problem.model.robot.name}: at the readings of measurement {k + 1}, "
        f"{problem.measured.readings[k].tolist()}, no pose was found; expected readings of its "
        "encoders [m, rad]"
    )
