"""What a design may change: numbers of a robot's file, and how far its boxes of poses reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.model.parameters import machine_of_parameters
from gough.model.variables import Variables, variables
from gough.robot import Robot

REACH = "reach"
"""The variable that is no number of the file: by what factor all boxes of poses are larger."""


@dataclass(frozen=True)
class Variable:
    """A number of the robot's file, or several, with the least and the largest it may be [SI].

    `number` is a name or a pattern, as `gough.model.variables` has them. What a pattern means
    are variables of their own, or, `together`, the same number everywhere. "reach" is the factor
    of all boxes of poses.
    """

    number: str
    least: float
    largest: float
    together: bool = False
    about: bool = False
    """Whether least and largest count from what the file says."""

    def __post_init__(self) -> None:
        if not self.least < self.largest:
            raise GoughError(
                f"{self.number}: from {self.least:g} to {self.largest:g}; expected the least "
                "first, below the largest"
            )


@dataclass(frozen=True, eq=False)
class Space:
    """All variables of a design: x (d), each between its bounds, and the machines they make."""

    stated: Variables
    names: tuple[str, ...]
    """(d)"""
    places: tuple[tuple[int, ...], ...]
    """(d) of what each of them is among the file's numbers; none for the reach."""
    low: Array
    high: Array

    @classmethod
    def of(cls, robot: Robot, given: Sequence[Variable]) -> Space:
        """The space that variables span. GoughError if they name nothing, or one number twice."""
        stated = variables(robot)
        found: list[tuple[str, tuple[int, ...], float, float]] = []
        for one in given:
            found += _spread(stated, one)
        if not found:
            raise GoughError("a design without variables; expected at least one")
        names, places, low, high = zip(*found, strict=True)
        taken = [place for some in places for place in some] + [n for n in names if n == REACH]
        if twice := next((place for place in taken if taken.count(place) > 1), None):
            name = twice if isinstance(twice, str) else stated.names[twice]
            raise GoughError(f"{name} is a variable twice; expected each number once")
        return cls(stated, names, places, np.array(low), np.array(high))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def start(self) -> Array:
        """(d) what the file says, brought within the bounds."""
        own = [self.stated.values[list(p)].mean() if p else 1.0 for p in self.places]
        return np.clip(own, self.low, self.high)

    def robot(self, x: Any) -> Robot:
        """The robot of variables (d); RobotError if there cannot be one."""
        values = self.stated.values.copy()
        for place, number in zip(self.places, np.asarray(x, dtype=float), strict=True):
            values[list(place)] = number
        return self.stated.made(values)

    def scaled(self, x: Any) -> Array:
        """Variables as shares of their ranges, from 0 to 1."""
        return np.asarray((np.asarray(x, dtype=float) - self.low) / (self.high - self.low))

    def unscaled(self, shares: Any) -> Array:
        """Variables (..., d) of shares of their ranges."""
        return np.asarray(self.low + np.asarray(shares) * (self.high - self.low))


def machine_in(
    robot: Robot, places: tuple[tuple[int, ...], ...], names: tuple[str, ...], x: Any
) -> tuple[Any, Any]:
    """The machine of symbols x (d), whose other numbers are constants; and its reach."""
    stated = variables(robot)
    values, reach = ca.SX(ca.DM(stated.values)), ca.SX(1)
    for k, place in enumerate(places):
        if names[k] == REACH:
            reach = x[k]
        for entry in place:
            values[entry] = x[k]
    return machine_of_parameters(robot, stated.expression(values)), reach


def _spread(stated: Variables, one: Variable) -> list[tuple[str, tuple[int, ...], float, float]]:
    """The variables that one stands for: name, places, bounds."""
    if one.number == REACH:
        return [(REACH, (), one.least, one.largest)]
    meant = stated.matching([one.number])
    places = [stated.names.index(name) for name in meant]
    own = stated.values[places] if one.about else np.zeros(len(places))
    if one.together:
        mean = float(own.mean())
        return [(one.number, tuple(places), mean + one.least, mean + one.largest)]
    return [
        (name, (place,), float(base) + one.least, float(base) + one.largest)
        for name, place, base in zip(meant, places, own, strict=True)
    ]
