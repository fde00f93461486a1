"""What is said of a quantity once, in its entry of the table: all but its values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

import numpy as np

from gough.analysis.axes import LEG, TURNING, Axis
from gough.analysis.traits import ANY_MACHINE, Trait
from gough.analysis.ways import Way
from gough.arrays import Array
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


@dataclass(frozen=True, eq=False)
class Alike:
    """Places of a quantity's first axis that share a unit: what one figure can be about."""

    unit: str
    labels: tuple[str, ...] = ()
    """Of joints; none where all places are meant, counted or of no machine."""
    places: tuple[int, ...] = ()
    suffix: str = ""
    """Of the figure's name, where joints that turn and joints that slide have one each."""

    def of(self, values: Array) -> Array:
        """Their part of (T, n, ...) or (n,) values."""
        axis = min(values.ndim - 1, 1)
        is_all = not self.labels or len(self.places) == values.shape[axis]
        return values if is_all else np.take(values, self.places, axis=axis)


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
    turning: str = ""
    """The unit of a joint that turns, where that is another."""
    of: Trait = ANY_MACHINE
    """What a machine must be like to have it."""
    titles: tuple[str, ...] = ()
    """Of its charts; without any, its name."""
    figures: tuple[Figure, ...] = ()
    kernel: str = ""
    """The kernel that gives it and, where that gives several results, which of them."""
    unit_elsewhere: str = ""
    """Of machines that are no hexapods, where that is another."""
    elsewhere: str = ""
    """What it means of machines that are no hexapods, where that is something else."""
    in_a_run: str = ""
    """What it means in a simulation, where that is something else."""
    part: str = ""
    """As a part of the actuator force."""
    of_forces: bool = False
    """Whether it has no bound where forces have none."""
    small: bool = False
    """Whether it is read in mm or mrad, or in what suits its size."""
    logarithmic: bool = False

    def on(self, axes: Mapping[Axis, Axis]) -> Definition:
        """The same of one machine whose joints have names and units; of a hexapod as it is."""
        if not axes:
            return self
        own = tuple(axes.get(axis, axis) for axis in self.axes)
        unit = self._unit(own[0]) if self.turning else self.unit_elsewhere or self.unit
        return replace(self, axes=own, unit=unit, meaning=self.elsewhere or self.meaning)

    def _unit(self, joints: Axis) -> str:
        """Of all joints, or of each part of their axis."""
        units = [self.turning if part.name == TURNING else self.unit for part in joints.parts]
        return units[0] if len(set(units)) == 1 else ", ".join(units)

    @property
    def whole(self) -> Alike:
        """All places of its first axis, for what does not depend on their units."""
        labels = self.axes[0].labels if self.axes and self.axes[0].of_machine else ()
        return Alike(self.unit, labels, tuple(range(len(labels))))

    def by_unit(self) -> list[Alike]:
        """The places of its first axis, joints that turn and joints that slide apart."""
        whole, units = self.whole, self.unit.split(", ")
        if not whole.labels or len(units) == 1:
            return [whole]
        kinds: dict[str, Alike] = {}
        places = iter(whole.places)
        for part, unit in zip(self.axes[0].parts, units, strict=True):
            kind = kinds.get(part.name) or Alike(unit, suffix=f"_{part.name}")
            labels, own = kind.labels + part.labels, tuple(islice(places, len(part.labels)))
            kinds[part.name] = replace(kind, labels=labels, places=kind.places + own)
        return list(kinds.values())

    @property
    def of_a_run(self) -> Definition:
        """The same with what it means in a simulation."""
        return replace(self, meaning=self.in_a_run or self.meaning)

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether values at one time can have this shape, whatever is counted."""
        labels = [axis.labels for axis in self.axes]
        return len(shape) == len(labels) and all(
            not names or len(names) == size for names, size in zip(labels, shape, strict=True)
        )

    def shape(self, actuators: int) -> tuple[int, ...]:
        """Of the values at one time, of a machine with so many actuators."""
        return tuple(len(axis.labels) if axis.parts else actuators for axis in self.axes)

    def argument(self, actuators: int) -> Argument:
        """As a result of a function, of a machine with so many actuators."""
        return Argument(self.name, self.shape(actuators), self.unit, self.meaning)
