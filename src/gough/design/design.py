"""Designs: from what may change, what must hold and what is best to a machine, or to many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import numeric
from gough.checks import RandomSource, require_integer, seed_of
from gough.compiler.device import Device, arrays_of
from gough.design.demands import Demand, at_home, check_freedoms
from gough.design.design_result import DesignResult, Relaxation
from gough.design.measures import (
    ENERGY,
    OF_CONTACT,
    OF_LOADS,
    Objective,
    Requirement,
    check_requirement,
    each_family,
)
from gough.design.problem import HOLDS, Evaluation, Problem
from gough.design.program import Goal
from gough.design.search import DesignSearch, Front, front_of
from gough.design.variables import REACH, DesignSpace, Variable
from gough.disk.plain_data import PlainMapping
from gough.display.brief import Brief
from gough.errors import GoughError
from gough.executors import Executor, in_chunks, opened
from gough.model.structure import structure_of
from gough.progress import shows_progress
from gough.robot import Robot

STARTS = 12
POINTS = 15
_ALIKE = 1e-4
"""Maximum distance of objectives of solutions that count as the same."""


class NoDesignError(GoughError):
    """Infeasible requirements; `relaxations` are the smallest changes that make them feasible.

    >>> import gough
    >>> issubclass(gough.NoDesignError, gough.GoughError)
    True
    """

    def __init__(
        self, name: str, relaxations: tuple[Relaxation, ...], nearest: DesignResult
    ) -> None:
        self.relaxations, self.nearest = relaxations, nearest
        why = f"holds all requirements; nearest to it, one would with {self.needed}"
        if not relaxations:
            why = "can take all poses; expected smaller demands, or wider ranges of variables"
        super().__init__(f"{name}: no design that was tried {why}")

    @property
    def needed(self) -> str:
        """The smallest changes, in words."""
        return "; ".join(
            f"{one.name} {one.bound:.4g} {one.unit}".rstrip() + f" instead of {one.asked:.4g}"
            for one in self.relaxations
        )


@dataclass(frozen=True, eq=False, repr=False)
class Design(Brief):
    """A machine to be found: variables, what it must do, requirements and objectives.

    With one objective `optimise` finds the best machine; with several `front` finds those of which
    none is better than another in all. Requirements hold in every state of every demand, and at
    home.

    >>> import gough
    >>> from gough.design import Objective, Variable, demands
    >>> robot, task = gough.load("demo-hexapod"), demands.box({"x": 0.05, "z": 0.05})
    >>> radius = Variable("symmetric.base_radius", 0.4, 1.0)  # [m]
    >>> design = gough.Design(robot, [radius], [task], objectives=[Objective("force")])
    >>> found = design.optimise(starts=1)
    >>> bool(0.4 <= found.variables["symmetric.base_radius"] <= 1.0)
    True
    """

    robot: Robot
    variables: Sequence[Variable]
    demands: Sequence[Demand]
    requirements: Sequence[Requirement] = (Requirement("limits"),)
    objectives: Sequence[Objective] = ()
    name: str = "design"
    fixed: Mapping[str, float] = field(default_factory=dict)
    """Numbers of the robot's file that are others than there [SI]."""
    prove: bool = False
    """Whether requirements are proved in all poses of boxes and at all times of motions."""
    device: Device = "cpu"
    """Hardware that evaluates many designs in many states at once, such as those drawn evenly."""

    def __post_init__(self) -> None:
        arrays_of(self.device)  # refused, if it is not there
        if not self.demands:
            raise GoughError(f"{self.name}: without demands; expected at least one")
        for requirement in self.requirements:
            check_requirement(self.robot, requirement)

    @classmethod
    def load(cls, path: str | Path) -> Design:
        """The design of a .toml or .json file; paths in it count from its folder."""
        from gough.design.reading import load_design  # noqa: PLC0415  (tables are slow to make)

        return load_design(Path(path))

    @classmethod
    def from_dict(cls, data: PlainMapping, *, folder: Path | None = None) -> Design:
        """The design that data in the form of a design file describe."""
        from gough.design.reading import design_of  # noqa: PLC0415  (tables are slow to make)

        return design_of(data, folder or Path())

    @cached_property
    def problem(self) -> Problem:
        """The design as a problem in numbers."""
        space = DesignSpace.of(self.robot, self.variables, self.fixed)
        required = tuple(each_family(self.robot, self.requirements))
        demands, objectives = (at_home(), *self.demands), tuple(self.objectives)
        found = Problem(space, demands, required, objectives, self.device)
        self._check(found)
        return found

    def _check_loads(self, measures: set[str]) -> None:
        """Refuse measures of loads without any, and oscillating ones of which nothing is known."""
        needed = dict.fromkeys(measures & {*OF_CONTACT}, "a force and a surface")
        if any(demand.surface[0] for demand in self.demands):
            needed = {}
        if not any(demand.wrench.any() for demand in self.demands):
            needed |= dict.fromkeys(measures & {*OF_LOADS}, "a force or a moment")
        for name, load in needed.items():
            raise GoughError(f"{self.name}: no demand for {name}; expected {load} in one")
        for demand in self.demands:
            if demand.surface[0] and not measures & {*OF_CONTACT}:
                raise GoughError(f"{demand.name}: surface is not used; expected {OF_CONTACT[0]}")
        compliant = structure_of(self.robot).flexible or self.robot.has_compliant_links
        if compliant and measures & {*OF_LOADS} and any(d.frequency for d in self.demands):
            raise GoughError(
                f"{self.robot.name}: links, bearings, base or platform are compliant, and loads "
                "that oscillate are for others; expected demands without a frequency"
            )

    def _check(self, problem: Problem) -> None:
        """Refuse what would be looked for in vain."""
        problem.space.check_ends()
        for demand in self.demands:
            check_freedoms(self.robot, demand)
        self._check_loads({*problem.measures})
        asked = [objective.name for objective in self.objectives]
        if twice := next((name for name in asked if asked.count(name) > 1), None):
            raise GoughError(f"{self.name}: {twice} is an objective twice; expected each once")
        ends = dict(zip(problem.space.names, problem.space.high.tolist(), strict=True))
        largest = ends.get(REACH, 0.0)
        if REACH in ends and not any(demand.offset.any() for demand in self.demands):
            raise GoughError(f"{self.name}: {REACH} makes no demand larger; expected a box")
        for demand in self.demands:
            angle = largest * float(np.abs(demand.offset[:, 3:]).max(initial=0.0))
            if angle > np.pi:
                raise GoughError(
                    f"{demand.name}: a {REACH} of {largest:g} turns it by {np.degrees(angle):.4g} "
                    "deg; expected at most half a turn, 180 deg"
                )
        if any(mean.kind == "integral" for mean in problem.means) and not problem.seconds.any():
            raise GoughError(f"{self.name}: no demand takes time for {ENERGY}; expected a study")
        if not problem.measures:
            raise GoughError(
                f"{self.name}: without requirements; expected a requirement, or an "
                "objective other than a variable"
            )

    def evaluate(self, designs: ArrayLike, *, executor: Executor = None) -> Evaluation:
        """Evaluate many designs (N, d) at once: slack and objectives, at lattice points.

        In this process, or on the workers of an `executor`.
        """
        given = numeric(designs)
        count = len(self.problem.space)
        if given is None or given.ndim != 2 or given.shape[1] != count:
            shape = "no numbers" if given is None else f"shape {given.shape}"
            raise GoughError(f"{self.name}: designs have {shape}; expected numbers (N, {count})")
        if not len(given):
            return self.problem.evaluated(given)
        chunks = in_chunks(self.problem.evaluated, given.astype(float), executor=executor)
        parts = [chunk.result for chunk in sorted(chunks, key=lambda chunk: chunk.items.start)]
        return Evaluation(*map(np.concatenate, zip(*parts, strict=True)))

    @shows_progress
    def optimise(
        self,
        *,
        starts: int = STARTS,
        rng: RandomSource = 0,
        generations: int = 0,
        executor: Executor = None,
        progress: bool = False,
    ) -> DesignResult:
        """Find the best machine from a number of starts. NoDesignError if none meets all.

        Without an objective, the first that holds all requirements. With several, the one of the
        minimum sum of them, each over its median among evenly sampled designs. These evolve for a
        number of `generations` first, which finds the best of many optima more surely. Starts are
        shared out as `executor` says (see `gough.executors`); `progress` shows a bar.
        """
        with opened(executor) as workers:
            search = self._search(starts, rng, generations, executor=workers)
            found = search.solved(Goal(np.ones(len(search.scale))), search.starts)
            best = found[0]
            if best.violation > HOLDS:
                raise self._impossible(search)
        alike = sum(
            one.violation <= HOLDS and abs(one.cost - best.cost) <= _ALIKE * abs(best.cost)
            for one in found
        )
        return DesignResult(search.problem, best, search.scale, (alike, len(found)))

    @shows_progress
    def front(
        self,
        points: int = POINTS,
        *,
        starts: int = STARTS,
        rng: RandomSource = 0,
        generations: int = 0,
        executor: Executor = None,
        progress: bool = False,
    ) -> Front:
        """Machines of which none is better than another in all objectives: a Pareto front.

        Evenly sampled designs evolve for a number of `generations` first, towards all pieces of
        a front that has several (NSGA-II, of more than two objectives NSGA-III, by pymoo); from
        what they have become gradients find the front itself. Starts are shared out as for
        `optimise`.
        """
        if len(self.objectives) < 2:
            raise GoughError(
                f"{self.name}: a front needs at least two objectives; it has {len(self.objectives)}"
            )
        require_integer("points", points, least=len(self.objectives) + 1)
        with opened(executor) as workers:
            search = self._search(starts, rng, generations, front=True, executor=workers)
            found = front_of(search, points)
            if found is None:
                raise self._impossible(search)
        return found

    def _search(
        self, starts: int, rng: RandomSource, generations: int, **more: Any
    ) -> DesignSearch:
        require_integer("starts", starts)
        require_integer("generations", generations, least=0)
        more["prove"] = self.prove
        return DesignSearch.drawn(self.problem, starts, seed_of(rng), generations, **more)

    def _impossible(self, search: DesignSearch) -> NoDesignError:
        goal = Goal(relaxed=len(search.problem.requirements))
        least, *_ = search.solved(goal, search.starts[:4])
        problem, relaxations = search.problem, []
        for k, (asked, more) in enumerate(zip(problem.requirements, least.more, strict=True)):
            if more > HOLDS:
                measure = problem.measure(asked.measure)
                sign = -1.0 if measure.large_is_good else 1.0
                bound = asked.bound + sign * float(more) * float(problem.units[k])
                unit = measure.dimension.unit
                relaxations.append(Relaxation(asked.name, bound, asked.bound, unit))
        nearest = DesignResult(problem, least, search.scale)
        return NoDesignError(self.name, tuple(relaxations), nearest)
