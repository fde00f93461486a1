"""Designs with actuators of a catalogue: the best machine with each of them, or why none is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gough.design.design import Design, NoDesignError
from gough.design.design_result import DesignResult
from gough.design.measures import Requirement
from gough.disk.plain_data import PlainData, PlainMapping
from gough.display import Brief, Head, Several, Table
from gough.errors import GoughError
from gough.executors import Executor, opened
from gough.model.variables import variables
from gough.sizing.mounting import Mount, with_actuator
from gough.sizing.records import Catalogue, CatalogueActuator, load_catalogue

STROKE = ("leg.stroke.shortest", "leg.stroke.longest")
ANY_STROKE = (1e-3, 1e3)
"""[m]"""
ALIKE = 3
"""Number of digits to which the objectives of two machines must agree to rank equal."""


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Brief):
    """An actuator, and the best machine with it."""

    actuator: CatalogueActuator
    designed: DesignResult | None
    """None where not all requirements can hold with it."""
    problem: str = ""
    """Why not, in words."""


@dataclass(frozen=True, eq=False)
class Choices(Several[Choice]):
    """The best machine with each actuator of a catalogue, the best of them first."""

    name: str
    """Name of the design."""
    parts: tuple[Choice, ...]

    @property
    def designs(self) -> tuple[DesignResult, ...]:
        """The machines of those actuators that suffice."""
        return tuple(one.designed for one in self.parts if one.designed is not None)

    @property
    def actuators(self) -> tuple[str, ...]:
        """The names of these actuators."""
        return tuple(one.actuator.name for one in self.parts if one.designed is not None)

    @property
    def heading(self) -> tuple[str, str]:
        """The design, and what this is."""
        return self.name, "with actuators of a catalogue"

    def tables(self) -> list[Table]:
        """A row for each actuator: whether it suffices, and what the machine is worth."""
        first, rows = next(iter(self.designs), None), []
        units = {} if first is None else {n: first.units[n] for n in first.objectives}
        for actuator, found, problem in ((c.actuator, c.designed, c.problem) for c in self.parts):
            worth = (found.objectives[n] if found else None for n in units)
            rows.append((actuator.name, found is not None, *worth, problem))
        heads = [Head(name, unit) for name, unit in units.items()]
        return [Table.of("", ("actuator", "suffices", *heads, "what it would need"), rows)]

    def to_dict(self) -> PlainData:
        """All machines and actuators as plain data."""
        named = [{"name": one.actuator.name, "problem": one.problem} for one in self.parts]
        return {"designs": [one.to_dict() for one in self.designs], "actuators": named}


def choices(
    design: Design,
    catalogue: Catalogue | PlainMapping | str | Path | None = None,
    *,
    piece: float = 0.0,
    **search: object,
) -> Choices:
    """The best machine with each actuator of a catalogue, the best of them first.

    Each comes into all legs of a hexapod with its masses, its stroke and a `piece` [m] between rod
    and joint; its force and its speed stay below what it can do. Left out, the catalogue is Gough's
    own. `search` is what `Design.optimise` takes.
    """
    parts = list(each_choice(design, catalogue, piece=piece, **search))
    scale = next((one.designed.scale for one in parts if one.designed is not None), np.ones(0))

    def rank(choice: Choice) -> tuple[bool, float, float]:
        """Feasible first, the minimum sum of objectives, then the smaller actuator."""
        found = choice.designed
        cost = 0.0 if found is None else float((found.costs / scale).sum())
        return found is None, float(f"{cost:.{ALIKE}g}"), choice.actuator.peak_force

    return Choices(design.name, tuple(sorted(parts, key=rank)))


def each_choice(
    design: Design,
    catalogue: Catalogue | PlainMapping | str | Path | None = None,
    *,
    piece: float = 0.0,
    executor: Executor = None,
    **search: Any,
) -> Iterator[Choice]:
    """Yield the machines of `choose`, one after the other, in the order of the catalogue."""
    known = load_catalogue(catalogue).actuators
    if piece < 0:
        raise GoughError(f"piece={piece}; expected a length of at least 0 m")
    with opened(executor) as workers:
        for actuator, asked in zip(known, _designs(design, known, piece), strict=True):
            try:
                yield Choice(actuator, asked.optimise(executor=workers, **search))
            except NoDesignError as error:
                yield Choice(actuator, None, error.needed)


def _designs(design: Design, known: Sequence[CatalogueActuator], piece: float) -> Iterator[Design]:
    """The design with each actuator. Those that state the same numbers share their kernels."""
    shortest, longest = ANY_STROKE
    endless = [one.model_copy(update={"stroke": longest - shortest}) for one in known]
    mount = Mount(shortest, piece)  # the robot has yet to be made for the stroke
    stated = [variables(with_actuator(design.robot, actuator, mount)) for actuator in endless]
    for actuator, one in zip(known, stated, strict=True):
        alike = [other for other in stated if other.names == one.names]
        differing = np.ptp([other.values for other in alike], axis=0)
        own = zip(one.names, one.values.tolist(), differing, strict=True)
        fixed = {name: value for name, value, differs in own if differs}
        start = actuator.retracted_length + piece
        fixed |= {STROKE[0]: start, STROKE[1]: start + actuator.stroke}
        required = (*design.requirements, *_bounds(design, actuator))
        yield replace(design, robot=alike[0].robot, requirements=required, fixed=fixed)


def _bounds(design: Design, actuator: CatalogueActuator) -> Iterator[Requirement]:
    """Yield the limits of an actuator, unless the design requires less."""
    for name, largest in (("force", actuator.peak_force), ("speed", actuator.max_speed)):
        asked = [one.bound for one in design.requirements if one.measure == name]
        if not asked or min(asked) > largest:
            yield Requirement(name, largest)
