"""The real ones among all solutions: proved regular, singular, or samples of curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray
from gough.kinematics.assembly.quadrics import apart, unit
from gough.kinematics.assembly.solutions import Solutions, distinct, refine
from gough.kinematics.assembly.special import Special

_ISOLATED = 1e12
"""Norm of the inverse Jacobian: larger only where solutions form a curve, as far as one can see."""
_SCATTER = 1e-12
_SCATTERS = 1e-5, 1e-3
"""Distance of points that may be the same solution: over that norm, and at least and at most."""


@dataclass(frozen=True)
class RealSolutions:
    """Real points (n, 8) of length one.

    `radius` bounds the error of each entry and is infinite without certificate; `multiplicity` says
    how many paths have come there: 0 for those that only a search has found, and for the samples of
    curves, which `sample` marks.
    """

    points: AnyArray
    radius: AnyArray
    multiplicity: AnyArray
    sample: AnyArray

    @property
    def unreached(self) -> AnyArray:
        """Isolated ones that only a search has found."""
        unreached: AnyArray = (self.multiplicity == 0) & ~self.sample
        return unreached


def real_solutions(
    regular: Solutions, special: Special | None, coefficients: AnyArray, bounds: AnyArray
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
    singular = np.concatenate([special.isolated, special.samples])
    searched = _besides(known, singular, refine(special.searched, coefficients, bounds))
    numbers = (len(searched), len(special.isolated), len(special.samples))
    return RealSolutions(
        np.concatenate([points, searched.points.real, special.isolated, special.samples]),
        np.concatenate([radius, searched.proved_radius, np.full(sum(numbers[1:]), np.inf)]),
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


def _besides(known: Solutions, singular: AnyArray, others: Solutions) -> Solutions:
    """Those of the others that are neither known nor singular ones (n, 8), each once.

    What is proved comes first. Without proof, what is within the scatter of a solution is the same.
    """
    both = known.joined(others[others.proved])
    first, _ = distinct(both)
    listed = both[first]
    rest = others[~others.proved & (others.inverse < _ISOLATED)]
    scatter = np.clip(_SCATTER * rest.inverse, *_SCATTERS)
    for k in np.argsort(rest.inverse):
        taken = np.concatenate([listed.points.real, singular])
        if not (apart(taken, rest.points[k].real) < scatter[k]).any():
            listed = listed.joined(rest[np.array([k])])
    return listed[np.arange(len(listed)) >= len(known)]
