"""Springs between bodies and beside joints, perhaps preloaded: characteristics and ends.

Displacements x count from home [m, rad], forces positive against them: in tension. Energies count
from home.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import casadi as ca

from gough.equations.spatial.algebra import Value
from gough.equations.tree.description import BodyPoint, LinkRef, Pair


class SpringLaw(NamedTuple):
    """Characteristic of a spring."""

    force: Callable[[Value], Value]  # force or torque against a displacement [N, N m]
    energy: Callable[[Value], Value]  # energy beyond that at home [J]


def linear_law(load: Value, stiffness: Value) -> SpringLaw:
    """F + k x: of constant stiffness [N/m, N m/rad], or of constant force."""
    return SpringLaw(lambda x: load + stiffness * x, lambda x: (load + stiffness * x / 2) * x)


def gas_law(load: Value, column: Value, exponent: Value) -> SpringLaw:
    """F r⁻ⁿ, r being the volume by that at home: p Vⁿ is constant. NaN where r is not positive.

    `column` is the volume at home by the area of the rod [m].
    """
    isothermal = exponent == 1
    more = ca.if_else(isothermal, 1, exponent - 1)

    def log(x: Value) -> Value:
        return ca.log(1 + x / column)

    def energy(x: Value) -> Value:
        return load * column * ca.if_else(isothermal, log(x), (1 - ca.exp(-more * log(x))) / more)

    return SpringLaw(lambda x: load * ca.exp(-exponent * log(x)), energy)


def table_law(points: Sequence[tuple[Value, Value]]) -> SpringLaw:
    """Straight lines through points (x, force), the first and the last line without end.

    The first line, and beyond each inner point the change of slope there.
    """
    start, first = points[0]
    slopes = [(g - f) / (b - a) for (a, f), (b, g) in pairwise(points)]
    bends = [(x, b - a) for (x, _), (a, b) in zip(points[1:-1], pairwise(slopes), strict=True)]

    def force(x: Value) -> Value:
        line = first + slopes[0] * (x - start)
        return sum((bend * ca.fmax(x - at, 0) for at, bend in bends), line)

    def integral(x: Value) -> Value:
        line = (first + slopes[0] * (x - start) / 2) * (x - start)
        return sum((bend * ca.fmax(x - at, 0) ** 2 / 2 for at, bend in bends), line)

    return SpringLaw(force, lambda x: integral(x) - integral(ca.DM(0)))


@dataclass(frozen=True)
class LineSpring:
    """A spring and a damper between points of two bodies."""

    ends: tuple[BodyPoint, BodyPoint]
    members: tuple[int, int]  # their bodies among the members of load paths, and rods behind these
    length: Value  # distance of the points at home [m]
    law: SpringLaw
    damping: Value  # [N s/m]


@dataclass(frozen=True)
class ParallelSpring:
    """A spring beside the motor or bearing of a joint of one degree of freedom."""

    joint: int  # its place in the description
    pair: Pair
    step: LinkRef | None  # leg and number, if it is a joint of a leg's tree
    law: SpringLaw
