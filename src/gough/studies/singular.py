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
    touched = [float(time[k]) for k in _lone_zeros(signs)]
    for k in _dips(signs, np.abs(determinant)):
        t = _least(det, signs[k], time[k - 1], time[k + 1])
        if det(t) * signs[k] < 0:
            crossed += [_root(det, time[k - 1], t), _root(det, t, time[k + 1])]
        elif condition(t) > TOUCHING:
            touched.append(t)
    points = [(t, "crossed") for t in crossed] + [(t, "touched") for t in touched]
    return tuple(
        SingularPoint(t, tuple(map(float, pose_at(t))), kind) for t, kind in sorted(points)
    )


def near_singular(time: Array, points: tuple[SingularPoint, ...]) -> Array:
    """(T,) whether a sample is next to a singular point: forces are unbounded between the two."""
    near = np.zeros(len(time), dtype=bool)
    for point in points:
        after = int(np.searchsorted(time, point.time, side="right"))
        before = int(np.searchsorted(time, point.time, side="left")) - 1
        near[max(before, 0) : after + 1] = True
    return near


def _lone_zeros(signs: Array) -> list[int]:
    """The first sample of each run without a sign, unless the sign changes across the run."""
    zeros = np.flatnonzero(signs == 0)
    if not len(zeros):
        return []
    signed = np.flatnonzero(signs)
    first = [k for k in zeros if k == 0 or signs[k - 1] != 0]
    before = [signs[signed[signed < k]][-1:] for k in first]
    after = [signs[signed[signed > k]][:1] for k in first]
    changes = [len(a) and len(b) and a[0] != b[0] for a, b in zip(before, after, strict=True)]
    return [int(k) for k, changed in zip(first, changes, strict=True) if not changed]


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
