"""What is said of a quantity once, in its entry of the table: all but its values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from gough.analysis.axes import LEG, Axis
from gough.analysis.ways import Way
from gough.compiler.front.argument import Argument


class Summed(NamedTuple):
    """A figure that a quantity is summed up in, and how a report shows it."""

    way: Way
    heading: str = ""
    """Of its column in a table; without one, its name."""
    title: str = ""
    """Where it stands by itself; without one, its name."""
    worst: Literal["max", "min", ""] = "max"
    """Which of the legs, and of the points of a grid, is the worst."""
    beside: str = ""
    """The figure beside which it may be rounding as a whole."""
    only_shown: bool = False
    """Whether it is made for a report alone, and not stored."""


@dataclass(frozen=True)
class Definition:
    """What a quantity is, apart from its values."""

    name: str
    group: str
    unit: str
    """Of all values; of a pose, twist or wrench that of the linear and of the angular part."""
    meaning: str
    axes: tuple[Axis, ...] = (LEG,)
    """Behind time."""
    titles: tuple[str, ...] = ()
    """Of its charts; without any, its name."""
    figures: tuple[Summed, ...] = ()
    kernel: str = ""
    """The kernel that gives it and, where that gives several results, which of them."""
    in_a_run: str = ""
    """What it means in a simulation, where that is something else."""
    part: str = ""
    """As a part of the actuator force."""
    of_forces: bool = False
    """Whether it has no bound where forces have none."""
    small: bool = False
    """Whether it is read in mm or mrad, or in what suits its size."""
    logarithmic: bool = False

    @property
    def of_a_run(self) -> Definition:
        """The same with what it means in a simulation."""
        return replace(self, meaning=self.in_a_run or self.meaning)

    def shape(self, legs: int) -> tuple[int, ...]:
        """Of the values at one time, of a machine with so many legs."""
        return tuple(len(axis.labels) if axis.parts else legs for axis in self.axes)

    def argument(self, legs: int) -> Argument:
        """As a result of a function, of a machine with so many legs."""
        return Argument(self.name, self.shape(legs), self.unit, self.meaning)
