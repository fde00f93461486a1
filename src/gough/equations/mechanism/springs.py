"""What yields in a machine of any kind: drives, flexures, and what should be rigid but is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism.points import Point
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Flexure:
    """A joint that resists its motion: about each axis, all ways, or along its slide."""

    joint: int
    """Its place in the description."""
    stiffness: Value
    """[N m/rad, N/m]."""
    line: int | None = None
    """Which one of all lines between ball joints it ends, whose bodies spin as they like."""


@dataclass(frozen=True)
class Yielding:
    """What gives way in a leg: a small displacement of all that lies beyond it."""

    leg: int
    place: Point
    """Where way and turn of the displacement are given."""
    axes: Value
    """In which they are, as columns in the axes of what carries the place."""
    components: tuple[int, ...]
    """Those of way and turn that are not rigid."""
    compliance: Value
    """Of these [m/N, rad/N, rad/(N m)]."""
    links: frozenset[int]
    """Links of the leg that are displaced."""
    tips: tuple[tuple[int, int], ...]
    """Tips of the leg that it opens: 1 if their links are displaced, -1 if what holds them is."""
    joints: tuple[tuple[int, int], ...] = ()
    """Joints of the description right beyond it: 1 if it displaces their second body, else -1."""


@dataclass(frozen=True)
class YieldingRod:
    """A rod between ball joints that stretches."""

    leg: int
    tip: int
    compliance: Value
    """With that of its joints [m/N]."""


@dataclass(frozen=True)
class Springs:
    """All springs of a machine."""

    motors: tuple[Value, ...]
    """Stiffness of each driven joint with its motor held [N m/rad, N/m]."""
    flexures: tuple[Flexure, ...] = ()
    yielding: tuple[Yielding | YieldingRod, ...] = ()
    closing: tuple[tuple[int, ...], ...] = ()
    """By leg, rows that fix no joint: they say what the platform cannot do, or strain the leg."""


def beam_compliance(length: Value, stretching: Value, bending: Value, twisting: Value) -> Value:
    """Of the free end of a beam along x that is held at the other end (6x6).

    From its stiffness against these: E A [N], E I and G I_p [N m^2] [Euler, Bernoulli].
    """
    C: Value = ca.SX(6, 6)
    C[0, 0], C[3, 3] = length / stretching, length / twisting
    for way, turn, sign in ((1, 5, 1), (2, 4, -1)):
        C[way, way] = length**3 / (3 * bending)
        C[turn, turn] = length / bending
        C[way, turn] = C[turn, way] = sign * length**2 / (2 * bending)
    return C


def own(yielding: Sequence[Yielding | YieldingRod], leg: int) -> list[Yielding | YieldingRod]:
    """What yields in one leg."""
    return [part for part in yielding if part.leg == leg]
