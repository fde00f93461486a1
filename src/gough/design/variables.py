"""Variables of a design: numbers of a robot's file, and a factor of its boxes of poses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.errors import GoughError, RobotError
from gough.fields.values import OUT_OF_RANGE
from gough.model.machines import Machines
from gough.model.variables import Variables, variables
from gough.robot import Robot

REACH = "reach"
"""The variable that is no number of the file: by what factor all boxes of poses are larger."""


@dataclass(frozen=True)
class Variable:
    """A number of the robot's file, or several, with its minimum and maximum [SI].

    `number` is a name or a pattern, as `gough.model.variables` has them. What a pattern means
    are variables of their own, or, `together`, the same number everywhere. "reach" is the factor
    of all boxes of poses.
    """

    number: str
    minimum: float
    maximum: float
    together: bool = False
    about: bool = False
    """Whether minimum and maximum are relative to the file's value."""

    def __post_init__(self) -> None:
        if not -np.inf < self.minimum < self.maximum < np.inf:
            raise GoughError(
                f"{self.number}: from {self.minimum:g} to {self.maximum:g}; expected the minimum "
                "first, below the maximum, both finite"
            )


@dataclass(frozen=True, eq=False)
class DesignSpace:
    """All variables of a design: x (d), each between its bounds, and the machines they make."""

    robot: Robot
    """The machine to begin with."""
    names: tuple[str, ...]
    """(d)"""
    numbers: tuple[tuple[str, ...], ...]
    """(d) which of the file's numbers each of them is; none for the reach."""
    low: Array
    high: Array
    fixed: Mapping[str, float]
    """Numbers of the file that are others than there, and no variables: of actuators chosen."""

    @classmethod
    def of(
        cls, robot: Robot, given: Sequence[Variable], fixed: Mapping[str, float] | None = None
    ) -> DesignSpace:
        """The space that variables span. GoughError if one names no number, or a number twice."""
        stated = variables(robot)
        found = [one for variable in given for one in _spread(stated, variable)]
        if not found:
            raise GoughError("a design without variables; expected at least one")
        names, numbers, low, high = zip(*found, strict=True)
        taken = [name for some in numbers for name in some] + [n for n in names if n == REACH]
        if twice := next((name for name in taken if taken.count(name) > 1), None):
            raise GoughError(f"{twice} is a variable twice; expected each number once")
        held = {name: x for name, x in (fixed or {}).items() if name not in taken}
        return cls(robot, names, numbers, np.array(low), np.array(high), held)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def machines(self) -> Machines:
        """The family of machines that the variables make, for which kernels are made."""
        family = [*(name for some in self.numbers for name in some), *self.fixed]
        return Machines(self.robot, parametric=family or False)

    @property
    def start(self) -> Array:
        """(d) what the file says, brought within the bounds."""
        stated = variables(self.robot)
        own = dict(zip(stated.names, stated.values, strict=True))
        means = [np.mean([own[name] for name in some]) if some else 1.0 for some in self.numbers]
        return np.clip(means, self.low, self.high)

    def made(self, x: ArrayLike) -> Robot:
        """The robot of variables (d); RobotError if there cannot be one."""
        if not self.machines.family:
            return self.robot
        return self.machines.made(self.full(x)[list(self.owners)])

    def check_ends(self) -> None:
        """GoughError if no robot's file takes an end of a range, as a mass below zero.

        Where only several numbers together make no machine, the search goes elsewhere.
        """
        for which, end in (("minimum", self.low), ("maximum", self.high)):
            if self._refused(end):
                for k, name in enumerate(self.names):
                    alone = self.start
                    alone[k] = end[k]
                    if why := self._refused(alone).get(float(end[k])):
                        span = f"from {self.low[k]:g} to {self.high[k]:g} {self.unit(k)}".rstrip()
                        raise GoughError(f"{name}: {span}, but no machine has its {which}: {why}")

    def _refused(self, x: Array) -> dict[float, str]:
        """Numbers that no robot's file takes, whatever else is in it, and why."""
        try:
            self.made(x)
        except RobotError as error:
            beyond = [one for one in error.problems if one.problem == OUT_OF_RANGE]
            return {one.value: str(one) for one in beyond if isinstance(one.value, float)}
        return {}

    @property
    def full_names(self) -> tuple[str, ...]:
        """(d + f) of the variables and of what is fixed."""
        return (*self.names, *self.fixed)

    def full(self, x: ArrayLike) -> Array:
        """Variables (..., d) with what is fixed: (..., d + f), as kernels take them."""
        given = np.asarray(x, dtype=float)
        rest = np.broadcast_to([*self.fixed.values()], (*given.shape[:-1], len(self.fixed)))
        return np.concatenate([given, rest], axis=-1)

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The place among these that each number of the family has."""
        mine = {name: k for k, some in enumerate(self.numbers) for name in some}
        mine |= {name: k for k, name in enumerate(self.fixed, len(self.names))}
        return tuple(mine[name] for name in self.machines.family)

    def unit(self, k: int) -> str:
        """Return the unit of a variable."""
        some = self.numbers[k]
        return variables(self.robot).dimension(some[0]).unit if some else ""

    def scaled(self, x: ArrayLike) -> Array:
        """Variables as shares of their ranges, from 0 to 1."""
        return np.asarray((np.asarray(x, dtype=float) - self.low) / (self.high - self.low))

    def unscaled(self, shares: ArrayLike) -> Array:
        """Variables (..., d) of shares of their ranges."""
        return np.asarray(self.low + np.asarray(shares) * (self.high - self.low))


def _spread(stated: Variables, one: Variable) -> list[tuple[str, tuple[str, ...], float, float]]:
    """The variables that one stands for: name, numbers of the file, bounds."""
    if one.number == REACH:
        return [(REACH, (), one.minimum, one.maximum)]
    meant = stated.matching([one.number])
    own = [float(stated.values[stated.names.index(name)]) if one.about else 0.0 for name in meant]
    if one.together:
        mean = float(np.mean(own))
        return [(one.number, tuple(meant), mean + one.minimum, mean + one.maximum)]
    return [
        (name, (name,), base + one.minimum, base + one.maximum)
        for name, base in zip(meant, own, strict=True)
    ]
