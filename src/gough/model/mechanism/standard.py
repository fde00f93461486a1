"""Masses by bodies' standard parameters: first moments and inertias about points of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arrays import Array
from gough.model.mechanism.mass import NUMBERS, Mass, units

if TYPE_CHECKING:
    from gough.model.mechanism.weights import Masses

_SECOND_MOMENTS = np.diag([-1.0] * 6)
"""∫ r rᵀ dm = tr(J) / 2 - J, by six numbers each."""
_SECOND_MOMENTS[:3, :3] += 0.5


def by_standard(masses: Masses) -> Masses:
    """The same masses, linear in standard parameters in place of the bodies' numbers."""
    numbers = np.zeros((len(masses.points) * NUMBERS,) * 2)
    for k, point in enumerate(masses.points):
        own = slice(k * NUMBERS, (k + 1) * NUMBERS)
        numbers[own, own] = _numbers_about(point)
    combined = partial(_combined, numbers.T)
    return replace(
        masses,
        platform=_of_mass(masses.platform, numbers.T),
        links=tuple(tuple(_of_mass(link, numbers.T) for link in leg) for leg in masses.links),
        shared=tuple(tuple(map(combined, leg)) for leg in masses.shared),
        ground=_combined(numbers.T, np.broadcast_to(masses.ground, (len(numbers), 3))),
    )


def _numbers_about(point: Sequence[float]) -> Array:
    """A body's numbers by its standard parameters about a point (10x10)."""
    standard = np.eye(NUMBERS)
    standard[4:, 4:] = _SECOND_MOMENTS
    (unit,) = units(1)
    shifted = unit.seen_from(np.eye(3), np.array(point)).columns(NUMBERS)
    return np.asarray(shifted.T @ standard)


def _of_mass(mass: Mass, weights: Array) -> Mass:
    parts = mass.full(len(weights))
    return Mass(*(_combined(weights, part) for part in parts))


def _combined(weights: Array, part: Any) -> Array:
    """What is linear in some numbers, by others: weights (others x some)."""
    every = np.broadcast_to(part, weights.shape[1]) if np.ndim(part) == 0 else part
    return np.tensordot(weights, every, 1)
