"""Masses of bodies: numbers, or linear in the numbers of all bodies of a machine.

All that is done with masses when a machine is read (moving them to other frames, lending parts of
them to neighbours) is linear in them. So it is done once for every number of every body, as if that
were one and all others zero: leading axes count these numbers. What the equations want of any such
machine is a sum then, weighted with its numbers, which may be symbols. Where the geometry is traced
the bodies' numbers are, too, and nothing is left to be weighted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array, product_of
from gough.equations.spatial.algebra import Value
from gough.robot import UPPER

NUMBERS = 10  # number of inertial parameters of a body: mass, ∫ r dm (3), ∫ r rᵀ dm (6)
DEGREES = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])  # the power of a length in each of them
NOISE = 1e-12  # relative rounding error, in machine sizes and beside the other masses


@dataclass(frozen=True, eq=False)
class Mass:
    """A body's mass, ∫ r dm and ∫ r rᵀ dm about the origin of some frame."""

    mass: Any
    ms: Array
    sigma: Array

    @classmethod
    def of_body(cls, mass: Any, center: Array, inertia: Array) -> Mass:
        """A body with this mass centre and this inertia about it."""
        around = mass * np.outer(center, center)
        return cls(mass, mass * center, np.trace(inertia) / 2 * np.eye(3) - inertia + around)

    @classmethod
    def of_point(cls, mass: object, point: Array) -> Mass:
        """A point mass."""
        m = np.asarray(mass)
        return cls(m, m[..., None] * point, m[..., None, None] * np.outer(point, point))

    def __add__(self, other: Mass) -> Mass:
        return Mass(self.mass + other.mass, self.ms + other.ms, self.sigma + other.sigma)

    def __sub__(self, other: Mass) -> Mass:
        return Mass(self.mass - other.mass, self.ms - other.ms, self.sigma - other.sigma)

    def seen_from(self, R: Array, p: Array) -> Mass:
        """Return the body from outside of the frame: R turns its axes outwards, p is its origin."""
        m = np.asarray(self.mass)
        turned = product_of(self.ms, R.T)
        mixed = turned[..., :, None] * p
        aside = mixed + np.swapaxes(mixed, -1, -2) + m[..., None, None] * np.outer(p, p)
        return Mass(m, turned + m[..., None] * p, product_of(R, self.sigma, R.T) + aside)

    def seen_in(self, R: Array, p: Array) -> Mass:
        """Return the body in a frame whose axes R turns outwards and whose origin is p."""
        return self.seen_from(R.T, -product_of(R.T, p))

    def weighed(self, numbers: Array) -> Mass:
        """The mass of a machine with these numbers."""
        if np.ndim(self.mass) == 0 and self.sigma.ndim == 2:
            return self
        return Mass(*(np.tensordot(numbers, part, 1) for part in self.full(len(numbers))))

    def ten(self, *count: int) -> Array:
        """Its ten numbers (10), or these by each of the machine's numbers (count, 10)."""
        mass, ms, sigma = self.full(*count)
        return np.concatenate([mass[..., None], ms, sigma[..., UPPER[0], UPPER[1]]], -1)

    def full(self, *count: int) -> tuple[Array, Array, Array]:
        """Mass, ∫ r dm and ∫ r rᵀ dm, perhaps by each of the machine's numbers."""
        return (
            np.broadcast_to(self.mass, count),
            np.broadcast_to(self.ms, (*count, 3)),
            np.broadcast_to(self.sigma, (*count, 3, 3)),
        )


NOTHING = Mass(0.0, np.zeros(3), np.zeros((3, 3)))


def units(count: int) -> list[Mass]:
    """Bodies of which each has ten numbers of its own, about the origin of its frame."""
    masses = []
    for k in range(count):
        own = np.zeros((count * NUMBERS, NUMBERS))
        own[k * NUMBERS : (k + 1) * NUMBERS] = np.eye(NUMBERS)
        sigma = np.zeros((count * NUMBERS, 3, 3))
        sigma[:, UPPER[0], UPPER[1]] = sigma[:, UPPER[1], UPPER[0]] = own[:, 4:]
        masses.append(Mass(own[:, 0], own[:, 1:4], sigma))
    return masses


def ten_numbers(mass: Value, center: Value, inertia: Value) -> Value:
    """A body's ten numbers from its mass centre and its inertia about it; also of symbols."""
    sigma = ca.trace(inertia) / 2 * ca.DM.eye(3) - inertia + mass * (center @ center.T)
    return ca.vertcat(mass, mass * center, *(sigma[i, j] for i, j in zip(*UPPER, strict=True)))


def weighted(columns: Array, numbers: Value, size: float, degrees: Sequence[int] | Array) -> Value:
    """Sums of numbers with these columns of factors, without what is rounding error.

    `degrees` are the powers of a length in each sum; the numbers' own are those of bodies.
    """
    own = np.resize(DEGREES, len(columns))
    scale = size ** (np.asarray(degrees)[None, :] - own[:, None])
    factors = np.where(np.abs(columns) > NOISE * scale, columns, 0.0)
    total = ca.DM(factors.T) @ numbers
    if isinstance(total, ca.SX):
        return total
    terms, sums = np.abs(factors.T) @ np.abs(np.array(numbers)).ravel(), np.array(total).ravel()
    return ca.DM(np.where(np.abs(sums) > NOISE * terms, sums, 0.0))
