"""Definitions of quantities: their entries in the table, without values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Literal

import numpy as np

from gough.analysis.axes import LEG, ROTARY, Axis
from gough.analysis.reductions import Reduction
from gough.analysis.traits import ANY_MACHINE, Trait
from gough.arrays import Array
from gough.compiler.front.argument import Argument


@dataclass(frozen=True)
class Figure:
    """A number that sums up a quantity, apart from its value: how it is made, and how it is shown.

    In a quantity's entry it has neither name nor unit nor meaning of its own: `of` gives it them.
    """

    reduction: Reduction | None = None
    """Reduction of the quantity alone; None where it needs more."""
    heading: str = ""
    """Heading of its column in a table; without one, its name."""
    title: str = ""
    """Where it stands by itself; without one, its name."""
    worst: Literal["max", "min", ""] = "max"
    """Which of the legs, and of the points of a grid, is the worst: as its reduction says."""
    alarming: Literal["below zero", "above zero", ""] = ""
    """Where it says that a limit is passed."""
    beside: str = ""
    """The figure beside which it may be rounding as a whole."""
    is_count: bool = False
    """Whether it is a whole number, worth telling where it is not zero."""
    group: str = ""
    """Group that must be asked for, where the quantity alone does not suffice."""
    only_shown: bool = False
    """Whether it is made for a report alone, and not stored."""
    name: str = ""
    unit: str = ""
    meaning: str = ""
    quantity: QuantityDefinition | None = None

    def of(self, quantity: QuantityDefinition) -> Figure:
        """The figure of a quantity, named as its reduction says."""
        if self.reduction is None:
            return replace(self, quantity=quantity, unit=self.unit or quantity.unit)
        made, words = self.reduction, quantity.name.replace("_", " ")
        return replace(
            self,
            name=made.name.format(quantity.name),
            unit=made.unit or quantity.unit,
            meaning=made.meaning.format(words=words, meaning=quantity.meaning),
            worst=made.worst,
            quantity=quantity,
        )


@dataclass(frozen=True, eq=False)
class UnitGroup:
    """Places of a quantity's first axis that share a unit: what one figure can be about."""

    unit: str
    labels: tuple[str, ...] = ()
    """Names of joints; none where all places are meant, counted or of no machine."""
    places: tuple[int, ...] = ()
    suffix: str = ""
    """Suffix of the figure's name, where rotary and linear joints have one each."""

    def of(self, values: Array, axis: int = -1) -> Array:
        """Return their part of values with so many places along an axis."""
        if not self.labels or len(self.places) == values.shape[axis]:
            return values
        first, count = self.places[0], len(self.places)
        in_a_row = self.places == tuple(range(first, first + count))
        moved = np.moveaxis(values, axis, 0)
        some = moved[first : first + count] if in_a_row else moved[list(self.places)]
        return np.moveaxis(some, 0, axis)


@dataclass(frozen=True)
class QuantityDefinition:
    """Definition of a quantity, without its values."""

    name: str
    group: str
    unit: str
    """Unit of all values; for a pose, twist or wrench those of the linear and the angular part."""
    meaning: str
    axes: tuple[Axis, ...] = (LEG,)
    """Behind time."""
    turning: str = ""
    """The unit of a joint that turns, where that is another."""
    of: Trait = ANY_MACHINE
    """Trait that a machine must have."""
    titles: tuple[str, ...] = ()
    """Titles of its charts; without any, its name."""
    figures: tuple[Figure, ...] = ()
    kernel: str = ""
    """The kernel that gives it and, where that gives several results, which of them."""
    elsewhere: str = ""
    """Meaning on machines other than hexapods, where that differs."""
    in_a_run: str = ""
    """Meaning in a simulation, where that differs."""
    part: str = ""
    """Name as a part of the actuator force."""
    of_forces: bool = False
    """Whether it has no bound where forces have none."""
    small: bool = False
    """Whether it is read in mm or mrad, or in what suits its size."""
    logarithmic: bool = False

    def on(self, axes: Mapping[Axis, Axis]) -> QuantityDefinition:
        """Return the quantity of a machine with joint names and units; hexapod legs have none."""
        own = tuple(axes.get(axis, axis) for axis in self.axes)
        unit, meaning = self.unit, self.meaning
        if LEG in axes:
            meaning = self.elsewhere or meaning
        if self.turning and own[0].parts:  # of all joints, or of each part of their axis
            units = [self.turning if part.name == ROTARY else self.unit for part in own[0].parts]
            unit = units[0] if len(set(units)) == 1 else ", ".join(units)
        return replace(self, axes=own, unit=unit, meaning=meaning)

    @cached_property
    def all_places(self) -> UnitGroup:
        """All places of its first axis, for what does not depend on their units."""
        labels = self.axes[0].labels if self.axes and self.axes[0].of_machine else ()
        return UnitGroup(self.unit, labels, tuple(range(len(labels))))

    @cached_property
    def by_unit(self) -> list[UnitGroup]:
        """The places of its first axis, joints that turn and joints that slide apart."""
        every, units = self.all_places, self.unit.split(", ")
        if not every.labels or len(units) == 1:
            return [every]
        kinds: dict[str, UnitGroup] = {}
        places = iter(every.places)
        for part, unit in zip(self.axes[0].parts, units, strict=True):
            kind = kinds.get(part.name) or UnitGroup(unit, suffix=f"_{part.name}")
            labels, own = kind.labels + part.labels, tuple(islice(places, len(part.labels)))
            kinds[part.name] = replace(kind, labels=labels, places=kind.places + own)
        return list(kinds.values())

    @property
    def of_a_run(self) -> QuantityDefinition:
        """Quantity with its meaning in a simulation."""
        return replace(self, meaning=self.in_a_run or self.meaning)

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether values at one time can have this shape, whatever is counted."""
        sizes = [len(axis.labels) for axis in self.axes]
        alike = (own in (0, size) for own, size in zip(sizes, shape, strict=False))
        return len(shape) == len(sizes) and all(alike)

    def argument(self, actuators: int) -> Argument:
        """Return it as a result of a function, for a number of actuators."""
        shape = tuple(len(axis.labels) if axis.parts else actuators for axis in self.axes)
        return Argument(self.name, shape, self.unit, self.meaning)
