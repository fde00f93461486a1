"""The real ones among all solutions: proved regular, singular, or samples of curves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray
from gough.errors import GoughError
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.kernels import jacobians, orthonormal_rows
from gough.kinematics.assembly.solutions import Endpoints, Solutions, distinct, refine
from gough.poses.quaternions import product, rotated

FITS = 1e-9
"""Maximum value of the conditions at a solution: data may be rounded to ten digits."""
_DONE, _MOST_STEPS = 1e-14, 60
_FLOOR = 1e-20
"""Damping at a solution: far below the square of any singular value that is not zero."""
_ZERO = 1e-6
"""Singular value of the Jacobian that counts as zero."""


@dataclass(frozen=True)
class Quadrics:
    """Six conditions and e·g, at points (n, 8) of length one, real or complex.

    The Jacobian is linear in the point, and `forms` (8, 7, 8) are the Jacobians at unit vectors.
    """

    forms: AnyArray

    def jacobian(self, points: AnyArray) -> AnyArray:
        """Return the derivatives (n, 7, 8)."""
        return np.asarray(np.tensordot(points, self.forms, 1))

    def values(self, points: AnyArray) -> AnyArray:
        """Return the residuals (n, 7), which are zero at solutions."""
        return np.asarray((self.jacobian(points) @ points[:, :, None])[:, :, 0] / 2)

    def fits(self, points: AnyArray, within: float = FITS) -> AnyArray:
        """Return which points are solutions, and poses rather than at infinity."""
        finite = np.linalg.norm(points[:, :4], axis=1) > 1e-3
        return np.asarray(finite & (np.abs(self.values(points)).max(1) < within))

    def tangents(self, points: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return orthonormal rows (n, 8, 8), and which (n, 8) are tangent: the last, if any."""
        bordered = np.concatenate([self.jacobian(points), points.conj()[:, None]], 1)
        _, sizes, rows = np.linalg.svd(bordered)
        return rows.conj(), sizes < _ZERO


def nearest_solutions(points: AnyArray, conditions: Quadrics) -> AnyArray:
    """Find solutions near points (n, 8), by Levenberg and Marquardt's method with minimum changes.

    It also converges where solutions form curves. The result need not be a solution.
    """
    x = points.copy()
    damping = np.full(len(x), 1e-2)
    size = np.linalg.norm(conditions.values(x), axis=1)
    going = np.flatnonzero(size > _DONE)
    for _ in range(_MOST_STEPS):
        if len(going) == 0:
            break
        y = _improved(x[going], damping[going] * size[going] + _FLOOR, conditions)
        new_size = np.linalg.norm(conditions.values(y), axis=1)
        better = new_size < size[going]
        x[going[better]], size[going[better]] = y[better], new_size[better]
        damping[going] = np.clip(damping[going] * np.where(better, 0.3, 4), 1e-8, 1e8)
        going = going[size[going] > _DONE]
    return x


def apart(points: AnyArray, others: AnyArray) -> AnyArray:
    """Return the sine of the angle between points of length one, pair by pair."""
    along = (points.conj() * others).sum(-1, keepdims=True)
    return np.asarray(np.linalg.norm(others - points * along, axis=-1))


def unit(points: AnyArray) -> AnyArray:
    """Return points normalised to length one."""
    return np.asarray(points / np.linalg.norm(points, axis=-1, keepdims=True))


def _improved(x: AnyArray, damping: AnyArray, conditions: Quadrics) -> AnyArray:
    J = conditions.jacobian(x)
    values = J @ x[:, :, None] / 2
    left, sizes, right = np.linalg.svd(J, full_matrices=False)
    weights = sizes / (sizes**2 + damping[:, None])
    step = _adjoint(right) @ (weights[:, :, None] * (_adjoint(left) @ values))
    return unit(x - step[:, :, 0])


def _adjoint(matrices: AnyArray) -> AnyArray:
    return matrices.conj().swapaxes(1, 2)


