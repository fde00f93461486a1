"""What special lengths have besides regular solutions: singular ones, and curves of solutions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray
from gough.kinematics.assembly.endpoints import Endpoints
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.quadrics import (
    FITS,
    Quadrics,
    apart,
    nearest_solutions,
    quadrics,
    unit,
)
from gough.kinematics.assembly.real_search import searched_solutions
from gough.kinematics.assembly.self_motion import given_once, nearest_on_curves, on_curves

_ONE_CLUSTER = 1e-3
"""Sine of the angle between ends of paths that are one solution of multiplicity up to five."""
_WALKERS = 40


@dataclass(frozen=True)
class Special:
    """Real points (…, 8) of length one.

    `isolated` are singular solutions, with how many paths have come to each; `samples` are on
    curves of solutions, where these are nearest to home; `searched` are further solutions, which
    may repeat. Besides, the number of paths that ended on curves.
    """

    isolated: AnyArray
    multiplicity: AnyArray
    samples: AnyArray
    searched: AnyArray
    n_on_curves: int


def special_solutions(
    found: Endpoints, geometry: Geometry, lengths: AnyArray, coefficients: AnyArray, home: AnyArray
) -> Special:
    """Look closely at the singular ends of paths, and search for what no path has found.

    Every connected set of solutions has an end of a path, but the end may be complex or at infinity
    where the set has real poses: these only a search finds. It also begins at home, and at ends of
    which nothing is proved.
    """
    conditions = quadrics(coefficients)
    singular = found.singular.points
    known = np.concatenate([home[None], unit(found.without_proof.real)])
    searched = searched_solutions(geometry, lengths, conditions, known)
    free = on_curves(searched, conditions)
    samples = _samples(searched[free], home, conditions)
    on = on_curves(singular, conditions)
    isolated, multiplicity = _real_clusters(singular[~on], conditions)
    met = _met(isolated, searched[free][:_WALKERS], conditions)
    return Special(
        isolated[~met],
        multiplicity[~met],
        given_once(np.concatenate([isolated[met], samples])),
        searched[~free],
        int(on.sum() + multiplicity[met].sum()),
    )


def _samples(walkers: AnyArray, home: AnyArray, conditions: Quadrics) -> AnyArray:
    """Where curves are nearest to home, from walkers (n, 8) on them.

    A curve that is one only up to rounded data may fit too badly there: then the first stays.
    """
    nearest = nearest_on_curves(walkers, home, conditions)
    return nearest if conditions.fits(nearest, FITS / 10).any() else walkers[:1]


def _met(isolated: AnyArray, walkers: AnyArray, conditions: Quadrics) -> AnyArray:
    """Which solutions (n, 8) are not isolated: one of the walkers on curves can come there."""
    gaps = [
        apart(nearest_on_curves(walkers, goal, conditions), goal).min(initial=1)
        for goal in isolated
    ]
    return np.array(gaps) < _ONE_CLUSTER


def _real_clusters(points: AnyArray, conditions: Quadrics) -> tuple[AnyArray, AnyArray]:
    """The real solutions in the middle of clusters, and how many points each has."""
    centres, sizes = _clusters(points)
    real = nearest_solutions(unit(centres.real), conditions)
    near = conditions.fits(real) & (apart(centres, real) < _ONE_CLUSTER)
    return real[near], sizes[near]


def _clusters(points: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The centres of clusters of points, and how many points each has.

    Rounding scatters the ends of paths about a singular solution; their centre is far better.
    """
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  (slow to import)

    if len(points) == 0:
        return points, np.zeros(0, dtype=int)
    near = np.abs(points.conj() @ points.T) ** 2 > 1 - _ONE_CLUSTER**2
    n_clusters, labels = connected_components(near, directed=False)
    centres = [_centre(points[labels == k]) for k in range(n_clusters)]
    return np.array(centres), np.bincount(labels)


def _centre(points: AnyArray) -> AnyArray:
    """The mean of projective points, all turned to the phase of the first."""
    turns = points.conj() @ points[0]
    return unit((points * (turns / np.abs(turns))[:, None]).mean(0))
