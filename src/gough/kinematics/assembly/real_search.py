"""Real solutions by search from many poses: no path leads to them by design, but most are found."""

from __future__ import annotations

import numpy as np

from gough.arrays import AnyArray
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.quadrics import Quadrics, nearest_solutions, unit
from gough.poses.quaternions import product, rotated

_GUESSES = 240
_FAR_WORSE = 100
_ROUNDING = 1e-13


def searched_solutions(
    geometry: Geometry, lengths: AnyArray, conditions: Quadrics, known: AnyArray
) -> AnyArray:
    """Real solutions (n, 8) for lengths [m], many of them more than once.

    The search begins at known points (n, 8), and at guesses that have one leg, which points
    anywhere, of the right length. What fits far worse than most has not converged.
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
    converged: AnyArray = found[errors <= _FAR_WORSE * usual + _ROUNDING]
    return converged


def study_points(t: AnyArray, e: AnyArray) -> AnyArray:
    """Study coordinates (n, 8), of length one, of positions and unit quaternions."""
    g = product(np.insert(t, 0, 0.0, axis=1), e) / 2
    return unit(np.hstack([e, g]))
