"""Slices through a workspace: two coordinates of the pose vary, the others stay.

What a machine cannot choose stays as it is at home, or follows: a tripod drifts aside as it tilts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.arrays import AnyArray, Array
from gough.errors import GoughError
from gough.kinematics.freedoms.following import followed_to
from gough.kinematics.freedoms.possible import has_constant_moves
from gough.kinematics.workspace.bounds import box_to_search
from gough.kinematics.workspace.charts import centre_of
from gough.kinematics.workspace.reach import ALL_LIMITS, Limits, margin_kernel
from gough.kinematics.workspace.stated import ENDS, ends_of
from gough.memory import require_memory
from gough.model.kernels import Kernels
from gough.poses import euler
from gough.poses import pose as make_pose
from gough.robot import Robot
from gough.robot.mechanism import MOVES
from gough.shown.brief import brief

COORDINATES = ("x", "y", "z", "roll", "pitch", "yaw")
"""Of a pose: position [m], and angles about the fixed axes, R = Rz(yaw) Ry(pitch) Rx(roll)."""
_COARSE = 120
_BORDER = 0.12
_BYTES = 384
"""What a point takes while it is looked at: coordinates, pose with what it is made of, margins."""


@dataclass(frozen=True)
class Slice:
    """Margins over a rectangle of two coordinates, m for x y z, rad for angles."""

    axes: tuple[str, str]
    fixed: dict[str, float]
    """The other coordinates in which the machine moves."""
    first: Array
    """(n) values of the first coordinate."""
    second: Array
    """(n) values of the second one."""
    margins: Array
    """(n, n, 5) in the order of FAMILIES; the first axis is that of the first coordinate."""
    ends: tuple[str, ...] = ENDS
    """What the families, and the end of assembly, are called."""

    __repr__ = brief

    @property
    def units(self) -> tuple[str, str]:
        """Of the two coordinates: m or rad."""
        first, second = ("rad" if is_angle(name) else "m" for name in self.axes)
        return first, second

    @property
    def inside(self) -> AnyArray:
        """(n, n) what is reachable."""
        return np.asarray((self.margins >= 0).all(-1))

    @property
    def area(self) -> float:
        """Of what is reachable, by counting grid points; in the units of the two coordinates."""
        cell = (self.first[1] - self.first[0]) * (self.second[1] - self.second[0])
        return float(self.inside.sum() * cell)


def workspace_slice(
    model: Kernels,
    axes: tuple[str, str],
    pose: Any = None,
    *,
    limits: Limits = ALL_LIMITS,
    resolution: int = 400,
) -> Slice:
    """Margins where two coordinates vary and the others are those of `pose` (default home).

    `axes` are two of x, y, z, roll, pitch, yaw in which the machine moves; rx, ry, rz are other
    names of the angles. The rectangle holds everything reachable in that plane, with a border
    around it.
    """
    robot = model.own_robot("a slice")
    first, second = (index_of(name) for name in axes)
    if first == second:
        raise GoughError(
            f"cannot slice along {axes[0]!r} and {axes[1]!r}; expected two of x, y, z, roll, "
            "pitch, yaw"
        )
    _check_moves(model, [MOVES[first], MOVES[second]])
    if resolution < 2:
        raise GoughError(f"resolution is {resolution}; expected at least 2 points along an axis")
    require_memory(_BYTES * resolution**2, f"slices of {resolution:,} by {resolution:,} points")
    start = centre_of(robot, pose)
    coordinates = _coordinates(start)
    kernel = margin_kernel(robot, limits)

    def look(ranges: Array, count: int) -> tuple[Array, Array, Array]:
        a, b = np.linspace(ranges[:, 0], ranges[:, 1], count).T
        return a, b, kernel(_poses(robot, start, (first, second), a, b))

    turning = max(first, second) >= 3 or not has_constant_moves(robot)
    ranges = _ranges(robot, limits, start, turning)[[first, second]]
    for _ in range(2):
        ranges = _around(*look(ranges, _COARSE), ranges)
    a, b, found = look(ranges, resolution)
    stay = [k for k in free_coordinates(model) if k not in (first, second)]
    fixed = {COORDINATES[k]: float(coordinates[k]) for k in stay}
    return Slice(axes, fixed, a, b, found, ends_of(robot))


def slice_poses(model: Kernels, part: Slice, pose: Any = None) -> Array:
    """(n, n, 7) the poses of a slice through `pose` (default home), in the order of its margins."""
    robot = model.own_robot("a slice")
    first, second = (index_of(name) for name in part.axes)
    return _poses(robot, centre_of(robot, pose), (first, second), part.first, part.second)


def free_coordinates(model: Kernels) -> list[int]:
    """Which of the coordinates a machine moves in; all of one whose moves are rows."""
    free = model.structure.freedoms
    named = set(free) <= set(MOVES)
    return [k for k, move in enumerate(MOVES) if move in free or not named]


def is_angle(name: str) -> bool:
    """Whether a coordinate is an angle."""
    return index_of(name) >= 3


def index_of(name: str) -> int:
    """The number of a coordinate."""
    for names in (COORDINATES, MOVES):
        if name in names:
            return names.index(name)
    raise GoughError(f"unknown coordinate {name!r}; expected one of {', '.join(COORDINATES)}")


def _coordinates(pose: Array) -> Array:
    return np.concatenate([pose[:3], euler(pose, "xyz")])


def _poses(robot: Robot, start: Array, varied: tuple[int, int], a: Array, b: Array) -> Array:
    """(n, m, 7) the poses from `start` on whose two varied coordinates have the values a, b."""
    grid = np.broadcast_to(_coordinates(start), (len(a), len(b), len(COORDINATES))).copy()
    grid[..., varied[0]], grid[..., varied[1]] = a[:, None], b
    flat = grid.reshape(-1, len(COORDINATES))
    asked = make_pose(flat[:, :3], rpy=flat[:, 3:])
    return followed_to(robot, start, asked).reshape(len(a), len(b), -1)


def _check_moves(model: Kernels, needed: list[str]) -> None:
    """Refuse a slice along what a machine cannot do; moves that are rows are not looked at."""
    free = [MOVES[k] for k in free_coordinates(model)]
    lacking = [move for move in needed if move not in free]
    if lacking:
        raise GoughError(
            f"{model.robot.name} moves in {', '.join(free)}, not in {', '.join(lacking)}; expected "
            "a slice along coordinates in which it moves"
        )


def _ranges(robot: Robot, limits: Limits, pose: Array, turning: bool) -> Array:
    """Where to look: the box of the longest legs, and all angles."""
    angles = np.array([[-np.pi, np.pi], [-np.pi / 2, np.pi / 2], [-np.pi, np.pi]])
    return np.concatenate([np.stack(box_to_search(robot, limits, pose, turning), -1), angles])


def _around(a: Array, b: Array, margins: Array, ranges: Array) -> Array:
    """The rectangle of what is reachable, with a border; the old one where nothing is."""
    inside = np.asarray((margins >= 0).all(-1))
    if not inside.any():
        return ranges
    hits = [a[inside.any(1)], b[inside.any(0)]]
    tight = np.array([[h.min(), h.max()] for h in hits])
    steps = np.array([a[1] - a[0], b[1] - b[0]])
    border = _BORDER * (tight[:, 1] - tight[:, 0]) + steps
    return np.stack([tight[:, 0] - border, tight[:, 1] + border], -1)