_SINGULAR = 1e-10
_STEP = 0.01
_STEPS = 10
"""Number of steps along a curve: from an isolated solution of multiplicity m the error is 0.1^m."""
_ATTEMPTS = 4
_LONGEST_SLIDE = 200
_LONGEST_MOVE = 0.05
_NEAR = 1e-3


class SelfMotion(GoughError):  # noqa: N818  (it is a fact about a machine)
    """The platform can move with its legs' lengths fixed: it has no assembly modes to list.

    >>> import gough
    >>> issubclass(gough.SelfMotion, gough.GoughError)
    True
    """


def check_architecture(geometry: Geometry, name: str) -> None:
    """Raise SelfMotion if J is singular at every pose.

    Its determinant is a polynomial in the pose that vanishes or not: checked at asymmetric poses.
    """
    if geometry.dexterity < _SINGULAR:
        raise SelfMotion(
            f"{name}: architecturally singular: J has no inverse at any pose (its singular values "
            f"differ by a factor of {geometry.dexterity:.1g}), so the platform can move with all "
            "legs fixed; expected joint centres in a more general position"
        )


def on_curves(points: AnyArray, conditions: Quadrics) -> AnyArray:
    """Return which solutions (n, 8), real or complex, are on curves or surfaces of solutions.

    From there, a walk of finite length along a null vector of the Jacobian must meet only singular
    solutions. An isolated solution draws it back, or has regular neighbours. Where curves meet,
    most null vectors are tangent to none: hence several attempts.
    """
    rng = np.random.default_rng(1897)
    solutions = nearest_solutions(points, conditions)
    on = np.zeros(len(points), dtype=bool)
    for _ in range(_ATTEMPTS):
        rest = np.flatnonzero(~on & conditions.fits(solutions))
        anywhere = rng.normal(size=(len(rest), 8)).astype(points.dtype)
        on[rest] = _walk_on(solutions[rest], anywhere, conditions)
    return on


def nearest_on_curves(points: AnyArray, goal: AnyArray, conditions: Quadrics) -> AnyArray:
    """Slide real solutions (n, 8) along curves as near to a goal as they come, each end once."""
    x = points.copy()
    gap, part = apart(x, goal), np.ones(len(x))
    going = np.arange(len(x))
    for _ in range(_LONGEST_SLIDE):
        here = x[going]
        towards = np.where(here @ goal < 0, -1, 1)[:, None] * goal - here  # to its nearer sign
        way = _along_tangents(here, towards, conditions)
        length = np.linalg.norm(way, axis=1)
        step = part[going] * np.minimum(1, _LONGEST_MOVE / np.maximum(length, _LONGEST_MOVE))
        y = nearest_solutions(unit(here + step[:, None] * way), conditions)
        new_gap = apart(y, goal)
        better = conditions.fits(y) & (new_gap < gap[going])
        x[going[better]], gap[going[better]] = y[better], new_gap[better]
        part[going] = np.where(better, np.minimum(1, 2 * part[going]), part[going] / 4)
        going = going[step * length > 1e-7]
        if len(going) == 0:
            break
    return given_once(x)


def given_once(points: AnyArray) -> AnyArray:
    """Return points (n, 8) without those that are near to an earlier one."""
    distinct_points: list[AnyArray] = []
    for point in points:
        if not any(apart(point, other) < _NEAR for other in distinct_points):
            distinct_points.append(point)
    return np.array(distinct_points).reshape(-1, 8)


def _walk_on(points: AnyArray, directions: AnyArray, conditions: Quadrics) -> AnyArray:
    """Whether walks from solutions, in about these directions, meet only singular ones.

    They must lead away: near a singular solution, a walk may circle for long.
    """
    ahead = _along_tangents(points, directions, conditions)
    walking = np.flatnonzero(np.linalg.norm(ahead, axis=1))
    x, ahead = points[walking], ahead[walking]
    for _ in range(_STEPS):
        ahead = unit(ahead)
        y = nearest_solutions(unit(x + _STEP * ahead), conditions)
        moved = apart(x, y)
        ahead = _along_tangents(y, ahead, conditions)
        straight = np.linalg.norm(ahead, axis=1) > 0.5
        on = conditions.fits(y) & straight & (moved > _STEP / 4) & (moved < 2 * _STEP)
        walking, x, ahead = walking[on], y[on], ahead[on]
    away = np.zeros(len(points), dtype=bool)
    away[walking] = apart(points[walking], x) > _STEPS * _STEP / 3
    return away


