"""Singular configurations on a motion: when the actuators lose control of the platform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gough.kinematics.crossings import TOUCHING
from gough.kinematics.singularity import default_length
from gough.robot import Robot
from gough.studies.kernels import kernels_of
from gough.studies.results import SingularPoint

Array = np.ndarray[Any, np.dtype[np.float64]]

_ROUNDING = 1e-14
"""|det| of the scaled J below this has no sign."""
_UNBOUNDED = 1e3
"""A condition number above this, with a singular point in the midst of it, leaves no forces."""


def singular_points(
    robot: Robot,
    parameters: Array,
    pose_at: Callable[[float], Array],
    time: Array,
    determinant: Array,
) -> tuple[SingularPoint, ...]:
    """When det J passes zero between samples, or reaches it without a change of sign.

    `determinant` are its values at the times. Between samples the motion itself is asked, where
    |det J| may reach zero judging by its neighbours; what changes faster than that is not seen.
    """
    kernels, length = kernels_of(robot), default_length(robot)
    floor = _ROUNDING * length**3

    def det(t: float) -> float:
        return float(kernels.determinant(parameters, pose_at(t)))

    def condition(t: float) -> float:
        return float(kernels.condition(parameters, pose_at(t), np.array(length)))

    signs = np.where(np.abs(determinant) < floor, 0.0, np.sign(determinant))
    signed = np.flatnonzero(signs)
    last = np.flatnonzero(np.diff(signs[signed]))  # the last of one sign
    crossed = [
        _root(det, time[i], time[j]) for i, j in zip(signed[last], signed[last + 1], strict=True)
    ]
    size = np.abs(determinant)
    touched = [_nearest(det, time, size, k) for k in _lone_zeros(signs, size)]
    for k in _dips(signs, size):
        t = _least(det, signs[k], time[k - 1], time[k + 1])
        if det(t) * signs[k] < 0:
            crossed += [_root(det, time[k - 1], t), _root(det, t, time[k + 1])]
        elif condition(t) > TOUCHING:
            touched.append(t)
    points = [(t, "crossed") for t in crossed] + [(t, "touched") for t in touched]
    return tuple(
        SingularPoint(t, tuple(map(float, pose_at(t))), kind) for t, kind in sorted(points)
    )


def near_singular(
    robot: Robot, parameters: Array, pose: Array, time: Array, points: tuple[SingularPoint, ...]
) -> Array:
    """(T,) whether forces at a sample have no bound: it is near a singular point.

    That is the samples next to the point, and from there on for as long as J is ill-conditioned.
    """
    beside = np.zeros(len(time), dtype=bool)
    for point in points:
        after = int(np.searchsorted(time, point.time, side="right"))
        before = int(np.searchsorted(time, point.time, side="left")) - 1
        beside[max(before, 0) : after + 1] = True
    length = np.array(default_length(robot))
    condition = kernels_of(robot).condition(parameters, np.ascontiguousarray(pose), length)
    ill = beside | ~(condition < _UNBOUNDED)
    stretch = np.cumsum(np.diff(ill, prepend=ill[:1]))
    near: Array = ill & np.isin(stretch, stretch[beside])
    return near


def _lone_zeros(signs: Array, size: Array) -> list[int]:
    """The least of each run of samples without a sign, unless the sign changes across the run."""
    padded = np.pad(signs, 1)
    runs = np.split(np.arange(len(signs)), np.flatnonzero(np.diff(signs)) + 1)
    return [
        int(run[size[run].argmin()])
        for run in runs
        if signs[run[0]] == 0 and not padded[run[0]] * padded[run[-1] + 2] < 0
    ]


def _nearest(f: Callable[[float], float], time: Array, size: Array, k: int) -> float:
    """When |f| is least between the neighbours of sample k: there, unless it is less elsewhere."""
    low, high = time[max(k - 1, 0)], time[min(k + 1, len(time) - 1)]
    t = _least(lambda t: abs(f(t)), 1.0, low, high)
    return t if abs(f(t)) < size[k] else float(time[k])


def _dips(signs: Array, size: Array) -> list[int]:
    """Inner samples with the least |det| of three of one sign, low enough to reach zero nearby."""
    same = (signs[:-2] == signs[1:-1]) & (signs[1:-1] == signs[2:]) & (signs[1:-1] != 0)
    middle, rise = size[1:-1], np.maximum(size[:-2], size[2:]) - size[1:-1]
    least = (middle <= size[:-2]) & (middle < size[2:])
    return [int(k) + 1 for k in np.flatnonzero(same & least & (middle < 2 * rise))]


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import brentq  # noqa: PLC0415  (slow to import)

    return float(brentq(f, low, high, xtol=1e-12 * (high - low), rtol=1e-15, maxiter=1000))


def _least(f: Callable[[float], float], sign: float, low: float, high: float) -> float:
    from scipy.optimize import minimize_scalar  # noqa: PLC0415

    found = minimize_scalar(
        lambda t: sign * f(t),
        bounds=(float(low), float(high)),
        method="bounded",
        options={"xatol": 1e-9 * (high - low)},
    )
    return float(found.x)
