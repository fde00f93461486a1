"""Singularities that a motion meets: where it passes through one, touches one, comes near one.

A motion is one of `gough.motion`, a function of time, or samples. Between samples it
goes as `gough.poses.interpolate` does, so that nothing lies outside what was sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from gough.errors import GoughError
from gough.kinematics.singularity.singularity import (
    Singularity,
    check_length,
    determinant,
    singularity,
)
from gough.memory import require_memory
from gough.model.kernels import Kernels
from gough.poses import interpolate

Array = np.ndarray[Any, np.dtype[Any]]
Motion = Callable[[float], Any]

TOUCHING = 1e6
"""A condition number above this counts as singular."""
_BYTES = 512
"""What a sample takes: its pose and all measures there."""
_ROUNDING = 1e-14
"""|det| of the scaled J below this has no sign: it is at most 8, and rounds to about 1e-16."""


@dataclass(frozen=True)
class Crossings:
    """The singularities of type 2 on a motion."""

    crossing_times: Array
    """(k) when det J changes its sign."""
    crossing_poses: Array
    """(k, 7) the poses then."""
    touching_times: Array
    """(m) when J loses rank, but det J keeps its sign; of a singular interval its beginning."""
    touching_poses: Array
    """(m, 7) the poses then."""
    nearest_time: float
    """When the smallest singular value is least."""
    nearest: Singularity
    """All measures at that time: `nearest.parallel`, `nearest.distance`, the screw."""
    times: Array
    """(n) when the motion was looked at."""
    along: Singularity
    """All measures at those times, for plots along the motion."""


def crossings(
    model: Kernels,
    motion: Motion | Any,
    times: Any,
    *,
    samples: int = 1001,
    characteristic_length: float | None = None,
) -> Crossings:
    """Find where a motion passes or touches singularities, and how near it comes to one.

    `motion` is one of `gough.motion`, or a function from a time to a pose, with `times = (start,
    end)`; or an array of poses `(n, 7)` with `times` `(n,)`. It is looked at `samples` times, and
    between them where |det J| has a minimum: what changes faster than that is not seen.
    """
    robot = model.own_robot("crossings")
    length = check_length(robot, characteristic_length)
    at, grid = _motion(motion, times, samples)
    poses = _poses(at, grid)
    along = singularity(model, poses, characteristic_length=length)
    _check_defined(along, grid, poses)

    def det(t: float) -> float:
        return float(determinant(robot)(at(t)))

    def measures(t: float) -> Singularity:
        return singularity(model, at(t), characteristic_length=length)

    signs = np.where(np.abs(along.determinant) < _ROUNDING * length**3, 0, along.sign)
    crossed = _sign_changes(det, grid, signs)
    touched = [float(grid[k]) for k in _touched_samples(signs)]
    for k in _dips(signs, along.determinant):
        t = _minimum(partial(_times, signs[k], det), grid, k)
        if det(t) * signs[k] < 0:  # two crossings between samples of the same sign
            crossed += [_root(det, grid[k - 1], t), _root(det, t, grid[k + 1])]
        elif measures(t).condition > TOUCHING:
            touched.append(t)
    crossed, touched = sorted(crossed), sorted(touched)
    least = _minimum(lambda t: float(measures(t).parallel), grid, int(along.parallel.argmin()))
    nearest = min([*crossed, *touched, least], key=lambda t: float(measures(t).parallel))
    return Crossings(
        crossing_times=np.array(crossed),
        crossing_poses=_poses(at, crossed),
        touching_times=np.array(touched),
        touching_poses=_poses(at, touched),
        nearest_time=nearest,
        nearest=measures(nearest),
        times=grid,
        along=along,
    )


def _motion(motion: Motion | Any, times: Any, samples: int) -> tuple[Motion, Array]:
    """The motion as a function of time, and when to look at it."""
    when = np.asarray(times, dtype=float)
    if when.ndim != 1 or len(when) < 2 or not (np.diff(when) > 0).all():
        raise GoughError(f"times are {when}; expected at least two, increasing")
    require_memory(_BYTES * samples, f"{samples:,} samples")
    grid = np.union1d(when, np.linspace(when[0], when[-1], max(int(samples), 3)))
    if callable(motion):
        if len(when) != 2:
            raise GoughError(f"got {len(when)} times for a function; expected its start and end")
        return lambda t: _pose(motion(t)), grid
    poses = np.asarray(motion, dtype=float)
    if poses.shape != (len(when), 7):
        raise GoughError(
            f"the poses have shape {poses.shape}; expected ({len(when)}, 7), one for each time"
        )
    if not np.isfinite(poses).all():
        raise GoughError("the poses have entries that are not finite numbers")

    def at(t: float) -> Array:
        k = min(int(np.searchsorted(when, t, side="right")), len(when) - 1)
        share = (t - when[k - 1]) / (when[k] - when[k - 1])
        return interpolate(poses[k - 1], poses[k], share)

    return at, grid


def _pose(found: Any) -> Any:
    """The pose alone, of what a motion gives at a time."""
    return getattr(found, "pose", found)


def _poses(at: Motion, times: Any) -> Array:
    poses = [np.asarray(at(float(t)), dtype=float) for t in times]
    for t, pose in zip(times, poses, strict=True):
        if pose.shape != (7,):
            raise GoughError(f"the motion at time {t:g} has shape {pose.shape}; expected (7,)")
    return np.array(poses).reshape(-1, 7)


def _check_defined(along: Singularity, grid: Array, poses: Array) -> None:
    if not along.valid.all():
        k = int(along.valid.argmin())
        raise GoughError(
            f"the motion has no Jacobian at time {grid[k]:g}, pose {poses[k].tolist()}: expected "
            f"finite numbers and legs above 0 m, got {along.leg_lengths[k].tolist()} m"
        )


def _sign_changes(det: Callable[[float], float], grid: Array, signs: Array) -> list[float]:
    """Where the sign differs from the last one; samples without a sign are passed over."""
    signed = np.flatnonzero(signs)
    return [_root(det, grid[i], grid[j]) for i, j in pairwise(signed) if signs[i] != signs[j]]


def _touched_samples(signs: Array) -> list[int]:
    """The first of each run of samples without a sign, unless the sign changes across it."""
    touched = []
    padded = [0, *signs, 0]
    for k in np.flatnonzero(signs == 0):
        before = padded[k]
        if k > 0 and before == 0:
            continue
        after = next((s for s in signs[k:] if s != 0), 0)
        if before * after >= 0:
            touched.append(int(k))
    return touched


def _dips(signs: Array, determinants: Array) -> list[int]:
    """The inner samples at which |det| is least among neighbours of the same sign."""
    size = np.abs(determinants)
    same = (signs[:-2] == signs[1:-1]) & (signs[1:-1] == signs[2:]) & (signs[1:-1] != 0)
    least = (size[1:-1] <= size[:-2]) & (size[1:-1] < size[2:])
    return (np.flatnonzero(same & least) + 1).tolist()


def _times(sign: float, f: Callable[[float], float], t: float) -> float:
    return sign * f(t)


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    return float(brentq(f, low, high, xtol=4e-16 * max(abs(low), abs(high)), rtol=1e-15))


def _minimum(f: Callable[[float], float], grid: Array, k: int) -> float:
    """Where f is least between the neighbours of sample k, at which it is least of the three."""
    low, high = float(grid[max(k - 1, 0)]), float(grid[min(k + 1, len(grid) - 1)])
    found = minimize_scalar(
        f, bounds=(low, high), method="bounded", options={"xatol": 1e-9 * (high - low)}
    )
    return float(found.x) if found.fun < f(float(grid[k])) else float(grid[k])
