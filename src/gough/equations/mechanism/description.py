"""A machine as its maker describes it: where all that it names is in what the equations know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from gough.equations.mechanism.bodies import Body
from gough.equations.mechanism.loads import Loads
from gough.equations.mechanism.points import Carrier, FixedFrame, Line, RodFixedFrame, Spot
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Tilt:
    """Tilt of a link in a ball or universal joint, relative to the body at the other side."""

    link: Line
    beyond: Carrier
    at_home: Value
    """The line's direction at home, in the axes of the carrier beyond."""


@dataclass(frozen=True)
class Pair:
    """The two bodies of a joint, and the motion of the second relative to the first."""

    first: Carrier | Line
    second: Carrier | Line
    axes: tuple[Value, ...]
    """About which it turns: of a universal joint one in the axes of either, else of the first."""
    turns: bool
    """Whether it turns at all: without axes all ways."""
    slide: Carrier | None
    """Leg and number of the slide or screw whose coordinate is its own, if it has one."""


@dataclass(frozen=True)
class Description:
    """Where all that is described is, in the order of the description."""

    centers: tuple[Spot, ...]
    """Centre of every joint; two of a slide or cylindrical joint: on its first and second body."""
    tilts: tuple[Tilt, ...]
    """Tilt of every ball and universal joint."""
    pairs: tuple[Pair, ...]
    """Bodies of every joint."""
    loads: Loads
    carried: tuple[FixedFrame | RodFixedFrame, ...]
    """The machine's frame as each body, the platform first, carries it along from home."""
    bodies: tuple[Spot, ...] = ()
    """Mass centres of the platform and of all bodies."""
    frames: tuple[FixedFrame | RodFixedFrame, ...] = ()
    """Frames of all bodies but the platform, if they are others than those that are carried."""
    masses: Mapping[Carrier, Body] = field(default_factory=dict)
    """True ones, before any was lent: of each carrier that moves, with the ends of its rods."""
