"""Where to begin: the best of many designs drawn evenly, far from one another.

Where optima are many, the drawn designs evolve first, by differential evolution on batches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize
from scipy.stats import qmc

from gough.arrays import Array
from gough.design.goals import Goal, Least, Possible
from gough.design.problem import Judged, Problem
from gough.design.program import Program, Solved
from gough.kinematics.progress import progress_bar
from gough.one_thread import one_thread

DRAWN = 2048
LOOKS = 128
"""States by which drawn designs are judged: so many of all, evenly taken."""
APART = 0.1
"""Starts are at least so far apart, as shares of the ranges, per root of their number."""
MEMBERS = 10
"""Designs that evolve, for each variable."""
_FAR = 1e3
"""No slack is worse: that of a machine that cannot take a pose."""
_FAILING = 1e5
"""What a slack of -1 costs: more than any objective is worth."""
HOLDS = 1e-7
"""A side that passes its bound by less than this share of it holds: as SLSQP ends."""


@dataclass(frozen=True, eq=False)
class Search:
    """Starts for a problem, the best first, and what its objectives are measured by."""

    problem: Problem
    starts: Array
    """(k, d)"""
    scale: Array
    """(m)"""

    @classmethod
    def drawn(cls, problem: Problem, count: int, seed: int, generations: int = 0) -> Search:
        """The best of designs drawn evenly, and the one that the file describes.

        Or the best of what these have become after so many generations.
        """
        space, generator = problem.space, np.random.default_rng(seed)
        sobol = qmc.Sobol(len(space), rng=generator)
        shares = np.concatenate([space.scaled(space.start)[None], sobol.random(DRAWN)])
        objectives = _some(problem, shares).objectives
        finite = objectives[np.isfinite(objectives).all(axis=1)]
        scale = np.median(np.abs(finite), axis=0) if len(finite) else np.ones(objectives.shape[1])
        found = cls(problem, np.zeros((0, len(space))), np.where(scale > 0, scale, 1.0))
        ranked = shares[np.argsort(found._costs(shares), kind="stable")]
        if generations:
            ranked = found._evolved(ranked, generations, generator)
        return replace(found, starts=space.unscaled(_apart(ranked, count)))

    def _costs(self, shares: Array) -> Array:
        """(N) what designs cost, by some of the states: those that fail more than any that hold."""
        judged = _some(self.problem, shares)
        fails = np.clip(np.nan_to_num(judged.slack, nan=-_FAR), -_FAR, 0.0).sum(axis=1)
        worth = np.nan_to_num(judged.objectives / self.scale, nan=_FAR)
        return np.asarray(np.clip(worth, -_FAR, _FAR).sum(axis=1) - _FAILING * fails)

    def _evolved(self, ranked: Array, generations: int, generator: np.random.Generator) -> Array:
        """What the best of ranked designs become after some generations, the best first."""
        members = ranked[: MEMBERS * ranked.shape[1]]
        with one_thread(), progress_bar("Generations", generations) as done:
            found = optimize.differential_evolution(
                lambda shares: self._costs(shares.T),
                [(0.0, 1.0)] * ranked.shape[1],
                init=members,
                vectorized=True,
                updating="deferred",
                maxiter=generations,
                tol=0.0,
                polish=False,
                rng=generator,
                callback=lambda intermediate_result: done(1),
            )
        return np.asarray(found.population[np.argsort(found.population_energies, kind="stable")])

    def solved(self, goal: Goal, starts: Array) -> list[Solved]:
        """Solutions from some starts, the best first."""
        with one_thread(), progress_bar("Designs", len(starts)) as done:
            found = []
            for x in starts:
                found.append(Program(self.problem, goal, self.scale).solved(x))
                done(1)
        return sorted(found, key=lambda solved: (max(solved.violation - HOLDS, 0.0), solved.cost))

    def least(self) -> list[Solved]:
        """Designs of the least sum of objectives."""
        return self.solved(Least(np.ones(len(self.scale))), self.starts)

    def least_yielding(self) -> Solved:
        """The design whose requirements must yield least, where not all can hold."""
        return self.solved(Possible(len(self.problem.requirements)), self.starts[:4])[0]


def _some(problem: Problem, shares: Array) -> Judged:
    """Designs, given as shares of the ranges, by some of the states."""
    every = max(1, len(problem.states[0]) // LOOKS)
    return problem.judged(problem.space.unscaled(shares), slice(None, None, every))


def _apart(ranked: Array, count: int) -> Array:
    """The first of ranked points that are far enough from those before; or just the first."""
    far = APART * np.sqrt(ranked.shape[1])
    chosen = [ranked[0]]
    for point in ranked[1:]:
        if len(chosen) == count:
            break
        if min(float(np.linalg.norm(point - other)) for other in chosen) >= far:
            chosen.append(point)
    return np.array(chosen)
