"""Search for designs: where to begin, and fronts, where none is better in all objectives.

A search begins at the best of many designs drawn evenly, far from one another. Where optima are
many, the drawn designs evolve first, whole generations at once: for one objective by SciPy's
differential evolution, for a front by pymoo's NSGA-II (of more than two objectives NSGA-III).

Of a front first the ends, the best machine for each objective; then goals on the plane through
them, each approached across it as far as it goes: normal-boundary intersection [Das & Dennis 1998],
with exact derivatives. Each begins at the point next to it, and at the member next to it where
designs have evolved. Members that are far from all that was found then, on pieces of the front that
no goal has met, are goals of their own.

Das, Dennis: Normal-boundary intersection: a new method for generating the Pareto surface in
nonlinear multicriteria optimization problems, SIAM Journal on Optimization 8 (1998).
Deb, Pratap, Agarwal, Meyarivan: A fast and elitist multiobjective genetic algorithm: NSGA-II, IEEE
Transactions on Evolutionary Computation 6 (2002).
Deb, Jain: An evolutionary many-objective optimization algorithm using reference-point-based
nondominated sorting approach, IEEE Transactions on Evolutionary Computation 18 (2014).
Hettich, Kortanek: Semi-infinite programming: theory, methods, and applications, SIAM Review 35
(1993).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from itertools import count as naturals
from math import comb
from typing import ClassVar

import numpy as np
from scipy import optimize
from scipy.stats import qmc

from gough.arrays import AnyArray, Array
from gough.design.design_result import DesignResult, designs_table
from gough.design.problem import HOLDS, Evaluation, Problem
from gough.design.program import SPARE, DesignProgram, Goal, Solved
from gough.design.proved import RESERVE, RequirementProof, proofs, worst_between
from gough.display import Head, Several, Table
from gough.errors import GoughError, needing
from gough.executors import Executor, for_each
from gough.one_thread import one_thread
from gough.progress import progress_bar

MEMBERS = 10  # designs that evolve for one objective, for each variable
FRONT_MEMBERS = 100
"""Number of designs in a generation of a front; with three or more objectives the minimum."""
DRAWN = 2048
LOOKS = 128  # number of states by which drawn designs are evaluated, evenly taken of all
APART = 0.1  # starts are at least so far apart, as shares of the ranges, per root of their number
NEARLY = 0.1
"""Members that fail by more, of a bound, in states that were not looked at are left out."""
_FAR = 1e3  # no slack is worse: that of a machine that cannot take a pose
_FAILING = 1e5  # cost of a slack of -1: more than any objective
EXCHANGES = 12
"""Maximum number of times that states between lattice points join a problem, for one solution."""
SAME_WORTH = 1e-6
"""Objectives that states between lattice points change by less, over their scale, are the same."""


@dataclass(eq=False)
class DesignSearch:
    """Starts for a problem, the best first, and what its objectives are measured by."""

    problem: Problem
    """It gains states between the lattice points of its boxes, where solutions fail there."""
    starts: Array  # (k, d)
    scale: Array  # (m)
    members: Array  # (n, d) designs that have evolved towards a front; none where none have
    executor: Executor = None  # who solves the problem from several starts
    prove: bool = False
    """Whether solutions are proved, and solved again with states that refute them."""

    @classmethod
    def drawn(
        cls,
        problem: Problem,
        count: int,
        seed: int,
        generations: int = 0,
        *,
        front: bool = False,
        executor: Executor = None,
        prove: bool = False,
    ) -> DesignSearch:
        """The best of designs drawn evenly, and the one that the file describes.

        They evolve for a number of generations: towards a front of which all are then `members`, or
        towards the minimum cost, where the starts are the best of what they have become.
        """
        space, generator = problem.space, np.random.default_rng(seed)
        sobol = qmc.Sobol(len(space), rng=generator)
        shares = np.concatenate([space.scaled(space.start)[None], sobol.random(DRAWN)])
        objectives = _some(problem, shares).objectives
        runs = [k for k, one in enumerate(problem.objectives) if one.study is not None]
        if np.isinf(objectives[:, runs]).all(axis=0).any():
            raise GoughError(
                f"{problem.robot.name}: the simulated runs of all {len(shares)} designs drawn end "
                "early; expected gains and a motion that one of them completes"
            )
        finite = objectives[np.isfinite(objectives).all(axis=1)]
        scale = np.median(np.abs(finite), axis=0) if len(finite) else np.ones(objectives.shape[1])
        none = np.zeros((0, len(space)))
        found = cls(problem, none, np.where(scale > 0, scale, 1.0), none, executor, prove)
        ranked = shares[np.argsort(found._costs(shares), kind="stable")]
        if generations and front:
            members = space.unscaled(evolved_front(found._known, shares, generations, seed))
            holds = problem.evaluated(members).slack.min(axis=1, initial=0.0) >= -NEARLY
            found = replace(found, members=members[holds] if holds.any() else members)
        elif generations:
            ranked = evolved(found._costs, ranked, generations, generator)
        return replace(found, starts=_apart(problem, space.unscaled(ranked), count))

    def _known(self, shares: Array) -> Evaluation:
        """Designs by some of the states, objectives over their scales: all of it finite."""
        slack, objectives = _some(self.problem, shares)
        slack = np.clip(np.nan_to_num(slack, nan=-_FAR), -_FAR, _FAR)
        worth = np.nan_to_num(objectives / self.scale, nan=_FAR)
        return Evaluation(slack, np.clip(worth, -_FAR, _FAR))

    def _costs(self, shares: Array) -> Array:
        """(N) what designs cost, by some of the states: those that fail more than any that hold."""
        slack, worth = self._known(shares)
        return np.asarray(worth.sum(axis=1) - _FAILING * np.minimum(slack, 0.0).sum(axis=1))

    def worth(self, designs: Array) -> Array:
        """Objectives (N, m) of designs (N, d) over their scales, in all states."""
        return np.asarray(self.problem.evaluated(designs).objectives / self.scale)

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
        problem, which is solved again from where it was, until none of them matters. Then it is
        proved, if that is asked for, and states that refute it join, too.
        """
        prove = self.prove and not goal.relaxed
        spare = RESERVE if prove else SPARE
        for _ in range(EXCHANGES):
            known: tuple[RequirementProof, ...] = ()
            job = DesignProgram(self.problem, goal, self.scale, spare).solved
            found = for_each(job, starts, title="Designs", executor=self.executor)
            found.sort(key=lambda solved: (max(solved.violation - HOLDS, 0.0), solved.cost))
            starts = np.array([one.x for one in found])
            best, before = found[0], self.problem.evaluated(starts[:1])
            self.problem = self.problem.joined(worst_between(self.problem, starts[0]))
            matters, worst = self._matters(goal, best, before)
            if prove and not matters and worst <= HOLDS:
                known, refuting = proofs(self.problem, starts[0], self.executor)
                self.problem = self.problem.joined(refuting)
                matters, worst = bool(refuting), self._matters(goal, best, before)[1]
            if not matters:
                break
        if prove and not known:
            known, _ = proofs(self.problem, best.x, self.executor)
        return [replace(best, violation=worst, proofs=known), *found[1:]]

    def _matters(self, goal: Goal, best: Solved, before: Evaluation) -> tuple[bool, float]:
        """Whether states that have joined change a solution; and its violation with them."""
        after = self.problem.evaluated(best.x[None])
        allowed, _ = goal.relaxation(after.slack.shape[1], best.more)
        violation = float(-(after.slack[0] + allowed).min(initial=np.inf))
        rise = np.abs(after.objectives - before.objectives) / self.scale
        matters = violation > max(best.violation, HOLDS) or bool((rise > SAME_WORTH).any())
        return matters, max(best.violation, violation)


