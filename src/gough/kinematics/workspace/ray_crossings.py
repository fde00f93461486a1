"""Where rays cross limits, in closed form: the distances at which a limit may begin or end to hold.

Along a translation a leg's squared length and its projections are polynomials of the distance, so
strokes and the cones of joint limits are crossed where a quadratic is zero; det J times all leg
lengths is a cubic [St-Onge, Gosselin 2000]. Along a rotation a leg's squared length is a sine of
the angle. Between two neighbouring crossings none of these limits changes: one look tells all.
Crossings that do not exist are NaN; some are of a cone's other half, where nothing changes. All
that is for hexapods: of machines of other kinds no crossing is known in closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from gough.arrays import Array
from gough.kinematics.singularity.singularity import determinant
from gough.kinematics.workspace.reach import Limits
from gough.kinematics.workspace.stated import known_limits
from gough.model.kernels import Kernels
from gough.poses import transform
from gough.poses.quaternions import conjugate, product, rotated, unit
from gough.robot import Hexapod, Leg, Robot

Crossings = Callable[[Array, Array], Array]
"""Directions (n, 3), how far rays go (n) -> distances (n, k): at least those so far."""

_FLAT = 1e-14
"""A polynomial's leading coefficient below this share of its largest is nothing."""
_SHARES = np.array([0, 1, 2, 3]) / 3
_POWERS = np.linalg.inv(np.vander(_SHARES))
"""From a cubic's values at these shares to its coefficients of powers, the highest first."""
_BERNSTEIN = np.array([[6, 0, 0, 0], [-5, 18, -9, 2], [2, -9, 18, -5], [0, 0, 0, 6]]) / 6
"""The same to its Bernstein coefficients, between zero and one."""


def along_translations(robot: Robot, limits: Limits, centre: Array) -> tuple[Crossings, bool]:
    """The crossings of rays of positions; and whether they are those of all limits."""
    if not isinstance(robot, Hexapod):
        return _none_known, False
    known, model = known_limits(robot, limits.families), Kernels(robot)
    by_condition = limits.max_condition is not None
    of_legs = list(_on_legs(robot, known, centre))

    def crossings(directions: Array, reaches: Array) -> Array:
        found = [of_leg(directions) for of_leg in of_legs]
        if "singularity" in limits.families:
            found.append(_of_determinant(model, centre, directions, reaches))
        return np.concatenate(found, -1)

    complete = "clearance" not in known
    return crossings, complete and not ("singularity" in limits.families and by_condition)


def along_rotations(
    robot: Robot, limits: Limits, centre: Array, pivot: Array
) -> tuple[Crossings, bool]:
    """The crossings of rays of rotations about a pivot, a point of the platform [m].

    And whether they are those of all limits.
    """
    if not isinstance(robot, Hexapod):
        return _none_known, False
    known = known_limits(robot, limits.families)

    def crossings(directions: Array, _: Array) -> Array:
        found = [np.empty((len(directions), 0))]
        for leg in robot.legs if "stroke" in known else ():
            if leg.stroke is not None:
                found.append(_turned_to_length(leg, leg.stroke, centre, pivot, directions))
        return np.concatenate(found, -1)

    return crossings, known == ["stroke"] and "singularity" not in limits.families


def _none_known(directions: Array, _: Array) -> Array:
    """Of machines of other kinds: their rays are looked at in equal steps."""
    return np.empty((len(directions), 0))


def _on_legs(robot: Hexapod, known: list[str], centre: Array) -> Iterator[Callable[[Array], Array]]:
    """Where legs reach an end of their stroke, or the cone of a joint limit: (n, 2) each."""
    turned = product(_attitude(centre), conjugate(_attitude(robot.home)))
    for leg in robot.legs:
        u, home = (transform(pose, leg.platform) - leg.base for pose in (centre, robot.home))
        if "stroke" in known and leg.stroke is not None:
            for length in leg.stroke:
                yield partial(_to_length, u, length)
        for family, limit, axis in (
            ("base joint", leg.base_joint_limit, home),
            ("platform joint", leg.platform_joint_limit, rotated(turned, home)),
        ):
            if family in known and limit is not None:
                yield partial(_on_cone, u, axis / np.linalg.norm(axis), np.cos(limit))


def _attitude(pose: Any) -> Array:
    return unit(np.asarray(pose)[3:])


def _to_length(u: Array, length: float, d: Array) -> Array:
    """Where u + d t has a length."""
    return _roots(np.ones(len(d)), d @ u, np.full(len(d), u @ u - length**2))


def _on_cone(u: Array, axis: Array, cosine: float, d: Array) -> Array:
    """Where u + d t has an angle to an axis: ((u + d t) · axis)² = cos² |u + d t|²."""
    c, along, start = cosine**2, d @ axis, u @ axis
    return _roots(along**2 - c, start * along - c * (d @ u), start**2 - c * (u @ u))


def _roots(a: Array, b: Array, c: Array) -> Array:
    """(n, 2) the t of a t² + 2 b t + c = 0, without cancellation; NaN where there is none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        q = -(b + np.copysign(np.sqrt(b * b - a * c), b))
        return np.stack([q / a, c / q], -1)


def _of_determinant(model: Kernels, centre: Array, d: Array, reaches: Array) -> Array:
    """(n, 3) where det J is zero; the cubic is known by its values at four distances.

    A cubic is between its four Bernstein coefficients: where they have one sign, it has no zero.
    """
    poses = np.broadcast_to(centre, (len(d), 4, 7)).copy()
    poses[..., :3] += _SHARES[:, None] * (reaches[:, None] * d)[:, None, :]
    values = determinant(model.machines)(poses) * model.inverse_kinematics(poses).prod(-1)
    bernstein = values @ _BERNSTEIN.T
    some = np.flatnonzero((bernstein.min(-1) <= 0) & (bernstein.max(-1) >= 0) & values.any(-1))
    found = np.full((len(d), 3), np.nan)
    found[some] = reaches[some, None] * _real_roots(values[some] @ _POWERS.T)
    return found


def _real_roots(cubics: Array) -> Array:
    """(n, 3) the zeros of cubics (n, 4), the highest power first; NaN where they are not real."""
    least = _FLAT * np.abs(cubics).max(-1)
    lead = np.where(np.abs(cubics[:, 0]) < least, least, cubics[:, 0])
    companion = np.zeros((len(cubics), 3, 3))
    companion[:, 0, :] = -cubics[:, 1:] / lead[:, None]
    companion[:, 1, 0] = companion[:, 2, 1] = 1
    roots = np.linalg.eigvals(companion)
    return np.where(np.abs(roots.imag) <= 1e-6 * np.abs(roots), roots.real, np.nan)


def _turned_to_length(
    leg: Leg, lengths: tuple[float, float], centre: Array, pivot: Array, d: Array
) -> Array:
    """(n, 4) the angles about d at which a leg is as long as this: l² = K + A cos t + B sin t."""
    q = _attitude(centre)
    w, b = transform(centre, pivot) - leg.base, rotated(q, np.array(leg.platform) - pivot)
    across = (d @ b) * (d @ w)
    A, B = 2 * (w @ b - across), 2 * np.cross(d, b) @ w
    K = w @ w + b @ b + 2 * across
    with np.errstate(invalid="ignore", divide="ignore"):
        swing = np.arccos((np.square(lengths) - K[:, None]) / np.hypot(A, B)[:, None])
    middle = np.arctan2(B, A)[:, None]
    return np.concatenate([middle - swing, middle + swing], -1) % (2 * np.pi)
