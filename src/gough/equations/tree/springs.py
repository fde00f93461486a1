"""Springs that are loaded at home: their characteristics, and what they act between.

Displacements x count from home [m, rad], forces positive against them: in tension. Energies count
from home.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import casadi as ca

from gough.equations.spatial.algebra import Value
from gough.equations.tree.description import BodyPoint, LinkRef, Pair


class SpringLaw(ABC):
    """Characteristic of a spring."""

    @abstractmethod
    def force(self, x: Value) -> Value:
        """Return the force or torque against a displacement [N, N m]."""

    @abstractmethod
    def energy(self, x: Value) -> Value:
        """Return the energy beyond that at home [J]."""


@dataclass(frozen=True)
class LinearLaw(SpringLaw):
    """A spring of constant stiffness [N/m, N m/rad], or of constant force."""

    load: Value
    """Force at home [N, N m]."""
    stiffness: Value

    def force(self, x: Value) -> Value:
        """F + k x."""
        return self.load + self.stiffness * x

    def energy(self, x: Value) -> Value:
        """F x + k x² / 2."""
        return (self.load + self.stiffness * x / 2) * x


@dataclass(frozen=True)
class GasLaw(SpringLaw):
    """Gas in a cylinder: p Vⁿ is constant; NaN where its volume would not be positive."""

    load: Value
    column: Value
    """Volume at home by the area of the rod [m]."""
    exponent: Value

    def force(self, x: Value) -> Value:
        """F r⁻ⁿ, r being the volume by that at home."""
        return self.load * ca.exp(-self.exponent * self._log(x))

    def energy(self, x: Value) -> Value:
        """F c (1 - r¹⁻ⁿ) / (n - 1); F c log r at n = 1."""
        log, slow = self._log(x), self.exponent == 1
        more = ca.if_else(slow, 1, self.exponent - 1)
        return self.load * self.column * ca.if_else(slow, log, (1 - ca.exp(-more * log)) / more)

    def _log(self, x: Value) -> Value:
        return ca.log(1 + x / self.column)


@dataclass(frozen=True)
class TableLaw(SpringLaw):
    """Straight lines through points (x, force), the first and the last line without end."""

    points: Sequence[tuple[Value, Value]]

    def force(self, x: Value) -> Value:
        """The first line, and beyond each inner point the change of slope there."""
        (start, first), slopes = self.points[0], self._slopes
        found = first + slopes[0] * (x - start)
        for (place, _), (before, behind) in self._bends:
            found += (behind - before) * ca.fmax(x - place, 0)
        return found

    def energy(self, x: Value) -> Value:
        """Return the integral of the force from home."""
        return self._integral(x) - self._integral(ca.DM(0))

    def _integral(self, x: Value) -> Value:
        (start, first), slopes = self.points[0], self._slopes
        found = (first + slopes[0] * (x - start) / 2) * (x - start)
        for (place, _), (before, behind) in self._bends:
            found += (behind - before) * ca.fmax(x - place, 0) ** 2 / 2
        return found

    @property
    def _slopes(self) -> list[Value]:
        return [(g - f) / (b - a) for (a, f), (b, g) in pairwise(self.points)]

    @property
    def _bends(self) -> list[tuple[tuple[Value, Value], tuple[Value, Value]]]:
        return list(zip(self.points[1:-1], pairwise(self._slopes), strict=True))


@dataclass(frozen=True)
class LineSpring:
    """A spring and a damper between points of two bodies."""

    ends: tuple[BodyPoint, BodyPoint]
    members: tuple[int, int]
    """Their bodies among the members of the load paths, and the rods behind these."""
    length: Value
    """Distance of the points at home [m]."""
    law: SpringLaw
    damping: Value
    """[N s/m]"""


@dataclass(frozen=True)
class ParallelSpring:
    """A spring beside the motor or bearing of a joint of one degree of freedom."""

    joint: int
    """Its place in the description."""
    pair: Pair
    step: LinkRef | None
    """Leg and number, if it is a joint of a leg's tree."""
    law: SpringLaw
