"""Elastic parts of a parallel robot: drives, flexures, links and bearings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism.points import Point
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Flexure:
    """A joint with a spring: about each axis, about all axes, or along its slide."""

    joint: int
    """Number of the joint in the description."""
    stiffness: Value
    """[N m/rad, N/m]."""
    line: int | None = None
    """Number of the line between ball joints that it ends, whose bodies spin freely."""


@dataclass(frozen=True)
class ElasticPart:
    """An elastic part of a leg: a small displacement of all that lies beyond it."""

    leg: int
    place: Point
    """Point at which translation and rotation of the displacement are given."""
    axes: Value
    """Axes of these, as columns in the axes of the point's carrier."""
    components: tuple[int, ...]
    """Components of translation and rotation that are elastic."""
    compliance: Value
    """Compliance of these [m/N, rad/N, rad/(N m)]."""
    links: frozenset[int]
    """Links of the leg that are displaced."""
    tips: tuple[tuple[int, int], ...]
    """Tips of the leg that it opens: 1 if their links are displaced, -1 if what holds them is."""
    joints: tuple[tuple[int, int], ...] = ()
    """Joints of the description right beyond it: 1 if it displaces their second body, else -1."""


@dataclass(frozen=True)
class ElasticRod:
    """An elastic rod between ball joints."""

    leg: int
    tip: int
    compliance: Value
    """Axial compliance, with that of its joints [m/N]."""


@dataclass(frozen=True)
class Springs:
    """All springs of a machine."""

    motors: tuple[Value, ...]
    """Stiffness of each driven joint with its motor held [N m/rad, N/m]."""
    flexures: tuple[Flexure, ...] = ()
    elastic_parts: tuple[ElasticPart | ElasticRod, ...] = ()
    closing: tuple[tuple[int, ...], ...] = ()
    """Rows of each leg that determine no joint: they constrain the platform, or strain the leg."""


def beam_compliance(
    length: Value | float, stretching: Value, bending: Value, twisting: Value
) -> Value:
    """Return the compliance of the free end of a cantilever beam along x (6x6).

    From its section stiffness E A [N], E I and G I_p [N m^2] [Euler, Bernoulli].
    """
    C: Value = ca.SX(6, 6)
    C[0, 0], C[3, 3] = length / stretching, length / twisting
    for way, turn, sign in ((1, 5, 1), (2, 4, -1)):
        C[way, way] = length**3 / (3 * bending)
        C[turn, turn] = length / bending
        C[way, turn] = C[turn, way] = sign * length**2 / (2 * bending)
    return C


def own(
    elastic_parts: Sequence[ElasticPart | ElasticRod], leg: int
) -> list[ElasticPart | ElasticRod]:
    """Return the elastic parts of one leg."""
    return [part for part in elastic_parts if part.leg == leg]
