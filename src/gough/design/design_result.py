"""Result of a design: the machine, the slack of each requirement, the active limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy import optimize

from gough.arrays import Array
from gough.design.demands import platform_pose
from gough.design.measures import DEXTERITY, ENERGY, SIMULATED, TRAVEL
from gough.design.problem import HOLDS, Problem
from gough.design.program import DesignProgram, Goal, Solved
from gough.design.proved import RESERVE, RequirementProof
from gough.design.variables import REACH
from gough.digits import short_decimal
from gough.disk.plain_data import PlainData
from gough.display import Brief, Cell, Displayable, Head, Table, TableRow, data_of
from gough.robot import Robot

_OF_SUMS = {ENERGY: "J", DEXTERITY: ""}
_NO_SLACK = 1e-6  # slack below which a requirement counts as met: rounding error
ACTIVE = 1e-5  # slack below which a limit is active
ROUNDING = 1e-9  # improvement of an objective below which it counts as zero


@dataclass(frozen=True, eq=False, repr=False)
class ConstraintValue(Brief):
    """A requirement at the state nearest to its bound."""

    name: str
    bound: float
    """[unit]"""
    value: float
    """Worst value of all states [unit]."""
    unit: str
    slack: float
    """Distance within the bound, over the bound (of margins: itself); below 0 it fails."""
    of: str
    """The actuator, joint or limit that is worst."""
    demand: str
    state: int
    """The worst of all states."""
    pose: Array
    """(7) its pose."""
    proof: RequirementProof | None = None
    """Whether it is proved everywhere; None where boxes were searched, and no proof asked for."""
    listed: ClassVar = "holds"

    @property
    def holds(self) -> bool:
        """Whether it does, everywhere."""
        return self.slack >= -HOLDS


@dataclass(frozen=True)
class ActiveConstraint:
    """A limit that is active at the design: a requirement, or a bound of a variable."""

    name: str
    gain: float
    """Improvement of the first objective [its unit] if the limit is relaxed by one percent.

    One percent of its bound; of a margin 0.01; of a variable 0.01 of its range. Others are kept.
    """


@dataclass(frozen=True)
class Relaxation:
    """A requirement that must be relaxed for a feasible design."""

    name: str
    bound: float
    """The bound that would be feasible [unit]."""
    asked: float
    unit: str


@dataclass(frozen=True, eq=False)
class DesignResult(Displayable):
    """A machine that was found.

    >>> import gough
    >>> from gough.design import Objective, Variable, demands
    >>> robot, task = gough.load("demo-hexapod"), demands.box({"x": 0.05, "z": 0.05})
    >>> radius = Variable("symmetric.base_radius", 0.4, 1.0)  # [m]
    >>> design = gough.Design(robot, [radius], [task], objectives=[Objective("force")])
    >>> bool(0.4 <= design.optimise(starts=1).variables["symmetric.base_radius"] <= 1.0)
    True
    """

    problem: Problem
    solved: Solved
    scale: Array
    alike: tuple[int, int] = (1, 1)
    """From how many starts it was found, of how many."""

    def __repr__(self) -> str:
        words = ", ".join(f"{name}={short_decimal(v, 4)}" for name, v in self.objectives.items())
        return f"<gough designed {self.problem.robot.name}: {words or 'no objective'}>"

    @property
    def designs(self) -> tuple[DesignResult, ...]:
        """The machine itself, as where there are several."""
        return (self,)

    @property
    def heading(self) -> tuple[str, str]:
        """The robot that the search began with, and what this is."""
        found = f"design found from {self.alike[0]} of {self.alike[1]} starts"
        return self.problem.robot.name, found

    def tables(self) -> list[Table]:
        """Objectives and variables, and the requirements."""
        both = {"Objectives": self.objectives, "Variables": self.variables}
        chosen = [
            Table.properties(title, [(name, x, self.units[name]) for name, x in values.items()])
            for title, values in both.items()
            if values
        ]
        return [*chosen, self.requirement_table()]

    def requirement_table(self) -> Table:
        """Each requirement where it is nearest to its bound, and what relaxing it would gain."""
        heads = (
            Head("Requirement", kind="words"),
            Head("Worst"),
            Head("Bound"),
            Head("Slack", hint="how far within the bound, over the bound; of margins themselves"),
            Head("Everywhere", hint="slack that is proved in all states; or searched alone"),
            Head("Of", kind="words"),
            Head("In", kind="words"),
        )
        rows = [TableRow(_cells(one), point=k) for k, one in enumerate(self.requirements, 1)]
        title = "Requirements, each where it is nearest to its bound"
        return Table(title, heads, rows, "\n".join(self.gains))

    @property
    def gains(self) -> list[str]:
        """Return a sentence for each active limit on the gain of relaxing it."""
        objective = next(iter(self.objectives), "")
        unit = self.units.get(objective, "")
        better = f"by 1 % improves {objective} by"
        found = [(one.name, f"{one.gain:.3g} {unit}".rstrip()) for one in self.active_constraints]
        return [f"relaxing {name} {better} {gain}" for name, gain in found]

    def to_dict(self) -> PlainData:
        """Everything but the robot as plain data."""
        names = "possible variables objectives requirements active_constraints"
        return data_of(self, names) | {
            "starts": dict(zip(("alike", "all"), self.alike, strict=True))
        }

    @property
    def possible(self) -> bool:
        """Whether it holds all that is required."""
        return all(one.holds for one in self.requirements)

    @cached_property
    def robot(self) -> Robot:
        """The machine; RobotError if several variables together let none be."""
        return self.problem.space.made(self.solved.x)

    @property
    def variables(self) -> dict[str, float]:
        """The chosen values, by name [SI]."""
        return dict(zip(self.problem.space.names, self.solved.x.tolist(), strict=True))

    @cached_property
    def costs(self) -> Array:
        """(m) its objectives, all to be small [SI]."""
        (values,) = self.problem.evaluated(self.solved.x[None]).objectives
        return np.asarray(values)

    @property
    def objectives(self) -> dict[str, float]:
        """The values of the objectives, by name [SI]."""
        return {
            objective.name: float(-cost if objective.maximise else cost)
            for objective, cost in zip(self.problem.objectives, self.costs, strict=True)
        }

    @property
    def units(self) -> dict[str, str]:
        """Units of variables and objectives, by name; none of what is a mere number."""
        problem = self.problem
        found = {name: _unit(problem, name) for name in problem.space.names}
        return found | {one.name: _unit(problem, one.name) for one in problem.objectives}

    @cached_property
    def requirements(self) -> tuple[ConstraintValue, ...]:
        """All requirements."""
        problem = self.problem
        values = problem.at(self.solved.x)
        sizes = problem.sizes(values)
        owners = [demand.name for demand in problem.demands for _ in range(len(demand))]
        found = []
        for k, requirement in enumerate(problem.requirements):
            mine = np.flatnonzero(problem.sides.of == k)
            worst = np.where(np.isnan(sizes[:, mine]), np.inf, sizes[:, mine])
            state, side = map(int, np.unravel_index(int(worst.argmax()), worst.shape))
            entry = int(problem.sides.entry[mine[side]])
            measure = problem.measure(requirement.measure)
            slack = float((problem.bounds[k] - worst[state, side]) / problem.units[k])
            value = float(values[state, entry])
            value = abs(value) if measure.either_sign else value
            name, bound, unit = requirement.name, requirement.bound, measure.dimension.unit
            of, demand, pose = problem.labels[entry], owners[state], self._pose(state)
            proof = self.solved.proofs[k] if self.solved.proofs else None
            found.append(
                ConstraintValue(name, bound, value, unit, slack, of, demand, state, pose, proof)
            )
        return tuple(found)

    @cached_property
    def active_constraints(self) -> tuple[ActiveConstraint, ...]:
        """Active limits with the gain of relaxing each, to first order: by multipliers."""
        if not self.problem.objectives:
            return ()
        program = DesignProgram(self.problem, Goal(np.eye(len(self.scale))[0]), self.scale)
        within = ACTIVE + (RESERVE if self.solved.proofs else 0.0)
        names, rows, slope = program.active(self.solved, within)
        if not len(rows):
            return ()
        force, _ = optimize.nnls(rows.T, slope)
        gains: dict[str, float] = {}
        for name, multiplier in zip(names, force, strict=True):
            gains[name] = gains.get(name, 0.0) + 0.01 * float(multiplier) * float(self.scale[0])
        least = ROUNDING * float(self.scale[0])
        found = [
            ActiveConstraint(name, gain) for name, gain in gains.items() if name and gain > least
        ]
        return tuple(sorted(found, key=lambda one: -one.gain))

    def _pose(self, state: int) -> Array:
        pose, offset, weight, *_ = (part[state] for part in self.problem.states)
        reach = self.variables.get(REACH, 1.0)
        return platform_pose(pose, offset, float(weight), np.array(self.robot.home), reach)


def designs_table(designs: Sequence[DesignResult], names: Iterable[object]) -> Table:
    """A row for each machine, by these names: its objectives and its variables."""
    first = designs[0]
    named = (Head(name, first.units[name] or "1") for name in (*first.objectives, *first.variables))
    heads = [Head("Machine", kind="words"), *named]
    rows = []
    for k, (one, name) in enumerate(zip(designs, names, strict=True)):
        values = (*one.objectives.values(), *one.variables.values())
        cells = [Cell(str(name), kind="words"), *(Cell(x, order=str(x)) for x in values)]
        rows.append(TableRow(cells, point=k))
    return Table("All machines", heads, rows)


def _cells(one: ConstraintValue) -> list[Cell]:
    value, slack = (0.0 if abs(x) < _NO_SLACK else x for x in (one.value, one.slack))
    proved = "searched" if one.proof is None else str(one.proof)
    return [
        Cell(one.name, kind="words"),
        Cell(one.value if one.bound else value, one.unit),
        Cell(one.bound, one.unit),
        Cell(slack, kind="" if one.holds else "alert"),
        Cell(proved),
        Cell(one.of, kind="words"),
        Cell(one.demand, kind="words"),
    ]


def _unit(problem: Problem, name: str) -> str:
    if name in problem.space.names:
        return problem.space.unit(problem.space.names.index(name))
    if name in _OF_SUMS:
        return _OF_SUMS[name]
    if name in SIMULATED:
        name = SIMULATED[name]
    return problem.measure("position" if name == TRAVEL else name).dimension.unit