def _some(problem: Problem, shares: Array) -> Evaluation:
    """Designs, given as shares of the ranges, by some of the states."""
    every = max(1, len(problem.states[0]) // LOOKS)
    return problem.evaluated(problem.space.unscaled(shares), slice(None, None, every))


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


def evolved(
    costs: Callable[[Array], Array], ranked: Array, generations: int, generator: np.random.Generator
) -> Array:
    """Return what the best of ranked designs become by their costs (N), the best first."""
    members = ranked[: MEMBERS * ranked.shape[1]]
    with one_thread(), progress_bar("Generations", generations) as done:
        found = optimize.differential_evolution(
            lambda shares: costs(shares.T),
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


def evolved_front(
    evaluate: Callable[[Array], Evaluation], drawn: Array, generations: int, seed: int
) -> Array:
    """Return designs (n, d) evolved from samples (N, d) towards a front: NSGA-II of pymoo.

    Of more than two objectives by NSGA-III. Slack and objectives that are evaluated must be finite.
    """
    with needing("pymoo", "design", "generations of a front"):
        from pymoo.algorithms.moo.nsga2 import NSGA2  # noqa: PLC0415  (not everybody has pymoo)
        from pymoo.algorithms.moo.nsga3 import NSGA3  # noqa: PLC0415
        from pymoo.core.problem import Problem  # noqa: PLC0415

    class Batches(Problem):  # type: ignore[misc]  # pymoo has no types
        """Whole generations, each evaluated by one call."""

        def _evaluate(self, x: Array, out: dict[str, Array], *_: object, **__: object) -> None:
            slack, out["F"] = evaluate(x)
            out["G"] = -slack

    requirements, objectives = (part.shape[1] for part in evaluate(drawn[:1]))
    if objectives == 2:
        algorithm = NSGA2(FRONT_MEMBERS, sampling=drawn)
    else:
        algorithm = NSGA3(lattice(objectives, steps_for(objectives, FRONT_MEMBERS)), sampling=drawn)
    problem = Batches(drawn.shape[1], objectives, requirements, xl=0.0, xu=1.0)
    with one_thread(), progress_bar("Generations", generations) as done:
        algorithm.setup(problem, seed=seed, termination=("n_gen", np.inf))
        algorithm.next()  # evaluates those that were drawn
        for _ in range(generations):
            algorithm.next()
            done(1)
    return np.asarray(algorithm.pop.get("X"))


def steps_for(count: int, points: int) -> int:
    """Return the number of steps between 0 and 1 for a minimum number of lattice points."""
    return next(steps for steps in naturals(1) if comb(steps + count - 1, count - 1) >= points)


def lattice(count: int, steps: int) -> Array:
    """Return all shares (points, count) that sum to one and are whole numbers of steps."""
    bars = combinations(range(1, steps + count), count - 1)
    return np.array([np.diff([0, *bar, steps + count]) - 1 for bar in bars]) / steps


LITTLE = 1e-4  # weight of the other objectives in the cost of an end: it breaks ties between optima
NEXT = 3  # members from which a goal begins, of those next to it
GAP = 1.01  # neighbours that are farther apart, by what was looked for, are on two pieces
SAME = 1e-6  # objectives that differ by less, as shares of the front's size, are the same


@dataclass(frozen=True, eq=False)
class Front(Several[DesignResult]):
    """Machines of which none is better than another in all objectives; by the first of them.

    >>> import gough
    >>> from gough.design import Objective, Variable, demands
    >>> robot, task = gough.load("demo-hexapod"), demands.box({"x": 0.05, "z": 0.05})
    >>> radius = Variable("symmetric.base_radius", 0.4, 1.0)  # [m]
    >>> goals = [Objective("force"), Objective("radius")]
    >>> len(gough.Design(robot, [radius], [task], objectives=goals).front(3, starts=1)) > 1
    True
    """

    parts: tuple[DesignResult, ...]
    spacing: float
    """Spacing of the goals, as a share of the plane through the ends."""
    listed: ClassVar = "designs pieces"

    def __repr__(self) -> str:
        return f"<gough front of {len(self)} designs: {', '.join(self[0].objectives)}>"

    @property
    def designs(self) -> tuple[DesignResult, ...]:
        """All machines."""
        return self.parts

    @property
    def heading(self) -> tuple[str, str]:
        """The robot that the search began with, and what this is."""
        pieces = int(self.pieces[-1]) + 1
        parted = f" on {pieces} pieces" if pieces > 1 else ""
        return self[0].problem.robot.name, f"front of {len(self)} machines{parted}"

    def tables(self) -> list[Table]:
        """A row for each machine: its objectives and its variables."""
        if len(self) == 1:
            return self[0].tables()
        table = designs_table(self.parts, range(1, len(self) + 1))
        last = [head.title.rpartition(".")[2] for head in table.heads]
        short = [
            head._replace(title=(b if last.count(b) == 1 else head.title).replace("_", " "))
            for head, b in zip(table.heads, last, strict=True)
        ]
        return [table._replace(title="", heads=[Head(""), *short[1:]])]

    @property
    def objectives(self) -> Array:
        """(points, m) what each is worth [SI]."""
        return np.array([[*point.objectives.values()] for point in self])

    @property
    def pieces(self) -> AnyArray:
        """(points) piece of each, 0, 1, ...: between two pieces no machine was found.

        Neighbours of one piece are not farther apart along the plane through the ends than the
        points that were looked for. Of more than two objectives it is one piece.
        """
        costs = np.array([point.costs for point in self])
        size = np.ptp(costs, axis=0)
        if costs.shape[1] > 2 or not size.all():
            return np.zeros(len(costs), dtype=int)
        steps = np.abs(np.diff(costs / size, axis=0)).sum(axis=1) / 2
        return np.append(0, np.cumsum(steps > GAP * self.spacing))


def front_of(search: DesignSearch, points: int) -> Front | None:
    """The front of a problem, in the order of its first objective; None if none is possible."""
    count = len(search.scale)
    ends = _ends(search, count)
    if any(end.violation > HOLDS for end in ends):
        return None
    corners = search.worth(np.array([end.x for end in ends]))
    size = np.ptp(corners, axis=0)
    size = np.where(size > SAME * np.abs(corners).max(axis=0), size, 1.0)
    steps, found = steps_for(count, points), list(ends)
    for shares in lattice(count, steps):
        if shares.max() < 1.0:
            goal = Goal(point=shares @ corners, direction=size)
            found.append(search.solved(goal, _starts(search, found, goal))[0])
    found += _beside(search, found, size, 1.0 / steps)
    feasible = [one for one in found if one.violation <= HOLDS]
    best = _best(feasible, search.worth(np.array([one.x for one in feasible])), size)
    return Front(
        tuple(DesignResult(search.problem, one, search.scale) for one in best), 1.0 / steps
    )


def _ends(search: DesignSearch, count: int) -> list[Solved]:
    """The best for each objective; one that was not found begins anew from the others."""
    goals = [Goal(weights) for weights in np.where(np.eye(count), 1.0, LITTLE)]
    found = []
    for goal in goals:
        order = (search.member_worth @ goal.weights).argsort(kind="stable")
        starts = np.concatenate([search.starts, search.best_members(order, NEXT)])
        found.append(search.solved(goal, starts)[0])
    feasible = np.array([end.x for end in found if end.violation <= HOLDS])
    return [
        search.solved(goal, feasible)[0] if len(feasible) and end.violation > HOLDS else end
        for goal, end in zip(goals, found, strict=True)
    ]


def _beside(search: DesignSearch, found: list[Solved], size: Array, spacing: float) -> list[Solved]:
    """Return solutions from members not dominated, until each has one within `spacing`."""
    worth = search.member_worth / size
    known = search.worth(np.array([one.x for one in found])) / size
    worth = worth[~(known[:, None] <= worth + SAME).all(axis=-1).any(axis=0)]
    more: list[Solved] = []
    while len(worth):
        distance = np.abs(worth[:, None] - known).max(axis=-1).min(axis=1)
        k = int(distance.argmax())
        if distance[k] <= spacing:
            break
        goal = Goal(point=worth[k] * size, direction=size)
        more.append(search.solved(goal, _starts(search, [*found, *more], goal))[0])
        known = np.concatenate([known, worth[k : k + 1], search.worth(more[-1].x[None]) / size])
    return more


def _starts(search: DesignSearch, found: list[Solved], goal: Goal) -> Array:
    """The solution next to a goal, the first start, and the members next to it, wide apart."""
    solutions = np.array([one.x for one in found])
    by_how_much, by_members = (  # the worst of the objectives (N, m) passes the goal
        ((worth - goal.point) / goal.direction).max(axis=1)
        for worth in (search.worth(solutions), search.member_worth)
    )
    near, order = solutions[by_how_much.argmin()], by_members.argsort(kind="stable")
    return np.concatenate([near[None], search.starts[:1], search.best_members(order, NEXT)])


def _best(solved: list[Solved], worth: Array, size: Array) -> list[Solved]:
    """Those that no other is better than, each once, in the order of the first objective."""
    best: list[int] = []
    for k in np.lexsort(worth.T[::-1]).tolist():
        shares = (worth - worth[k]) / size
        beaten = ((shares <= SAME).all(axis=1) & (shares < -SAME).any(axis=1)).any()
        if not beaten and not (np.abs(shares[best]) <= SAME).all(axis=1).any():
            best.append(k)
    return [solved[k] for k in best]
