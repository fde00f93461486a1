"""Designs: from what may change, what must hold and what is best to a machine, or to many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from gough.arrays import numeric
from gough.design.aims import ENERGY, Objective, Requirement, check_requirement, each_family
from gough.design.demands import Demand, at_home
from gough.design.designed import Designed, Yielding
from gough.design.freedoms import check_freedoms
from gough.design.front import Front, front_of
from gough.design.problem import Judged, Problem
from gough.design.search import HOLDS, Search
from gough.design.variables import REACH, Space, Variable
from gough.errors import GoughError
from gough.executors import Executor, in_chunks
from gough.robot import Robot
from gough.shown.brief import brief

STARTS = 12
POINTS = 15
_ALIKE = 1e-4
"""Solutions whose objectives are this near to one another are the same."""


class NoDesignError(GoughError):
    """Not all requirements can hold at once; `yielding` are the smallest changes that let them."""

    def __init__(self, name: str, yielding: tuple[Yielding, ...], nearest: Designed) -> None:
        self.yielding, self.nearest = yielding, nearest
        super().__init__(
            f"{name}: no design that was tried holds all requirements; nearest to it, one would "
            f"with {self.needed}"
            if yielding
            else f"{name}: no design that was tried can take all poses; expected smaller demands, "
            "or wider ranges of variables"
        )

    @property
    def needed(self) -> str:
        """What the smallest changes are, in words."""
        return "; ".join(
            f"{one.name} {one.bound:.4g} {one.unit}".rstrip() + f" instead of {one.asked:.4g}"
            for one in self.yielding
        )


@dataclass(frozen=True, eq=False)
class Design:
    """A machine to be found: variables, what it must do, requirements and objectives.

    With one objective `optimise` finds the best machine; with several `front` finds those of which
    none is better than another in all. Requirements hold in every state of every demand, and at
    home.
    """

    robot: Robot
    variables: Sequence[Variable]
    demands: Sequence[Demand]
    requirements: Sequence[Requirement] = (Requirement("limits"),)
    objectives: Sequence[Objective] = ()
    name: str = "design"
    fixed: Mapping[str, float] = field(default_factory=dict)
    """Numbers of the robot's file that are others than there [SI]."""

    __repr__ = brief

    def __post_init__(self) -> None:
        if not self.demands:
            raise GoughError(f"{self.name}: nothing that the machine must do; expected demands")
        for requirement in self.requirements:
            check_requirement(self.robot, requirement)

    @classmethod
    def load(cls, path: str | Path) -> Design:
        """The design of a .toml or .json file; paths in it count from its folder."""
        from gough.design.reading import load_design  # noqa: PLC0415  (tables are slow to make)

        return load_design(Path(path))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], *, folder: Path | None = None) -> Design:
        """The design that data in the form of a design file describe."""
        from gough.design.reading import design_of  # noqa: PLC0415  (tables are slow to make)

        return design_of(data, folder or Path())

    @cached_property
    def problem(self) -> Problem:
        """The same in numbers."""
        space = Space.of(self.robot, self.variables, self.fixed)
        held = each_family(self.robot, self.requirements)
        doing = (at_home(), *self.demands)
        found = Problem(space, doing, tuple(held), tuple(self.objectives))
        self._check(found)
        return found

    def _check(self, problem: Problem) -> None:
        """Refuse what would be looked for in vain."""
        problem.space.check_ends()
        for demand in self.demands:
            check_freedoms(self.robot, demand)
        asked = [objective.name for objective in self.objectives]
        if twice := next((name for name in asked if asked.count(name) > 1), None):
            raise GoughError(f"{self.name}: {twice} is an objective twice; expected each once")
        if REACH in problem.space.names and not any(demand.offset.any() for demand in self.demands):
            raise GoughError(f"{self.name}: {REACH} makes no demand larger; expected a box")
        if REACH in problem.space.names:
            self._check_turns(problem)
        if any(mean.by_time for mean in problem.means) and not problem.seconds.any():
            raise GoughError(f"{self.name}: no demand takes time for {ENERGY}; expected a study")
        if not problem.measures:
            raise GoughError(
                f"{self.name}: nothing is asked of the machine; expected a requirement, or an "
                "objective other than a variable"
            )

    def _check_turns(self, problem: Problem) -> None:
        """Refuse a reach that makes a box wider than a whole turn."""
        largest = float(problem.space.high[problem.space.names.index(REACH)])
        for demand in self.demands:
            angle = largest * float(np.abs(demand.offset[:, 3:]).max(initial=0.0))
            if angle > np.pi:
                raise GoughError(
                    f"{demand.name}: a {REACH} of {largest:g} turns it by {np.degrees(angle):.4g} "
                    "deg; expected at most half a turn, 180 deg"
                )

    def judge(self, designs: Any, *, executor: Executor = None) -> Judged:
        """Many designs (N, d) at once: how far each holds, and what it is worth, at lattice points.

        In this process, or wherever an `executor` says.
        """
        given = numeric(designs)
        count = len(self.problem.space)
        if given is None or given.ndim != 2 or given.shape[1] != count:
            shape = "no numbers" if given is None else f"shape {given.shape}"
            raise GoughError(f"{self.name}: designs have {shape}; expected numbers (N, {count})")
        if not len(given):
            return self.problem.judged(given)
        chunks = in_chunks(self.problem.judged, given.astype(float), executor=executor)
        parts = [chunk.result for chunk in sorted(chunks, key=lambda chunk: chunk.first)]
        return Judged(*map(np.concatenate, zip(*parts, strict=True)))

    def optimise(self, *, starts: int = STARTS, seed: int = 0, generations: int = 0) -> Designed:
        """The best machine that is found from so many starts. NoDesignError if none holds all.

        Without an objective, the first that holds all requirements. With several, the one of the
        least sum of them, each over its median among designs drawn evenly. These evolve for so many
        `generations` first, which finds the best of many optima more surely.
        """
        search = self._search(starts, seed, generations)
        found = search.least()
        best = found[0]
        if best.violation > HOLDS:
            raise self._impossible(search)
        alike = sum(
            one.violation <= HOLDS and abs(one.cost - best.cost) <= _ALIKE * abs(best.cost)
            for one in found
        )
        return Designed(search.problem, best, search.scale, (alike, len(found)))

    def front(
        self,
        points: int = POINTS,
        *,
        starts: int = STARTS,
        seed: int = 0,
        generations: int = 0,
    ) -> Front:
        """Machines of which none is better than another in all objectives: a Pareto front.

        Designs that were drawn evenly evolve for so many `generations` first, towards all pieces of
        a front that has several (NSGA-II, of more than two objectives NSGA-III, by pymoo); from
        what they have become gradients find the front itself.
        """
        if len(self.objectives) < 2:
            raise GoughError(
                f"{self.name}: a front needs at least two objectives; it has {len(self.objectives)}"
            )
        _check_count("points", points, len(self.objectives) + 1)
        search = self._search(starts, seed, generations, front=True)
        found = front_of(search, points)
        if found is None:
            raise self._impossible(search)
        return found

    def _search(self, starts: int, seed: int, generations: int, *, front: bool = False) -> Search:
        _check_count("starts", starts, 1)
        _check_count("generations", generations, 0)
        _check_count("seed", seed, 0)
        return Search.drawn(self.problem, starts, seed, generations, front=front)

    def _impossible(self, search: Search) -> NoDesignError:
        least = search.least_yielding()
        problem = search.problem
        yielding = []
        for k, requirement in enumerate(problem.requirements):
            if least.more[k] > HOLDS:
                measure = problem.measure(requirement.measure)
                sign = -1.0 if measure.large_is_good else 1.0
                bound = requirement.bound + sign * float(least.more[k]) * float(problem.units[k])
                unit = measure.dimension.unit
                yielding.append(Yielding(requirement.name, bound, requirement.bound, unit))
        nearest = Designed(problem, least, search.scale)
        return NoDesignError(self.name, tuple(yielding), nearest)


def _check_count(name: str, number: Any, least: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        raise GoughError(f"{name}={number!r}; expected a whole number, at least {least}")
