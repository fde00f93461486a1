"""Rounding noise in figures: what is nothing beside the others is shown as nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gough.analysis.figures import figure_of
from gough.analysis.results import Scalar
from gough.arrays import Array
from gough.studies.grid_results import GridFigure

_NOTHING = 1e-10
"""Of the largest: many times the rounding of sums over long studies, far below what matters."""


def without_noise(figures: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The figures with zeros for values that are tiny beside the largest of their kind."""
    numbers = {name: np.array([f.value, *f.per_leg]) for name, f in figures.items()}
    cleaned = {}
    for name, figure in figures.items():
        value, *legs = _cleaned(name, numbers, numbers[name]).tolist()
        cleaned[name] = replace(figure, value=value, per_leg=tuple(legs))
    return cleaned


def grid_without_noise(figures: Mapping[str, GridFigure]) -> dict[str, GridFigure]:
    """The same for the figures of all points of a grid."""
    numbers = {name: figure.values for name, figure in figures.items()}
    return {
        name: replace(
            figure,
            values=_cleaned(name, numbers, figure.values),
            per_leg=None if figure.per_leg is None else _cleaned(name, numbers, figure.per_leg),
        )
        for name, figure in figures.items()
    }


def _cleaned(name: str, numbers: Mapping[str, Array], values: Array) -> Array:
    beside = numbers.get(figure_of(name).beside or name, values)
    least = _NOTHING * max(_largest(values), _largest(beside))
    return np.where(np.abs(values) < least, 0.0, values)


def _largest(values: Array) -> float:
    sizes = np.abs(values[np.isfinite(values)])
    return float(sizes.max(initial=0.0))
