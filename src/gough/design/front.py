"""Fronts of designs: machines of which none is better than another in all objectives.

First the ends, the best machine for each objective; then goals on the plane through them, each
approached across it as far as it goes: normal-boundary intersection [Das & Dennis 1998], with
exact derivatives. Each begins at the point next to it.

Das, Dennis: Normal-boundary intersection: a new method for generating the Pareto surface in
nonlinear multicriteria optimization problems, SIAM Journal on Optimization 8 (1998).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from gough.arrays import Array
from gough.design.designed import Designed
from gough.design.goals import Attained, Least
from gough.design.program import Solved
from gough.design.search import HOLDS, Search

LITTLE = 1e-4
"""Of the other objectives in the cost of an end: of those that are best it is the better one."""
SAME = 1e-6
"""Objectives that differ by less, as shares of the front's size, are the same."""


@dataclass(frozen=True, eq=False)
class Front:
    """Machines of which none is better than another in all objectives; by the first of them."""

    points: tuple[Designed, ...]

    def __repr__(self) -> str:
        names = ", ".join(self.points[0].objectives)
        return f"<gough front of {len(self.points)} designs: {names}>"

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, k: int) -> Designed:
        return self.points[k]

    def __iter__(self) -> Iterator[Designed]:
        return iter(self.points)

    @property
    def objectives(self) -> Array:
        """(points, m) what each is worth [SI]."""
        return np.array([[*point.objectives.values()] for point in self.points])


def front_of(search: Search, points: int) -> list[Solved]:
    """The solutions on the front of a problem, in the order of its first objective."""
    count = len(search.scale)
    ends = _ends(search, count)
    if any(end.violation > HOLDS for end in ends):
        return []
    corners = np.array([_worth(search, end) for end in ends])
    size = corners.max(axis=0) - corners.min(axis=0)
    size = np.where(size > 0, size, 1.0)
    found = list(ends)
    for shares in _shares(count, points):
        goal = Attained(shares @ corners, size)
        nearest = min(found, key=lambda one: _off(search, one, goal))
        starts = np.array([nearest.x, *search.starts[:1]])
        found.append(search.solved(goal, starts)[0])
    held = [one for one in found if one.violation <= HOLDS]
    return _best(held, np.array([_worth(search, one) for one in held]), size)


def _ends(search: Search, count: int) -> list[Solved]:
    """The best for each objective; one that was not found begins anew from the others."""
    found = [search.solved(_end(k, count), search.starts)[0] for k in range(count)]
    held = np.array([end.x for end in found if end.violation <= HOLDS])
    return [
        search.solved(_end(k, count), held)[0] if len(held) and end.violation > HOLDS else end
        for k, end in enumerate(found)
    ]


def _end(k: int, count: int) -> Least:
    weights = np.full(count, LITTLE)
    weights[k] = 1.0
    return Least(weights)


def _worth(search: Search, solved: Solved) -> Array:
    """Objectives (m) over their scales."""
    (found,) = search.problem.judged(solved.x[None]).objectives
    return np.asarray(found / search.scale)


def _off(search: Search, solved: Solved, goal: Attained) -> float:
    return float(((_worth(search, solved) - goal.point) / goal.direction).max())


def _shares(count: int, points: int) -> list[Array]:
    """Evenly spread shares (count) of the ends, without the ends themselves."""
    steps = 1
    while _lattice_size(count, steps) < points:
        steps += 1
    bars = combinations(range(1, steps + count), count - 1)
    found = [np.diff([0, *bar, steps + count]) - 1 for bar in bars]
    return [shares / steps for shares in found if shares.max() < steps]


def _lattice_size(count: int, steps: int) -> int:
    return sum(1 for _ in combinations(range(steps + count - 1), count - 1))


def _best(solved: list[Solved], worth: Array, size: Array) -> list[Solved]:
    """Those that no other is better than, each once, in the order of the first objective."""
    kept: list[int] = []
    for k in np.lexsort(worth.T[::-1]).tolist():
        shares = (worth - worth[k]) / size
        beaten = ((shares <= SAME).all(axis=1) & (shares < -SAME).any(axis=1)).any()
        again = any((np.abs(shares[j]) <= SAME).all() for j in kept)
        if not beaten and not again:
            kept.append(k)
    return [solved[k] for k in kept]
