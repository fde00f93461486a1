"""Variables of a design: numbers of a robot's file, and a factor of its boxes of poses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError, RobotError
from gough.fields.values import OUT_OF_RANGE
from gough.model import Machines, Variables, variables
from gough.robot import Robot

REACH = "reach"
"""The variable that is no number of the file: by what factor all boxes of poses are larger."""


@dataclass(frozen=True)
class Variable:
    """A number of the robot's file, or several, with its minimum and maximum [SI].

    `number` is a name or a pattern, as `gough.model.variables` has them. What a pattern means
    are variables of their own, or, `together`, the same number everywhere. "reach" is the factor
    of all boxes of poses. With a linear `density` [kg/m] the numbers are lengths of slender links,
    whose masses and inertias follow them.
    """

    number: str
    minimum: float
    maximum: float
    together: bool = False
    about: bool = False
    """Whether minimum and maximum are relative to the file's value."""
    density: float | None = None

    def __post_init__(self) -> None:
        if not -np.inf < self.minimum < self.maximum < np.inf:
            problem = f"{self.number}: from {self.minimum:g} to {self.maximum:g}"
            expected = "the minimum first, below the maximum, both finite"
            raise GoughError(f"{problem}; expected {expected}")


class Follower(NamedTuple):
    """A number of the robot's file that is a monomial of a variable: factor · x^power."""

    number: str
    factor: float = 1.0
    power: int = 1


_Spread = tuple[str, tuple[Follower, ...], float, float, float]
"""Name, numbers of the file, what it says, and bounds of a variable."""
Laws = tuple[tuple[int, float, int], ...]
"""Variable, factor and power of each number of a family."""


@dataclass(frozen=True, eq=False)
class DesignSpace:
    """All variables of a design: x (d), each between its bounds, and the machines they make."""

    robot: Robot  # the machine to begin with
    names: tuple[str, ...]  # (d)
    numbers: tuple[tuple[Follower, ...], ...]
    """(d) the file's numbers that follow each of them; none for the reach."""
    stated: Array  # (d) what the file says; the mean where several numbers are one variable
    low: Array
    high: Array
    fixed: Mapping[str, float]
    """Numbers of the file that are others than there, and no variables: of actuators chosen."""

    @classmethod
    def of(
        cls, robot: Robot, given: Sequence[Variable], fixed: Mapping[str, float] | None = None
    ) -> Self:
        """The space that variables span. GoughError if one names no number, or a number twice."""
        stated = variables(robot)
        found = [one for variable in given for one in _spread(stated, variable)]
        if not found:
            raise GoughError("a design without variables; expected at least one")
        names, numbers, own, low, high = zip(*found, strict=True)
        taken = [one.number for some in numbers for one in some] + [n for n in names if n == REACH]
        if twice := next((name for name in taken if taken.count(name) > 1), None):
            raise GoughError(f"{twice} is a variable twice; expected each number once")
        others = {name: x for name, x in (fixed or {}).items() if name not in taken}
        return cls(robot, names, numbers, np.array(own), np.array(low), np.array(high), others)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def machines(self) -> Machines:
        """The family of machines that the variables make, for which kernels are made."""
        family = [*(one.number for some in self.numbers for one in some), *self.fixed]
        return Machines(self.robot, parametric=family or False)

    @property
    def start(self) -> Array:
        """(d) what the file says, brought within the bounds."""
        return np.clip(self.stated, self.low, self.high)

    def made(self, x: ArrayLike) -> Robot:
        """The robot of variables (d); RobotError if there cannot be one."""
        if not self.machines.family:
            return self.robot
        return self.machines.made(np.array(followed(self.full(x), self.laws)))

    def check_ends(self) -> None:
        """Refuse an end of a range that no robot's file takes, such as a mass below zero."""
        for which, end in (("minimum", self.low), ("maximum", self.high)):
            for k, name in enumerate(self.names if self._refused(end) else ()):
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

    def full(self, x: ArrayLike) -> Array:
        """Variables (..., d) with what is fixed: (..., d + f), as kernels take them."""
        given = np.asarray(x, dtype=float)
        rest = np.broadcast_to([*self.fixed.values()], (*given.shape[:-1], len(self.fixed)))
        return np.concatenate([given, rest], axis=-1)

    @cached_property
    def laws(self) -> Laws:
        """Laws by which the numbers of the family follow the variables and what is fixed."""
        known = {n: (k, a, p) for k, some in enumerate(self.numbers) for n, a, p in some}
        known |= {name: (k, 1.0, 1) for k, name in enumerate(self.fixed, len(self.names))}
        return tuple(known[name] for name in self.machines.family)

    def unit(self, k: int) -> str:
        """Return the unit of a variable."""
        some = self.numbers[k]
        return variables(self.robot).dimension(some[0].number).unit if some else ""

    def scaled(self, x: ArrayLike) -> Array:
        """Variables as shares of their ranges, from 0 to 1."""
        return np.asarray((np.asarray(x, dtype=float) - self.low) / (self.high - self.low))

    def unscaled(self, shares: ArrayLike) -> Array:
        """Variables (..., d) of shares of their ranges."""
        return np.asarray(self.low + np.asarray(shares) * (self.high - self.low))


def followed(x: Array | Value, laws: Laws) -> list[Any]:
    """Numbers of a family, from variables as values or as symbols."""
    return [factor * x[k] ** power for k, factor, power in laws]


def _spread(stated: Variables, one: Variable) -> list[_Spread]:
    """The variables that one stands for."""
    if one.number == REACH:
        return [(REACH, (), 1.0, one.minimum, one.maximum)]
    names = stated.matching([one.number])
    values = [float(stated.values[stated.names.index(name)]) for name in names]
    numbers = [tuple(_followers(stated, name, one.density)) for name in names]
    if one.together:
        names, values = [one.number], [float(np.mean(values))]
        numbers = [tuple(number for some in numbers for number in some)]
    bases = [own if one.about else 0.0 for own in values]
    low, high = ([base + end for base in bases] for end in (one.minimum, one.maximum))
    return list(zip(names, numbers, values, low, high, strict=True))


def _followers(stated: Variables, name: str, density: float | None) -> Iterator[Follower]:
    """Yield a number, and with a linear density ρ what follows the length l of a slender link.

    Mass ρ l, mass centre l / 2, and across it the inertia ρ l³ / 12.
    """
    yield Follower(name)
    if density is None:
        return
    link, _, key = name.rpartition(".")
    if key != "length" or f"{link}.mass" not in stated.names:
        raise GoughError(
            f"{name}: a density of {density:g} kg/m; expected one of the length of a link with a "
            'mass, such as "leg.links[0].length"'
        )
    yield Follower(f"{link}.mass", density)
    yield Follower(f"{link}.center_of_mass", 0.5)
    for axis in ("xx", "yy"):
        yield Follower(f"{link}.inertia.{axis}", density / 12, 3)
