"""Where to begin: the best of many designs drawn evenly, far from one another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import qmc

from gough.arrays import Array
from gough.design.goals import Goal, Least, Possible
from gough.design.problem import Problem
from gough.design.program import Program, Solved
from gough.kinematics.progress import progress_bar
from gough.one_thread import one_thread

DRAWN = 2048
LOOKS = 128
"""States by which drawn designs are judged: so many of all, evenly taken."""
APART = 0.1
"""Starts are at least so far apart, as shares of the ranges, per root of their number."""
_FAR = 1e3
"""No slack is worse: that of a machine that cannot take a pose."""
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
    def drawn(cls, problem: Problem, count: int, seed: int) -> Search:
        """The best of designs drawn evenly, and the one that the file describes."""
        space = problem.space
        sobol = qmc.Sobol(len(space), rng=np.random.default_rng(seed))
        shares = np.concatenate([space.scaled(space.start)[None], sobol.random(DRAWN)])
        every = max(1, len(problem.states[0]) // LOOKS)
        judged = problem.judged(space.unscaled(shares), slice(None, None, every))
        objectives = judged.objectives
        finite = objectives[np.isfinite(objectives).all(axis=1)]
        scale = np.median(np.abs(finite), axis=0) if len(finite) else np.ones(objectives.shape[1])
        scale = np.where(scale > 0, scale, 1.0)
        fails = np.clip(np.nan_to_num(judged.slack, nan=-_FAR), -_FAR, 0.0).sum(axis=1)
        worth = np.clip(np.nan_to_num(objectives / scale, nan=_FAR), -_FAR, _FAR)
        rank = np.lexsort((worth.sum(axis=1), -fails))
        chosen = _apart(shares[rank], count)
        return cls(problem, space.unscaled(chosen), scale)

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