def _along_tangents(points: AnyArray, directions: AnyArray, conditions: Quadrics) -> AnyArray:
    """The parts of directions (n, 8) that are tangent to the solutions at points."""
    rows, tangent = conditions.tangents(points)
    weights = np.einsum("nij,nj->ni", rows.conj(), directions) * tangent
    return np.asarray(np.einsum("ni,nij->nj", weights, rows))


_ONE_CLUSTER = 1e-3
"""Sine of the angle between ends of paths that are one solution of multiplicity up to five."""
_WALKERS, _GUESSES, _FAR_WORSE = 40, 240, 100
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
    known = nearest if len(first) == len(nearest) else nearest[first]
    points, radius = known.points.real, known.proved_radius
    if special is None:
        return RealSolutions(points, radius, multiplicity, np.zeros(len(points), bool))
    singular = np.concatenate([special.isolated, special.samples])
    searched = _besides(known, singular, refine(special.searched, coefficients, bounds))
    unproved, n_samples = np.full(len(singular), np.inf), len(special.samples)
    counts = (np.zeros(len(searched), int), special.multiplicity, np.zeros(n_samples, int))
    points = np.concatenate([points, searched.points.real, singular])
    radius = np.concatenate([radius, searched.proved_radius, unproved])
    sample = np.arange(len(points)) >= len(points) - n_samples
    return RealSolutions(points, radius, np.concatenate([multiplicity, *counts]), sample)


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
    well_conditioned = orthonormal_rows(coefficients)  # real mixtures (6, 17) of the conditions
    conditions = Quadrics(jacobians()(np.eye(8), well_conditioned))
    singular = found.singular.points
    known = np.concatenate([home[None], unit(found.without_proof.real)])
    searched = searched_solutions(geometry, lengths, conditions, known)
    free = on_curves(searched, conditions)
    walkers = searched[free]
    meets = np.array([(apart(walkers, x) < _SCATTERS[0]).any() for x in searched], dtype=bool)
    samples = nearest_on_curves(walkers, home, conditions)
    if not conditions.fits(samples, FITS / 10).any():
        samples = walkers[:1]  # a curve that exists only up to rounding of data fits badly there
    on = on_curves(singular, conditions)
    centres, sizes = _clusters(singular[~on])
    real = nearest_solutions(unit(centres.real), conditions)
    near = conditions.fits(real) & (apart(centres, real) < _ONE_CLUSTER)
    isolated, multiplicity = real[near], sizes[near]  # in the middle of clusters
    gaps = [  # of points that walkers on curves can come to, which are not isolated
        apart(nearest_on_curves(walkers[:_WALKERS], goal, conditions), goal).min(initial=1)
        for goal in isolated
    ]
    met = np.array(gaps) < _ONE_CLUSTER
    count = int(on.sum() + multiplicity[met].sum())
    samples, others = given_once(np.concatenate([isolated[met], samples])), searched[~free & ~meets]
    return Special(isolated[~met], multiplicity[~met], samples, others, count)


def _clusters(points: AnyArray) -> tuple[AnyArray, AnyArray]:
    """The centres of clusters of points, and the number of points of each.

    Rounding scatters the ends of paths about a singular solution; their centre is far better.
    """
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415  (slow to import)

    if len(points) == 0:
        return points, np.zeros(0, dtype=int)
    near = np.abs(points.conj() @ points.T) ** 2 > 1 - _ONE_CLUSTER**2
    n_clusters, labels = connected_components(near, directed=False)
    centres = []
    for k in range(n_clusters):
        own = points[labels == k]
        turns = own.conj() @ own[0]  # all to the phase of the first
        centres.append(unit((own * (turns / np.abs(turns))[:, None]).mean(0)))
    return np.array(centres), np.bincount(labels)
