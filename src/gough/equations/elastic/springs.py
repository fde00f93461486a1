"""Elastic parts of a parallel robot: springs of joints, links and bearings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.spatial.algebra import Value
from gough.equations.tree.description import Carrier, Line, Pair, Point


@dataclass(frozen=True)
class JointSpring:
    """A joint that resists its motion: about each axis, all ways, or along its slide."""

    stiffness: Value
    """[N m/rad, N/m]."""
    joint: int
    """Its place in the description."""
    pair: Pair
    line: int | None = None
    """Number of the line between ball joints that it ends, whose bodies spin freely."""


@dataclass(frozen=True)
class LineTorsion:
    """Torsion spring between two carriers about the line between them."""

    stiffness: Value
    """Stiffness of the joints at both ends, in series [N m/rad]."""
    line: Line
    first: Carrier | Line
    second: Carrier | Line
    joints: tuple[int | None, int]
    """Joints of the description that join these to what is between them; None if the first is that
    itself."""


def springs_at_ends(springs: Sequence[JointSpring]) -> LineTorsion:
    """Return the torsion spring of two ball joints at the ends of a line."""
    near, far = springs
    line, first, _ = line_of(near.pair)
    _, second, _ = line_of(far.pair)
    k = near.stiffness * far.stiffness / (near.stiffness + far.stiffness)
    return LineTorsion(k, line, first, second, (near.joint, far.joint))


def line_of(pair: Pair) -> tuple[Line, Carrier | Line, int]:
    """The line that a ball ends, what is at its other side, and whether the line is the second."""
    if isinstance(pair.second, Line):
        return pair.second, pair.first, 1
    assert isinstance(pair.first, Line)
    return pair.first, pair.second, -1


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
    flexures: tuple[JointSpring, ...] = ()
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
