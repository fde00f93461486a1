"""Fronts of designs: machines of which none is better than another in all objectives.

First the ends, the best machine for each objective; then goals on the plane through them, each
approached across it as far as it goes: normal-boundary intersection [Das & Dennis 1998], with
exact derivatives. Each begins at the point next to it, and at the member next to it where designs
have evolved. Members that are far from all that was found then, on pieces of the front that no
goal has met, are goals of their own.

Das, Dennis: Normal-boundary intersection: a new method for generating the Pareto surface in
nonlinear multicriteria optimization problems, SIAM Journal on Optimization 8 (1998).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gough.arrays import AnyArray, Array
from gough.design.design_result import DesignResult, designs_table
from gough.design.problem import HOLDS
from gough.design.program import Goal, Solved
from gough.design.search import DesignSearch, lattice, steps_for
from gough.display import Head, Several, Table

LITTLE = 1e-4
"""Weight of the other objectives in the cost of an end: it breaks ties between optima."""
NEXT = 3
"""Members from which a goal begins, of those next to it."""
GAP = 1.01
"""Neighbours that are farther apart, by what was looked for, are on two pieces."""
SAME = 1e-6
"""Objectives that differ by less, as shares of the front's size, are the same."""


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
    beaten = (known[:, None] <= worth + SAME).all(axis=-1).any(axis=0)
    worth = worth[~beaten]
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
