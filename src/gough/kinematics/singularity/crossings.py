"""Singularities that a motion meets: where it passes through one, touches one, comes near one.

A motion is one of `gough.motion`, a function of time, or samples. Between samples it
goes as `gough.poses.interpolate` does, so that nothing lies outside what was sampled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.kinematics.singularity.search import ROUNDING, least_about, zeros
from gough.kinematics.singularity.singularity import (
    HexapodSingularity,
    Singularity,
    check_length,
    determinant,
    determinant_unit,
    singularity,
)
from gough.memory import require_memory
from gough.model.kernels import Kernels
from gough.poses import interpolate
from gough.shown.brief import brief

Motion = Callable[[float], Any]

_BYTES = 512
"""What a sample takes: its pose and all measures there."""


@dataclass(frozen=True)
class Crossings:
    """The singularities of type 2 on a motion.

    Of a machine with more motors than freedoms det J has no sign: it touches them all.
    """

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

    __repr__ = brief


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
        return float(determinant(model.machines)(at(t)))

    def measures(t: float) -> Singularity:
        return singularity(model, at(t), characteristic_length=length)

    def parallel(t: float) -> float:
        return float(measures(t).parallel)

    floor = ROUNDING * determinant_unit(robot, length)
    found = sorted(
        zeros(det, grid, along.determinant, floor, lambda t: float(measures(t).condition))
    )
    crossed = [zero.time for zero in found if zero.kind == "crossed"]
    touched = [zero.since for zero in found if zero.kind == "touched"]
    least = least_about(parallel, grid, int(along.parallel.argmin()))
    nearest = min([*crossed, *touched, least], key=parallel)
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
        where = f"the motion has no Jacobian at time {grid[k]:g}, pose {poses[k].tolist()}"
        expected = "finite numbers and a pose that all legs can reach"
        if isinstance(along, HexapodSingularity):
            lengths = along.leg_lengths[k].tolist()
            expected = f"finite numbers and legs above 0 m, got {lengths} m"
        raise GoughError(f"{where}: expected {expected}")
