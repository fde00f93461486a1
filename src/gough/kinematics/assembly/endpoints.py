"""Paths of solutions, followed many at once, and their ends.

An end is a proved or a singular solution, or at infinity; or a path is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray
from gough.compiler.native.kernel import Kernel
from gough.equations.assembly.study_path import ARRIVED, GOING
from gough.kinematics.assembly.kernels import STEPS_PER_ROUND, numbers, pairs
from gough.kinematics.assembly.solutions import Solutions, distinct, refine


@dataclass(frozen=True)
class Care:
    """The tolerance of predictions, and the number of steps after which a path is given up."""

    tolerance: float
    most_steps: int


ATTEMPTS = (Care(2e-3, 160), Care(1e-5, 320), Care(1e-7, 960))
"""The first attempt, and those that follow where it was not enough."""


@dataclass(frozen=True)
class Paths:
    """Ends of paths: points (n, 8), s, whether they arrived, and numbers of steps."""

    points: AnyArray
    s: AnyArray
    arrived: AnyArray
    steps: AnyArray


def follow(kernel: Kernel, starts: AnyArray, moving: Sequence[AnyArray], care: Care) -> Paths:
    """Follow paths from their starts at s = 0 until they arrive at s = 1, or get stuck.

    `moving` are the kernel's parameters, which change along the paths.
    """
    n, tolerance = len(starts), np.array(care.tolerance)
    points, s, status, steps = pairs(starts), np.zeros(n), np.full(n, float(GOING)), np.zeros(n)
    going, state = np.arange(n), [points, s, points, s, np.ones(n)]
    for _ in range(0, care.most_steps, STEPS_PER_ROUND):
        *state, taken, said = kernel(*state, *moving, tolerance, threads=1)
        points[going], s[going], status[going] = state[0], state[1], said
        steps[going] += taken
        on = np.flatnonzero(said == GOING)
        if not len(on):
            break
        on = on[state[1][on].argsort()]  # those that arrive together go side by side
        going, state = going[on], [part[on] for part in state]
    return Paths(numbers(points), s, status == ARRIVED, steps)


_ENDED = 1e-4
"""Remaining part of a path, below which a stuck path has come to a singular solution."""
_AT_INFINITY = 1e-14
"""|e·e| of points of length one, above which an infinite end may be only far away."""


@dataclass(frozen=True)
class Endpoints:
    """Solutions at the end of paths.

    `regular` are finite and distinct; `singular` are finite and may repeat. Besides, numbers of
    paths: to infinity, lost, and how many of those to infinity may have ended only far away.
    """

    regular: Solutions
    singular: Solutions
    n_infinite: int
    n_lost: int
    n_doubtful: int

    @property
    def all_proved(self) -> bool:
        """Whether every path has come to a regular solution of its own, beyond doubt.

        Then there is nothing else: every connected set of solutions has an end of a path.
        """
        elsewhere = len(self.singular) + self.n_infinite + self.n_lost
        return elsewhere == 0 and bool(self.regular.proved.all())

    @property
    def without_proof(self) -> AnyArray:
        """The ends (n, 8) that are singular, or nearly so."""
        points = (self.regular.points[~self.regular.proved], self.singular.points)
        return np.concatenate(points)


def endpoints(
    kernel: Kernel,
    starts: AnyArray,
    moving: Sequence[AnyArray],
    coefficients: AnyArray,
    bounds: AnyArray,
) -> Endpoints:
    """Follow paths to the solutions of `coefficients`.

    Paths that come to a singular solution, or to the same regular one as another path, are followed
    again with more care.
    """
    solutions, ended = _followed(kernel, starts, moving, coefficients, bounds, ATTEMPTS[0])
    if ended.all() and solutions.all_plain:
        return Endpoints(solutions, solutions[:0], 0, 0, 0)
    for care in ATTEMPTS[1:]:
        known = solutions.infinite & ~solutions.failed | solutions.regular
        good = ended & known & ~solutions.repeated
        if good.all():
            break
        again = np.flatnonzero(~good)
        better, better_ended = _followed(kernel, starts[again], moving, coefficients, bounds, care)
        solutions = solutions.replaced(again, better)
        ended[again] = better_ended
    return _sorted(solutions, ended)


def _followed(
    kernel: Kernel,
    starts: AnyArray,
    moving: Sequence[AnyArray],
    coefficients: AnyArray,
    bounds: AnyArray,
    care: Care,
) -> tuple[Solutions, AnyArray]:
    """The solutions at the end of paths, and which paths have come to their end."""
    paths = follow(kernel, starts, moving, care)
    return refine(paths.points, coefficients, bounds), paths.arrived | (paths.s > 1 - _ENDED)


def _sorted(solutions: Solutions, ended: AnyArray) -> Endpoints:
    """Sort ends: one with several paths that is not proved regular is singular."""
    ended = ended & ~solutions.failed
    infinite = solutions.infinite & ended
    finite = ended & ~infinite
    ordinary = finite & solutions.regular & (solutions.proved | ~solutions.repeated)
    regular = solutions if ordinary.all() else solutions[ordinary]
    singular = solutions[finite & ~ordinary]
    first, _ = distinct(regular)
    n_infinite = int(infinite.sum())
    n_lost = len(solutions) - len(first) - len(singular) - n_infinite
    n_doubtful = int((infinite & (solutions.e_square > _AT_INFINITY)).sum())
    once = regular if len(first) == len(regular) else regular[first]
    return Endpoints(once, singular, n_infinite, n_lost, n_doubtful)
