"""Where to begin: the best of many designs drawn evenly, far from one another.

Where optima are many, the drawn designs evolve first.

Hettich, Kortanek: Semi-infinite programming: theory, methods, and applications, SIAM Review 35
(1993).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.stats import qmc

from gough.arrays import AnyArray, Array
from gough.design.between import worst_between
from gough.design.evolution import evolved, evolved_front
from gough.design.goals import Goal, Least, Possible
from gough.design.problem import Evaluation, Problem
from gough.design.program import DesignProgram, Solved
from gough.one_thread import one_thread
from gough.progress import progress_bar

DRAWN = 2048
LOOKS = 128
"""Number of states by which drawn designs are evaluated, evenly taken of all."""
APART = 0.1
"""Starts are at least so far apart, as shares of the ranges, per root of their number."""
NEARLY = 0.1
"""Members that fail by more, of a bound, in states that were not looked at are left out."""
_FAR = 1e3
"""No slack is worse: that of a machine that cannot take a pose."""
_FAILING = 1e5
"""Cost of a slack of -1: more than any objective."""
HOLDS = 1e-7
"""A side that passes its bound by less than this share of it holds: as SLSQP ends."""
EXCHANGES = 12
"""Maximum number of times that states between lattice points join a problem, for one solution."""
SAME_WORTH = 1e-6
"""Objectives that states between lattice points change by less, over their scale, are the same."""


@dataclass(eq=False)
class DesignSearch:
    """Starts for a problem, the best first, and what its objectives are measured by."""

    problem: Problem
    """It gains states between the lattice points of its boxes, where solutions fail there."""
    starts: Array
    """(k, d)"""
    scale: Array
    """(m)"""
    members: Array
    """(n, d) designs that have evolved towards a front; none where none have."""

    @classmethod
    def drawn(
        cls, problem: Problem, count: int, seed: int, generations: int = 0, *, front: bool = False
    ) -> DesignSearch:
        """The best of designs drawn evenly, and the one that the file describes.

        They evolve for a number of generations: towards a front of which all are then `members`, or
        towards the minimum cost, where the starts are the best of what they have become.
        """
        space, generator = problem.space, np.random.default_rng(seed)
        sobol = qmc.Sobol(len(space), rng=generator)
        shares = np.concatenate([space.scaled(space.start)[None], sobol.random(DRAWN)])
        objectives = _some(problem, shares).objectives
        finite = objectives[np.isfinite(objectives).all(axis=1)]
        scale = np.median(np.abs(finite), axis=0) if len(finite) else np.ones(objectives.shape[1])
        none = np.zeros((0, len(space)))
        found = cls(problem, none, np.where(scale > 0, scale, 1.0), none)
        ranked = shares[np.argsort(found._costs(shares), kind="stable")]
        if generations and front:
            members = space.unscaled(evolved_front(found._known, shares, generations, seed))
            found = replace(found, members=_nearly_holding(problem, members))
        elif generations:
            ranked = evolved(found._costs, ranked, generations, generator)
        return replace(found, starts=_apart(problem, space.unscaled(ranked), count))

    def _known(self, shares: Array) -> Evaluation:
        """Designs by some of the states, objectives over their scales: all of it finite."""
        judged = _some(self.problem, shares)
        slack = np.clip(np.nan_to_num(judged.slack, nan=-_FAR), -_FAR, _FAR)
        worth = np.nan_to_num(judged.objectives / self.scale, nan=_FAR)
        return Evaluation(slack, np.clip(worth, -_FAR, _FAR))

    def _costs(self, shares: Array) -> Array:
        """(N) what designs cost, by some of the states: those that fail more than any that hold."""
        slack, worth = self._known(shares)
        return np.asarray(worth.sum(axis=1) - _FAILING * np.minimum(slack, 0.0).sum(axis=1))

    def worth(self, designs: Array) -> Array:
        """Objectives (N, m) of designs (N, d) over their scales, in all states."""
        return np.asarray(self.problem.judged(designs).objectives / self.scale)

    @cached_property
    def member_worth(self) -> Array:
        """(n, m) of all members."""
        return self.worth(self.members)

    def best_members(self, order: AnyArray, count: int) -> Array:
        """Return the first members in an order, a number of them, that are wide apart."""
        return _apart(self.problem, self.members[order], count)

    def solved(self, goal: Goal, starts: Array) -> list[Solved]:
        """Solutions from some starts, the best first: it holds between lattice points, too.

        By exchange [Hettich & Kortanek 1993]: the worst states of the best solution join the
        problem, which is solved again from where it was, until none of them matters.
        """
        for _ in range(EXCHANGES):
            found = self._solved(goal, starts)
            starts = np.array([one.x for one in found])
            before = self.problem.judged(starts[:1])
            self.problem = self.problem.joined(worst_between(self.problem, starts[0]))
            if not self._matters(goal, found[0], before):
                break
        return [self._judged_again(goal, found[0]), *found[1:]]

    def _solved(self, goal: Goal, starts: Array) -> list[Solved]:
        with one_thread(), progress_bar("Designs", len(starts)) as done:
            found = []
            for x in starts:
                found.append(DesignProgram(self.problem, goal, self.scale).solved(x))
                done(1)
        return sorted(found, key=lambda solved: (max(solved.violation - HOLDS, 0.0), solved.cost))

    def _matters(self, goal: Goal, solved: Solved, before: Evaluation) -> bool:
        """Whether states that joined let a solution fail, or make it worse."""
        after = self.problem.judged(solved.x[None])
        fails = self._violation(goal, solved, after) > max(solved.violation, HOLDS)
        rise = np.abs(after.objectives - before.objectives) / self.scale
        return bool(fails or (rise > SAME_WORTH).any())

    def _violation(self, goal: Goal, solved: Solved, judged: Evaluation) -> float:
        allowed, _ = goal.relaxed(judged.slack.shape[1], solved.more)
        return float(-(judged.slack[0] + allowed).min(initial=np.inf))

    def _judged_again(self, goal: Goal, solved: Solved) -> Solved:
        judged = self.problem.judged(solved.x[None])
        return replace(
            solved, violation=max(solved.violation, self._violation(goal, solved, judged))
        )

    def least(self) -> list[Solved]:
        """Return designs of the minimum sum of objectives."""
        return self.solved(Least(np.ones(len(self.scale))), self.starts)

    def minimum_relaxation(self) -> Solved:
        """Return the design with the minimum relaxation, where not all requirements can hold."""
        return self.solved(Possible(len(self.problem.requirements)), self.starts[:4])[0]


def _some(problem: Problem, shares: Array) -> Evaluation:
    """Designs, given as shares of the ranges, by some of the states."""
    every = max(1, len(problem.states[0]) // LOOKS)
    return problem.judged(problem.space.unscaled(shares), slice(None, None, every))


def _nearly_holding(problem: Problem, members: Array) -> Array:
    """Those that fail little in states that were not looked at; all of them if none does."""
    holds = problem.judged(members).slack.min(axis=1, initial=0.0) >= -NEARLY
    return members[holds] if holds.any() else members


def _apart(problem: Problem, ranked: Array, count: int) -> Array:
    """Return the first ranked designs that are far enough from those before, at most a number."""
    shares = problem.space.scaled(ranked)
    far = APART * np.sqrt(shares.shape[1])
    chosen: list[int] = []
    for k, point in enumerate(shares):
        if len(chosen) == count:
            break
        if (np.linalg.norm(shares[chosen] - point, axis=1) >= far).all():
            chosen.append(k)
    return np.asarray(ranked[chosen])
