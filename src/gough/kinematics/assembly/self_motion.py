"""Platforms that move although no leg does: architecturally singular ones, and special lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.errors import GoughError
from gough.kinematics.assembly.geometry import Geometry
from gough.kinematics.assembly.kernels import real_conditions

Array = np.ndarray[Any, Any]

_SINGULAR = 1e-10
_EXCURSIONS = (1e-3, 3e-3)


class SelfMotion(GoughError):  # noqa: N818  (it is a fact about a machine)
    """The platform can move with its legs' lengths fixed: it has no assembly modes to list."""


def check_architecture(geometry: Geometry, name: str) -> None:
    """Raise SelfMotion if J is singular at every pose.

    It is one polynomial in the pose that vanishes there or not: poses without symmetry decide.
    """
    if geometry.dexterity < _SINGULAR:
        raise SelfMotion(
            f"{name}: architecturally singular: J has no inverse at any pose (its singular values "
            f"differ by a factor of {geometry.dexterity:.1g}), so the platform can move with all "
            "legs fixed; expected joint centres in a more general position"
        )


def real_curve_points(points: Array, coefficients: Array) -> Array:
    """Real solutions on curves of solutions (n, 8), near the real parts of singular ones (m, 8).

    Where the solutions of the six conditions form a curve, paths end at any of its complex points.
    Two ends that lead to the same real point count once.
    """
    found: list[Array] = []
    for point in points.real:
        x, fits = _nearest_solution(point / np.linalg.norm(point), coefficients)
        known = any(abs(x @ other) > 1 - 1e-10 for other in found)
        if fits and not known and _on_a_curve(x, coefficients):
            found.append(x)
    return np.array(found).reshape(-1, 8)


def _on_a_curve(point: Array, coefficients: Array) -> bool:
    """Whether a real solution belongs to a curve of solutions.

    A short way along the null vector of J, Newton's method with least changes must find another
    solution, singular as well; an isolated one draws it back, or has a regular neighbour.
    """
    _, J = real_conditions()(point, coefficients)
    null_space = np.linalg.svd(J)[2][-2:]  # one of its directions is the point itself
    v = null_space[np.argmin(np.abs(null_space @ point))]
    v = v - point * (v @ point)
    return all(_continues(point, way * v, coefficients) for way in _EXCURSIONS)


def _continues(point: Array, step: Array, coefficients: Array) -> bool:
    y, fits = _nearest_solution(point + step, coefficients)
    sizes = np.linalg.svd(real_conditions()(y, coefficients).J)[1]
    apart = np.linalg.norm(y - point * (point @ y))
    return fits and bool(sizes[-1] < 1e-6 * sizes[0] and apart > np.linalg.norm(step) / 2)


def _nearest_solution(x: Array, coefficients: Array) -> tuple[Array, bool]:
    """A real solution near a point, by Newton's method with least changes; whether it is one."""
    for _ in range(50):
        values, J = real_conditions()(x, coefficients)
        x = x - np.linalg.pinv(J, rcond=1e-7) @ values
        x = x / np.linalg.norm(x)
    values, _ = real_conditions()(x, coefficients)
    finite = np.linalg.norm(x[:4]) > 1e-3
    return x, bool(finite and np.abs(values).max() < 1e-13)
