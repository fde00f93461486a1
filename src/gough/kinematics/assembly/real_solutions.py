"""The real ones among all solutions: proved regular, singular, or samples of curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.self_motion import (
    FITS,
    Quadrics,
    apart,
    given_once,
    nearest_on_curves,
    nearest_solutions,
    on_curves,
    quadrics,
    unit,
)
from gough.kinematics.assembly.solutions import Endpoints, Solutions, distinct, refine
from gough.poses.quaternions import product, rotated

_ONE_CLUSTER = 1e-3
"""Sine of the angle between ends of paths that are one solution of multiplicity up to five."""
_WALKERS = 40


_GUESSES = 240
_FAR_WORSE = 100
_ROUNDING = 1e-13


_ISOLATED = 1e12
"""Norm of the inverse Jacobian above which solutions are taken for a curve."""
_SCATTER = 1e-12
_SCATTERS = 1e-5, 1e-3
"""Distance of points that may be the same solution: over that norm, and at least and at most."""


@dataclass(frozen=True)
class RealSolutions:
    """Real points (n, 8) of length one.

    `radius` bounds the error of each entry and is infinite without certificate; `multiplicity` is
    the number of paths that end there: 0 for those that only a search has found, and for the
    samples of curves, which `sample` marks.
    """

    points: AnyArray
    radius: AnyArray
    multiplicity: AnyArray
    sample: AnyArray

    @property
    def unreached(self) -> AnyArray:
        """Isolated ones that only a search has found."""
        return np.asarray((self.multiplicity == 0) & ~self.sample)


def real_solutions(
    regular: Solutions, special: Special | None, coefficients: AnyArray, bounds: AnyArray
) -> RealSolutions:
    """Return the real ones among the regular solutions, and those at special lengths.

    A solution that is not proved to be complex is certified again near its real part: with real
    equations and a real point the ball is its own mirror image, and its only solution real.
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

    Proved ones come first. Without proof, points within the scatter of a solution are the same.
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


def searched_solutions(
    geometry: Geometry, lengths: AnyArray, conditions: Quadrics, known: AnyArray
) -> AnyArray:
    """Search real solutions (n, 8) for lengths [m], many of them more than once.

    The search begins at known points (n, 8), and at guesses with one leg of the right length in a
    random direction. Points with far larger residuals than most have not converged.
    """
    rng = np.random.default_rng(1864)
    leg = np.arange(_GUESSES) % len(lengths)
    e = unit(rng.normal(size=(_GUESSES, 4)))
    direction = unit(rng.normal(size=(_GUESSES, 3)))
    arm = rotated(e, geometry.platform[leg] - geometry.centers[1])
    joint = geometry.base[leg] - geometry.centers[0] + lengths[leg, None] * direction
    guesses = study_points((joint - arm) / geometry.unit, e)
    found = nearest_solutions(np.concatenate([known, guesses]), conditions)
    found = found[conditions.fits(found)]
    errors = np.abs(conditions.values(found)).max(1)
    usual = np.median(errors) if len(found) else 0
    return np.asarray(found[errors <= _FAR_WORSE * usual + _ROUNDING])


def study_points(t: AnyArray, e: AnyArray) -> AnyArray:
    """Return Study coordinates (n, 8), of length one, of positions and unit quaternions."""
    g = product(np.insert(t, 0, 0.0, axis=1), e) / 2
    return unit(np.hstack([e, g]))


@dataclass(frozen=True)
class Special:
    """Real points (…, 8) of length one.

    `isolated` are singular solutions, with the number of paths that end at each; `samples` are on
    curves of solutions, where these are nearest to home; `searched` are other solutions, which may
    repeat. `n_on_curves` is the number of paths that ended on curves.
    """

    isolated: AnyArray
    multiplicity: AnyArray
    samples: AnyArray
    searched: AnyArray
    n_on_curves: int


def special_solutions(
    found: Endpoints, geometry: Geometry, lengths: AnyArray, coefficients: AnyArray, home: AnyArray
) -> Special:
    """Examine the singular ends of paths, and search for poses that no path has found.

    Every connected set of solutions has an end of a path, but the end may be complex or at infinity
    where the set has real poses: only a search finds these. It also begins at home, and at ends
    without proof.
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
    """Points of curves nearest to home, from walkers (n, 8) on them.

    A curve that exists only up to rounding of data may fit too badly there: then the first stays.
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
    """The real solutions in the middle of clusters, and the number of points of each."""
    centres, sizes = _clusters(points)
    real = nearest_solutions(unit(centres.real), conditions)
    near = conditions.fits(real) & (apart(centres, real) < _ONE_CLUSTER)
    return real[near], sizes[near]


def _clusters(points: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The centres of clusters of points, and the number of points of each.

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
