"""Designs: from what may change, what must hold and what is best to a machine, or to many.

With actuators of a catalogue it is the best machine with each of them, or why none is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from gough.disk.plain_data import PlainData, PlainMapping
from gough.display import Brief, Head, Several, Table
from gough.errors import GoughError, about_file
from gough.executors import Executor, in_chunks, opened
from gough.fields.user_files import read_table
from gough.model.structure import structure_of
from gough.model.variables import variables
from gough.progress import shows_progress
from gough.robot import Robot
from gough.sizing.mounting import Mount, with_actuator
from gough.sizing.records import Catalogue, CatalogueActuator, load_catalogue

STARTS = 12
POINTS = 15
_ALIKE = 1e-4  # maximum distance of objectives of solutions that count as the same


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
        from gough.design.reading import design_of  # noqa: PLC0415  (tables are slow to make)

        data = read_table(Path(path), "a design file")
        with about_file(Path(path)):
            return design_of(data, Path(path).parent)

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
            problem = f"{self.name}: a front needs at least two objectives"
            raise GoughError(f"{problem}; it has {len(self.objectives)}")
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
        least, *_ = search.solved(Goal(relaxed=len(search.problem.requirements)), search.starts[:4])
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


STROKE = ("leg.stroke.shortest", "leg.stroke.longest")
ANY_STROKE = (1e-3, 1e3)  # [m]
ALIKE = 3  # number of digits to which the objectives of two machines must agree to rank equal


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Brief):
    """An actuator, and the best machine with it."""

    actuator: CatalogueActuator
    designed: DesignResult | None
    """None where not all requirements can hold with it."""
    problem: str = ""
    """Why not, in words."""


@dataclass(frozen=True, eq=False)
class Choices(Several[Choice]):
    """The best machine with each actuator of a catalogue, the best of them first."""

    name: str
    """Name of the design."""
    parts: tuple[Choice, ...]

    @property
    def designs(self) -> tuple[DesignResult, ...]:
        """The machines of those actuators that suffice."""
        return tuple(one.designed for one in self.parts if one.designed is not None)

    @property
    def actuators(self) -> tuple[str, ...]:
        """The names of these actuators."""
        return tuple(one.actuator.name for one in self.parts if one.designed is not None)

    @property
    def heading(self) -> tuple[str, str]:
        """The design, and what this is."""
        return self.name, "with actuators of a catalogue"

    def tables(self) -> list[Table]:
        """A row for each actuator: whether it suffices, and what the machine is worth."""
        first, rows = next(iter(self.designs), None), []
        units = {} if first is None else {n: first.units[n] for n in first.objectives}
        for actuator, found, problem in ((c.actuator, c.designed, c.problem) for c in self.parts):
            worth = (found.objectives[n] if found else None for n in units)
            rows.append((actuator.name, found is not None, *worth, problem))
        heads = [Head(name, unit) for name, unit in units.items()]
        return [Table.of("", ("actuator", "suffices", *heads, "what it would need"), rows)]

    def to_dict(self) -> PlainData:
        """All machines and actuators as plain data."""
        named = [{"name": one.actuator.name, "problem": one.problem} for one in self.parts]
        return {"designs": [one.to_dict() for one in self.designs], "actuators": named}


def choices(
    design: Design,
    catalogue: Catalogue | PlainMapping | str | Path | None = None,
    *,
    piece: float = 0.0,
    executor: Executor = None,
    **search: Any,
) -> Choices:
    """The best machine with each actuator of a catalogue, the best of them first.

    Each comes into all legs of a hexapod with its masses, its stroke and a `piece` [m] between rod
    and joint; its force and its speed stay below what it can do. Left out, the catalogue is Gough's
    own. `search` is what `Design.optimise` takes.
    """
    known, parts = load_catalogue(catalogue).actuators, list[Choice]()
    if piece < 0:
        raise GoughError(f"piece={piece}; expected a length of at least 0 m")
    with opened(executor) as workers:
        for actuator, asked in zip(known, _designs(design, known, piece), strict=True):
            try:
                found = Choice(actuator, asked.optimise(executor=workers, **search))
            except NoDesignError as error:
                found = Choice(actuator, None, error.needed)
            parts.append(found)
    scale = next((one.designed.scale for one in parts if one.designed is not None), np.ones(0))

    def rank(choice: Choice) -> tuple[bool, float, float]:
        """Feasible first, the minimum sum of objectives, then the smaller actuator."""
        found = choice.designed
        cost = 0.0 if found is None else float((found.costs / scale).sum())
        return found is None, float(f"{cost:.{ALIKE}g}"), choice.actuator.peak_force

    return Choices(design.name, tuple(sorted(parts, key=rank)))


def _designs(design: Design, known: Sequence[CatalogueActuator], piece: float) -> Iterator[Design]:
    """The design with each actuator. Those that state the same numbers share their kernels."""
    shortest, longest = ANY_STROKE
    endless = [one.model_copy(update={"stroke": longest - shortest}) for one in known]
    mount = Mount(shortest, piece)  # the robot has yet to be made for the stroke
    stated = [variables(with_actuator(design.robot, actuator, mount)) for actuator in endless]
    for actuator, one in zip(known, stated, strict=True):
        alike = [other for other in stated if other.names == one.names]
        differing = np.ptp([other.values for other in alike], axis=0)
        own = zip(one.names, one.values.tolist(), differing, strict=True)
        fixed = {name: value for name, value, differs in own if differs}
        start = actuator.retracted_length + piece
        fixed |= {STROKE[0]: start, STROKE[1]: start + actuator.stroke}
        required = (*design.requirements, *_bounds(design, actuator))
        yield replace(design, robot=alike[0].robot, requirements=required, fixed=fixed)


def _bounds(design: Design, actuator: CatalogueActuator) -> Iterator[Requirement]:
    """Yield the limits of an actuator, unless the design requires less."""
    for name, largest in (("force", actuator.peak_force), ("speed", actuator.max_speed)):
        asked = [one.bound for one in design.requirements if one.measure == name]
        if not asked or min(asked) > largest:
            yield Requirement(name, largest)
