"""All figures that sum up a study or a simulation, from the tables of quantities and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gough.analysis.definition import Definition, Summed
from gough.analysis.limits import Limit, limit_of
from gough.analysis.quantities import DEFINITIONS
from gough.analysis.ways import OF_LEGS, OF_MACHINE, Way


@dataclass(frozen=True)
class Figure:
    """What a figure is, apart from its value."""

    name: str
    unit: str
    meaning: str
    quantity: Definition | None = None
    """What it sums up."""
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
    way: Way | None = None
    """How it is made of the quantity alone; None where that needs more."""
    only_shown: bool = False
    """Whether it is made for a report alone, and not stored."""

    @property
    def of_forces(self) -> bool:
        """Whether it has no bound where forces have none."""
        return self.quantity is not None and self.quantity.of_forces


def _summed(quantity: Definition, summed: Summed) -> Figure:
    way = summed.way
    words = quantity.name.replace("_", " ")
    return Figure(
        way.name.format(quantity.name),
        way.unit or quantity.unit,
        way.meaning.format(words=words, meaning=quantity.meaning),
        quantity,
        summed.heading,
        summed.title,
        summed.worst,
        beside=summed.beside,
        way=way,
        only_shown=summed.only_shown,
    )


def _margin(limit: Limit) -> Figure:
    quantity = DEFINITIONS[limit.quantity]
    return Figure(
        limit.figure,
        "1" if limit.as_share else quantity.unit,
        limit.kept,
        quantity,
        limit.heading,
        worst="min",
        alarming="below zero",
    )


SATURATED_TIME = Figure(
    "saturated_time",
    "s",
    "how long the force of a leg is above its limit, whatever was commanded",
    DEFINITIONS["force"],
    "Force above its limit",
    "Force above its limit",
    alarming="above zero",
)
SAMPLES_WITHOUT_FORCES = Figure(
    "samples_without_forces",
    "1",
    "how many samples have no forces, as these are no numbers there",
    is_count=True,
)
COMMAND_AT_LIMIT = Figure(
    "command_at_limit",
    "%",
    "share of the run in which a command, not the force, is at its limit, and when first",
    DEFINITIONS["command"],
    "Command at its limit",
    "Commands at their limit",
    alarming="above zero",
    only_shown=True,
)


def _of(quantity: Definition) -> tuple[Figure, ...]:
    """What a quantity is summed up in, how it keeps its limit, and how long it does not."""
    limit = limit_of(quantity.name)
    others = (SATURATED_TIME, COMMAND_AT_LIMIT)
    return (
        *(_summed(quantity, summed) for summed in quantity.figures),
        *([_margin(limit)] if limit else ()),
        *(figure for figure in others if figure.quantity is quantity),
    )


_OF_QUANTITIES = {name: _of(quantity) for name, quantity in DEFINITIONS.items()}

FIGURES = {figure.name: figure for figures in _OF_QUANTITIES.values() for figure in figures} | {
    SAMPLES_WITHOUT_FORCES.name: SAMPLES_WITHOUT_FORCES
}
"""All figures by name, in the order of the quantities."""
MADE_BY = {
    way: {
        name: figure
        for name, figures in _OF_QUANTITIES.items()
        for figure in figures
        if figure.way is way
    }
    for way in (*OF_LEGS, *OF_MACHINE)
}
"""The figures that each way makes, by quantity."""


def figure_of(name: str) -> Figure:
    """A figure by its name; of one that the tables do not have nothing else is known."""
    return FIGURES.get(name) or Figure(name, "", "", worst="")
