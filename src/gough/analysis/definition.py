"""What is said of a quantity once, in its entry of the table: all but its values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gough.analysis.axes import LEG, Axis
from gough.analysis.ways import Way
from gough.compiler.front.argument import Argument


@dataclass(frozen=True)
class Figure:
    """A number that sums up a quantity, apart from its value: how it is made, and how it is shown.

    In a quantity's entry it has neither name nor unit nor meaning of its own: `of` gives it them.
    """

    way: Way | None = None
    """How it is made of the quantity alone; None where that needs more."""
    heading: str = ""
    """Of its column in a table; without one, its name."""
    title: str = ""
    """Where it stands by itself; without one, its name."""
    worst: Literal["max", "min", ""] = "max"
    """Which of the legs, and of the points of a grid, is the worst."""
    alarming: Literal["below zero", "above zero", ""] = ""
    """Where it says that a limit is passed."""
    beside: str = ""
    """The figure beside which it may be rounding as a whole."""
    is_count: bool = False
    """Whether it is a whole number, worth telling where it is not zero."""
    only_shown: bool = False
    """Whether it is made for a report alone, and not stored."""
    name: str = ""
    unit: str = ""
    meaning: str = ""
    quantity: Definition | None = None

    def of(self, quantity: Definition) -> Figure:
        """The figure of a quantity, named as its way says."""
        if self.way is None:
            return replace(self, quantity=quantity, unit=self.unit or quantity.unit)
        words = quantity.name.replace("_", " ")
        return replace(
            self,
            name=self.way.name.format(quantity.name),
            unit=self.way.unit or quantity.unit,
            meaning=self.way.meaning.format(words=words, meaning=quantity.meaning),
            quantity=quantity,
        )

    @property
    def of_forces(self) -> bool:
        """Whether it has no bound where forces have none."""
        return self.quantity is not None and self.quantity.of_forces


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
    figures: tuple[Figure, ...] = ()
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

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether values at one time can have this shape, whatever the number of legs."""
        labels = [axis.labels for axis in self.axes]
        return len(shape) == len(labels) and all(
            not names or len(names) == size for names, size in zip(labels, shape, strict=True)
        )

    def shape(self, legs: int) -> tuple[int, ...]:
        """Of the values at one time, of a machine with so many legs."""
        return tuple(len(axis.labels) if axis.parts else legs for axis in self.axes)

    def argument(self, legs: int) -> Argument:
        """As a result of a function, of a machine with so many legs."""
        return Argument(self.name, self.shape(legs), self.unit, self.meaning)
