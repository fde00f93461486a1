"""The real ones among all solutions: proved regular, singular, or samples of curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.kinematics.assembly.quadrics import unit
from gough.kinematics.assembly.solutions import Solutions, distinct, refine
from gough.kinematics.assembly.special import Special

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class RealSolutions:
    """Real points (n, 8) of length one.

    `radius` bounds the error of each entry and is infinite without certificate; `multiplicity` says
    how many paths have come there: 0 for those that only a search has found, and for the samples of
    curves, which `sample` marks.
    """

    points: Array
    radius: Array
    multiplicity: Array
    sample: Array


def real_solutions(
    regular: Solutions, special: Special | None, coefficients: Array, bounds: Array
) -> RealSolutions:
    """The real ones among the regular solutions, and those at special lengths.

    What is not proved to be off the real axis is proved anew near its real part: real equations
    and a real point make the ball its own mirror image, and its only solution real.
    """
    nearest = refine(unit(regular.points[regular.may_be_real].real), coefficients, bounds)
    first, multiplicity = distinct(nearest)
    known = nearest[first]
    points, radius = known.points.real, known.proved_radius
    if special is None:
        return RealSolutions(points, radius, multiplicity, np.zeros(len(points), bool))
    searched = _proved_besides(known, refine(special.searched, coefficients, bounds))
    numbers = (len(searched), len(special.isolated), len(special.samples))
    return RealSolutions(
        np.concatenate([points, searched.points.real, special.isolated, special.samples]),
        np.concatenate([radius, searched.radius, np.full(sum(numbers[1:]), np.inf)]),
        np.concatenate(
            [
                multiplicity,
                np.zeros(numbers[0], int),
                special.multiplicity,
                np.zeros(numbers[2], int),
            ]
        ),
        np.arange(len(points) + sum(numbers)) >= len(points) + sum(numbers[:2]),
    )


def _proved_besides(known: Solutions, others: Solutions) -> Solutions:
    """Those of the others that are proved, each once, and not known."""
    both = known.joined(others[others.proved])
    first, _ = distinct(both)
    return both[first[first >= len(known)]]
