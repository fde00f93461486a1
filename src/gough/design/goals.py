"""Goals of a design: the minimum cost, a point of a front, or feasibility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gough.arrays import Array


class Goal(Protocol):
    """Goal of a program: additional variables, their cost, and rows of their own."""

    @property
    def count(self) -> int:
        """Number of variables that it adds."""

    def cost(self, objectives: Array, slopes: Array, more: Array) -> tuple[float, Array, Array]:
        """Cost, its slopes by (u, t), and by what the goal adds."""

    def rows(self, objectives: Array, slopes: Array, more: Array) -> tuple[Array, Array, Array]:
        """Rows that must be at least zero, and their slopes by (u, t) and by what it adds."""

    def relaxed(self, requirements: int, more: Array) -> tuple[Array, Array]:
        """Return by how much each requirement may fail, (R), and its slopes (R, count)."""


@dataclass(frozen=True, eq=False)
class Least:
    """The minimum of a weighted sum of objectives."""

    weights: Array
    count = 0

    def cost(self, objectives: Array, slopes: Array, more: Array) -> tuple[float, Array, Array]:
        """The sum."""
        return float(self.weights @ objectives), self.weights @ slopes, np.zeros(0)

    def rows(self, objectives: Array, slopes: Array, more: Array) -> tuple[Array, Array, Array]:
        """None."""
        return np.zeros(0), np.zeros((0, slopes.shape[1])), np.zeros((0, 0))

    def relaxed(self, requirements: int, more: Array) -> tuple[Array, Array]:
        """Not at all."""
        return np.zeros(requirements), np.zeros((requirements, 0))


@dataclass(frozen=True, eq=False)
class Attained:
    """All objectives as far below a point as they can be, along a direction.

    Goal attainment: the minimum τ for which objectives are at most point + τ direction.
    """

    point: Array
    direction: Array
    count = 1

    def cost(self, objectives: Array, slopes: Array, more: Array) -> tuple[float, Array, Array]:
        """τ."""
        return float(more[0]), np.zeros(slopes.shape[1]), np.ones(1)

    def rows(self, objectives: Array, slopes: Array, more: Array) -> tuple[Array, Array, Array]:
        """One for each objective."""
        room = self.point + more[0] * self.direction - objectives
        return room, -slopes, self.direction[:, None]

    def relaxed(self, requirements: int, more: Array) -> tuple[Array, Array]:
        """Not at all."""
        return np.zeros(requirements), np.zeros((requirements, 1))


@dataclass(frozen=True)
class Possible:
    """The minimum sum by which requirements must be relaxed for a feasible design."""

    count: int

    def cost(self, objectives: Array, slopes: Array, more: Array) -> tuple[float, Array, Array]:
        """The sum."""
        return float(more.sum()), np.zeros(slopes.shape[1]), np.ones(self.count)

    def rows(self, objectives: Array, slopes: Array, more: Array) -> tuple[Array, Array, Array]:
        """None: bounds keep each at least zero."""
        return np.zeros(0), np.zeros((0, slopes.shape[1])), np.zeros((0, self.count))

    def relaxed(self, requirements: int, more: Array) -> tuple[Array, Array]:
        """Each as far as its variable says."""
        return more, np.eye(requirements)
