"""A machine as its maker describes it: where all that it names is in what the equations know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gough.equations.mechanism.bodies import Body
from gough.equations.mechanism.loads import Loads
from gough.equations.mechanism.points import Carrier, Line, Seen, SeenByRod, Spot
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Tilt:
    """How far a link leans in a ball or universal joint, as the body at the other side sees it."""

    link: Line
    beyond: Carrier
    at_home: Value
    """The line's direction at home, in the axes of the carrier beyond."""


@dataclass(frozen=True)
class Pair:
    """What a joint joins, and how the second may move as the first sees it."""

    first: Carrier | Line
    second: Carrier | Line
    axes: tuple[Value, ...]
    """About which it turns: of a universal joint one in the axes of either, else of the first."""
    turns: bool
    """Whether it turns at all: without axes all ways."""
    slide: Carrier | None
    """Leg and number of the joint that slides, if one does."""


@dataclass(frozen=True)
class Description:
    """Where all that is described is, in the order of the description."""

    centers: tuple[Spot, ...]
    """Of every joint; of a slide or cylindrical joint two: carried by its first and second body."""
    tilts: tuple[Tilt, ...]
    """Of every ball and universal joint."""
    pairs: tuple[Pair, ...]
    """Of every joint."""
    loads: Loads
    carried: tuple[Seen | SeenByRod, ...]
    """The machine's frame as each body, the platform first, carries it along from home."""
    bodies: tuple[Spot, ...] = ()
    """Mass centres of the platform and of all bodies."""
    masses: Mapping[Carrier, Body] = field(default_factory=dict)
    """True ones, before any was lent: of each carrier that moves, with the ends of its rods."""
