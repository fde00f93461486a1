"""What a design came to: the machine, how far each requirement holds, what holds it back."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import optimize

from gough.arrays import Array
from gough.design.aims import DEXTERITY, ENERGY, TRAVEL, Requirement
from gough.design.between import proved_stroke_margin
from gough.design.demands import platform_pose
from gough.design.goals import Least
from gough.design.measures import LIMITS, Measure
from gough.design.problem import Problem
from gough.design.program import Program, Solved
from gough.design.search import HOLDS
from gough.design.variables import REACH
from gough.digits import short_decimal
from gough.robot import Robot
from gough.shown.brief import brief

_OF_SUMS = {ENERGY: "J", DEXTERITY: ""}
ACTIVE = 1e-5
"""What has less slack holds the design back."""


ROUNDING = 1e-9
"""Of an objective: what would be gained is none if it is less."""


@dataclass(frozen=True, eq=False)
class Held:
    """A requirement, and where it is nearest to its bound."""

    name: str
    bound: float
    """[unit]"""
    value: float
    """The worst of all states [unit]."""
    unit: str
    slack: float
    """How far within the bound, over the bound (of margins: itself); below 0 it fails."""
    of: str
    """The actuator, joint or limit that is worst."""
    demand: str
    state: int
    """The worst of all states."""
    pose: Array
    """(7) where."""
    proved: float | None = None
    """Slack that no pose of any box is below; None where boxes were searched, and not proved."""

    __repr__ = brief

    @property
    def holds(self) -> bool:
        """Whether it does, everywhere."""
        return self.slack >= -HOLDS


@dataclass(frozen=True)
class Holding:
    """What holds a design back: a requirement, or a bound of a variable."""

    name: str
    gain: float
    """How much better the first objective becomes [its unit] if it yields by one percent.

    Of its bound; of a margin by 0.01; of a variable by 0.01 of its range. Others stay as they are.
    """


@dataclass(frozen=True)
class Yielding:
    """A requirement that must yield for a design to be possible."""

    name: str
    bound: float
    """What it would have to be [unit]."""
    asked: float
    unit: str


@dataclass(frozen=True, eq=False)
class Designed:
    """A machine that was found."""

    problem: Problem
    solved: Solved
    scale: Array
    alike: tuple[int, int] = (1, 1)
    """From how many starts it was found, of how many."""

    def __repr__(self) -> str:
        words = ", ".join(f"{name}={short_decimal(v, 4)}" for name, v in self.objectives.items())
        return f"<gough designed {self.problem.robot.name}: {words or 'no objective'}>"

    @property
    def possible(self) -> bool:
        """Whether it holds all that is required."""
        return all(held.holds for held in self.requirements)

    @cached_property
    def robot(self) -> Robot:
        """The machine; RobotError if several variables together let none be."""
        return self.problem.space.made(self.solved.x)

    @property
    def variables(self) -> dict[str, float]:
        """What was chosen, by name [SI]."""
        return dict(zip(self.problem.space.names, self.solved.x.tolist(), strict=True))

    @cached_property
    def costs(self) -> Array:
        """(m) its objectives, all to be small [SI]."""
        (values,) = self.problem.judged(self.solved.x[None]).objectives
        return np.asarray(values)

    @property
    def objectives(self) -> dict[str, float]:
        """What it is worth, by the objectives' names [SI]."""
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
    def requirements(self) -> tuple[Held, ...]:
        """All requirements."""
        problem = self.problem
        values = problem.at(self.solved.x)
        sizes = problem.sizes(values)
        found = []
        for k, requirement in enumerate(problem.requirements):
            mine = np.flatnonzero(problem.sides.of == k)
            worst = np.where(np.isnan(sizes[:, mine]), np.inf, sizes[:, mine])
            state, side = np.unravel_index(int(worst.argmax()), worst.shape)
            entry = int(problem.sides.entry[mine[side]])
            measure = problem.measure(requirement.measure)
            slack = float((problem.bounds[k] - worst[state, side]) / problem.units[k])
            found.append(
                Held(
                    requirement.name,
                    requirement.bound,
                    _shown(measure, float(values[state, entry])),
                    measure.dimension.unit,
                    slack,
                    problem.labels[entry],
                    self._demand(int(state)),
                    int(state),
                    self._pose(int(state)),
                    self._proved(requirement, slack),
                )
            )
        return tuple(found)

    @cached_property
    def holding(self) -> tuple[Holding, ...]:
        """What holds it back, with what would be gained: exact to first order.

        From the multipliers of the active sides: their slopes make up that of the objective.
        """
        if not self.problem.objectives:
            return ()
        program = Program(self.problem, Least(np.eye(len(self.scale))[0]), self.scale)
        names, rows, slope = program.active(self.solved, ACTIVE)
        if not len(rows):
            return ()
        force, _ = optimize.nnls(rows.T, slope)
        gains: dict[str, float] = {}
        for name, multiplier in zip(names, force, strict=True):
            gains[name] = gains.get(name, 0.0) + 0.01 * float(multiplier) * float(self.scale[0])
        least = ROUNDING * float(self.scale[0])
        found = [Holding(name, gain) for name, gain in gains.items() if name and gain > least]
        return tuple(sorted(found, key=lambda one: -one.gain))

    def _proved(self, requirement: Requirement, slack: float) -> float | None:
        """Slack that is proved for all poses: of strokes of hexapods."""
        if requirement.measure != f"{LIMITS}.stroke":
            return None
        margin = proved_stroke_margin(self.problem, self.solved.x)
        return None if margin is None else min(margin - requirement.bound, slack)

    def _demand(self, state: int) -> str:
        counts = np.cumsum([len(demand) for demand in self.problem.demands])
        return self.problem.demands[int(np.searchsorted(counts, state, side="right"))].name

    def _pose(self, state: int) -> Array:
        pose, offset, weight, *_ = (part[state] for part in self.problem.states)
        reach = self.variables.get(REACH, 1.0)
        return platform_pose(pose, offset, float(weight), np.array(self.robot.home), reach)


def _unit(problem: Problem, name: str) -> str:
    if name in problem.space.names:
        return problem.space.unit(problem.space.names.index(name))
    if name in _OF_SUMS:
        return _OF_SUMS[name]
    measure = "position" if name == TRAVEL else name
    return problem.measure(measure).dimension.unit


def _shown(measure: Measure, value: float) -> float:
    return abs(value) if measure.either_sign else value
