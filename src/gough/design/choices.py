"""Designs with actuators of a catalogue: the best machine with each of them, or why none is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.design.aims import Requirement
from gough.design.design import Design, NoDesignError
from gough.design.designed import Designed
from gough.errors import GoughError
from gough.model.variables import variables
from gough.robot import Robot
from gough.shown.brief import brief
from gough.sizing.catalogue import load_catalogue
from gough.sizing.fitting import fitted
from gough.sizing.loads import Mount
from gough.sizing.records import Catalogue, CatalogueActuator

STROKE = ("leg.stroke.shortest", "leg.stroke.longest")
ANY_STROKE = (1e-3, 1e3)
"""[m]"""

ALIKE = 3
"""Machines whose objectives have the same first digits, so many, are alike."""


@dataclass(frozen=True, eq=False)
class Choice:
    """An actuator, and the best machine with it."""

    actuator: CatalogueActuator
    designed: Designed | None
    """None where not all requirements can hold with it."""
    problem: str = ""
    """Why not, in words."""

    __repr__ = brief


def choices(
    design: Design,
    catalogue: Catalogue | Mapping[str, Any] | str | Path | None = None,
    *,
    piece: float = 0.0,
    **search: int,
) -> tuple[Choice, ...]:
    """The best machine with each actuator of a catalogue, the best of them first.

    Each comes into all legs of a hexapod with its masses, its stroke and a `piece` [m] between rod
    and joint; its force and its speed stay below what it can do. Left out, the catalogue is Gough's
    own. `search` is what `Design.optimise` takes.
    """
    found = list(each_choice(design, catalogue, piece=piece, **search))
    scale = next((one.designed.scale for one in found if one.designed is not None), np.ones(0))
    return tuple(sorted(found, key=lambda choice: _rank(choice, scale)))


def each_choice(
    design: Design,
    catalogue: Catalogue | Mapping[str, Any] | str | Path | None = None,
    *,
    piece: float = 0.0,
    **search: int,
) -> Iterator[Choice]:
    """The same, one after the other, in the order of the catalogue."""
    known = load_catalogue(catalogue).actuators
    if piece < 0:
        raise GoughError(f"piece={piece}; expected a length of at least 0 m")
    for actuator, asked in zip(known, _designs(design, known, piece), strict=True):
        try:
            yield Choice(actuator, asked.optimise(**search))
        except NoDesignError as error:
            yield Choice(actuator, None, error.needed)


def _designs(design: Design, known: Sequence[CatalogueActuator], piece: float) -> Iterator[Design]:
    """The design with each actuator. Those that state the same numbers share their kernels."""
    stated = [variables(_anywhere(design.robot, actuator, piece)) for actuator in known]
    for actuator, one in zip(known, stated, strict=True):
        alike = [other for other in stated if other.names == one.names]
        columns = np.array([other.values for other in alike]).T
        differing = {
            name for name, column in zip(one.names, columns, strict=True) if np.ptp(column)
        }
        own = dict(zip(one.names, one.values.tolist(), strict=True))
        start = actuator.retracted_length + piece
        stroke = {STROKE[0]: start, STROKE[1]: start + actuator.stroke}
        yield replace(
            design,
            robot=alike[0].robot,
            requirements=(*design.requirements, *_bounds(design, actuator)),
            fixed={name: own[name] for name in one.names if name in differing} | stroke,
        )


def _anywhere(robot: Robot, actuator: CatalogueActuator, piece: float) -> Robot:
    """The robot with an actuator in its legs whose stroke it has yet to be made for."""
    shortest, longest = ANY_STROKE
    endless = actuator.model_copy(update={"stroke": longest - shortest})
    return fitted(robot, endless, Mount(shortest, piece))


def _bounds(design: Design, actuator: CatalogueActuator) -> Iterator[Requirement]:
    """What an actuator can do, unless the design asks for less."""
    for name, largest in (("force", actuator.peak_force), ("speed", actuator.max_speed)):
        asked = [one.bound for one in design.requirements if one.measure == name]
        if not asked or min(asked) > largest:
            yield Requirement(name, largest)


def _rank(choice: Choice, scale: Array) -> tuple[bool, float, float]:
    """Those that hold first, the least sum of objectives first; alike, the smaller actuator."""
    found = choice.designed
    cost = 0.0 if found is None else float((found.costs / scale).sum())
    return found is None, float(f"{cost:.{ALIKE}g}"), choice.actuator.peak_force
