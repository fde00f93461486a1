"""All poses of translating and of planar machines with locked motors, with certificates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.kinematics.assembly.few_solutions import (
    CircleConditions,
    Conditions,
    Solution,
    Spheres,
    are_different,
    solutions,
)
from gough.kinematics.assembly.held_motors import Distances
from gough.kinematics.size import machine_size
from gough.poses import pose
from gough.poses.quaternions import of_rotation_vector, product, rotated
from gough.robot import Mechanism

_SAME = 1e-9
"""Difference, in machine sizes, below which spheres or poses are the same."""
_FITS = 1e-9
"""Maximum residual of a pose, in machine sizes."""
_ROUNDING = 1e-14
"""Difference of squares, relative to their sum, that counts as zero."""
_TWICE = 1e-5
"""Distance below which solutions without proof coincide, at a singular pose."""


@dataclass(frozen=True)
class FewModes:
    """Poses (n, 7) with residuals [m], error bounds [m, rad] and multiplicity; counts of all."""

    poses: Array
    residual: Array
    position_error: Array
    angle_error: Array
    multiplicity: AnyArray
    degree: int
    n_complex: int
    n_proved: int
    complete: bool


def translating_modes(robot: Mechanism, held: Distances) -> FewModes:
    """Find poses of a machine that only translates: where three spheres meet."""
    unit = machine_size(robot)
    spheres = np.column_stack([held.base - held.platform, held.lengths]) / unit
    distinct = spheres[_first_of_each(spheres)]
    if len(distinct) < 3:
        raise GoughError(
            f"assembly_modes: {robot.name}: {len(distinct)} spheres hold the platform; expected "
            "three. forward_kinematics finds the pose near a guess"
        )
    conditions = Spheres(distinct[:3, :3], distinct[:3, 3])

    def placed(x: AnyArray) -> Array:
        return pose(unit * x.real, quaternion=robot.home[3:])

    return _modes(robot, held, conditions, placed, unit, arm=0.0, more=len(distinct) > 3)


def planar_modes(robot: Mechanism, held: Distances) -> FewModes:
    """Find poses of a planar machine, from three circles, or a hinge and a circle."""
    n, unit, home = held.normal, machine_size(robot), np.array(robot.home)
    assert n is not None
    across_plane = np.abs((home[:3] + held.platform - held.base) @ n)
    radii = _radii(robot, held.lengths, across_plane)
    order = np.argsort(radii != 0, kind="stable")  # a hinge first
    base, platform, d = held.base[order], held.platform[order], radii[order] / unit
    across = np.eye(3)[np.argmin(np.abs(n))]
    x = np.cross(across, n) / np.linalg.norm(np.cross(across, n))
    plane = np.array([x, np.cross(n, x)])
    a, b = ((points / unit) @ plane.T @ [1, 1j] for points in (base, platform))
    count = 2 if d[0] == 0 else 3
    if len(d) < count:
        raise GoughError(
            f"assembly_modes: {robot.name}: {len(d)} distances hold the platform; expected three, "
            "or a hinge and one. forward_kinematics finds the pose near a guess"
        )
    first = slice(0, count)
    conditions = CircleConditions(a[first] - a[0], b[first] - b[0], d[first])

    def placed(x: AnyArray) -> Array:
        P, _, z, _ = x
        turn = of_rotation_vector(np.angle(z) * n)
        origin = P + a[0] - z / abs(z) * b[0]
        place = unit * np.array([origin.real, origin.imag]) @ plane + (home[:3] @ n) * n
        return pose(place, quaternion=product(turn, home[3:]))

    return _modes(robot, held, conditions, placed, unit, float(abs(b[0])), more=len(d) > count)


def _radii(robot: Mechanism, lengths: Array, across: Array) -> Array:
    """Distances of the ends of legs in the plane [m]; zero, but for rounding errors, of hinges."""
    squares, rounding = lengths**2 - across**2, _ROUNDING * (lengths**2 + across**2)
    short = np.flatnonzero(squares < -rounding)
    if short.size:
        k = short[0]
        raise GoughError(
            f"assembly_modes: {robot.name}: leg {k + 1} is {lengths[k]:.6g} m long and its joints "
            f"are {across[k]:.6g} m apart across the plane; expected a leg that is not shorter"
        )
    return np.sqrt(np.where(squares <= rounding, 0.0, squares))


def _modes(
    robot: Mechanism,
    held: Distances,
    conditions: Conditions,
    placed: Callable[[AnyArray], Array],
    unit: float,
    arm: float,
    more: bool,
) -> FewModes:
    found = solutions(conditions)
    proved = [s for s in found if np.isfinite(s.radius)]
    real, multiplicity = _real(found)
    poses = np.array([placed(s.x) for s in real]).reshape(-1, 7)
    residual = _residual(robot, held, poses)
    fits = residual < _FITS * unit if more else np.full(len(real), True)
    radius = np.array([s.radius for s in real])
    decided = len(proved) == conditions.degree and all(s.decided for s in proved)
    return FewModes(
        poses[fits],
        residual[fits],
        unit * (1 + arm) * radius[fits] if not more else np.full(fits.sum(), np.inf),
        np.pi * radius[fits] if not more else np.full(fits.sum(), np.inf),
        multiplicity[fits],
        conditions.degree,
        len(found),
        len(proved),
        decided and are_different(proved) and not more,
    )


def _real(found: list[Solution]) -> tuple[list[Solution], AnyArray]:
    """The real solutions, those without proof only once, and their multiplicities."""
    kept: list[Solution] = []
    counts: list[int] = []
    for s in (s for s in found if s.real):
        twins = [
            k
            for k, other in enumerate(kept)
            if not np.isfinite(s.radius) and np.linalg.norm(other.x - s.x) < _TWICE
        ]
        if twins:
            counts[twins[0]] += 1
        else:
            kept.append(s)
            counts.append(1)
    return kept, np.array(counts, dtype=int)


def _residual(robot: Mechanism, held: Distances, poses: Array) -> Array:
    """Maximum error of the distances between points [m]."""
    home = np.array(robot.home)
    back = rotated(home[3:] * [1, -1, -1, -1] / np.linalg.norm(home[3:]), held.platform)
    points = poses[:, None, :3] + rotated(poses[:, None, 3:], back)
    apart = np.linalg.norm(points - held.base, axis=-1)
    return np.asarray(np.abs(apart - held.lengths).max(-1, initial=0.0))


def _first_of_each(rows: Array) -> list[int]:
    """Indices of the rows that differ from all before."""
    return [
        k
        for k, row in enumerate(rows)
        if not (np.abs(rows[:k] - row).max(axis=1, initial=0.0) < _SAME).any()
    ]
