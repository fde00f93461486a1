"""Measurements at readings of a machine's encoders.

All kinds are about the tool's pose in the work frame: all of it, its position, its orientation, the
distance of a point of the tool from a point of the work frame, or points of the tool. Misfits are
measured minus predicted values; a step of that pose is as those of `gough.poses`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.display.brief import brief
from gough.errors import GoughError
from gough.poses.algebra import difference, joined, parts, transform
from gough.poses.given import array_of_numbers, check_quaternions, finite
from gough.poses.quaternions import rotated


@dataclass(frozen=True, eq=False)
class Measurements(ABC):
    """Measurements at readings (count, actuators) [m, rad]."""

    readings: Array

    __repr__ = brief

    def __post_init__(self) -> None:
        readings = np.atleast_2d(array_of_numbers(self.readings, "readings"))
        object.__setattr__(self, "readings", finite(readings, "readings", readings.shape[-1]))

    def __len__(self) -> int:
        return len(self.readings)

    def at(self, rows: ArrayLike) -> Self:
        """Some of them, by their places."""
        each = {f.name: getattr(self, f.name)[rows] for f in fields(self) if f.name in self.by_row}
        return replace(self, **each)

    @property
    @abstractmethod
    def by_row(self) -> tuple[str, ...]:
        """Which of the fields have an entry for each measurement."""

    @property
    @abstractmethod
    def sigmas(self) -> Array:
        """(m) standard deviation of the noise of each number of a measurement [m, rad]."""

    @property
    @abstractmethod
    def turns(self) -> AnyArray:
        """(m) whether each is an angle [rad]; otherwise it is a length [m]."""

    @property
    def known(self) -> AnyArray:
        """(count, m) whether each was measured."""
        return np.ones((len(self), len(self.sigmas)), dtype=bool)

    @abstractmethod
    def misfit(self, tool: Array) -> Array:
        """(count, m) measured less predicted at the tool's poses (count, 7) [m, rad]."""

    @abstractmethod
    def slopes(self, tool: Array) -> Array:
        """(count, m, 6) by how much predictions change with a step of the tool's pose."""

    def _checked(self, name: str, size: int) -> None:
        """Bring a field to an entry for each measurement, or refuse it."""
        value = finite(getattr(self, name), name, size)
        if value.shape[:-1] != (len(self),):
            raise GoughError(f"{name} has shape {value.shape}; expected ({len(self)}, {size})")
        object.__setattr__(self, name, value)

    def _check_sigmas(self) -> None:
        if not (np.isfinite(self.sigmas) & (self.sigmas > 0)).all():
            raise GoughError(f"sigma is {self.sigmas.tolist()}; expected numbers above 0 [m, rad]")


@dataclass(frozen=True, eq=False)
class MeasuredPoses(Measurements):
    """Full poses (count, 7) of the tool."""

    poses: Array
    sigma: float
    """Standard deviation of each coordinate [m]."""
    angle_sigma: float
    """Standard deviation of the rotation about each axis [rad]."""

    by_row = ("readings", "poses")
    turns = np.repeat([False, True], 3)

    __repr__ = brief

    def __post_init__(self) -> None:
        super().__post_init__()
        self._checked("poses", 7)
        object.__setattr__(self, "poses", joined(*parts(self.poses, "poses")))
        self._check_sigmas()

    @property
    def sigmas(self) -> Array:
        """(6) of ways and turns."""
        return np.repeat([self.sigma, self.angle_sigma], 3)

    def misfit(self, tool: Array) -> Array:
        """(count, 6) steps to what was measured."""
        return difference(self.poses, tool)

    def slopes(self, tool: Array) -> Array:
        """(count, 6, 6) one to one."""
        return np.broadcast_to(np.eye(6), (len(tool), 6, 6))


@dataclass(frozen=True, eq=False)
class MeasuredPositions(Measurements):
    """Positions (count, 3) [m] of the tool's origin."""

    positions: Array
    sigma: float
    """Standard deviation of each coordinate [m]."""

    by_row = ("readings", "positions")
    turns = np.zeros(3, dtype=bool)

    __repr__ = brief

    def __post_init__(self) -> None:
        super().__post_init__()
        self._checked("positions", 3)
        self._check_sigmas()

    @property
    def sigmas(self) -> Array:
        """(3) of x, y, z."""
        return np.repeat(float(self.sigma), 3)

    def misfit(self, tool: Array) -> Array:
        """(count, 3) ways to what was measured."""
        return np.asarray(self.positions - tool[:, :3])

    def slopes(self, tool: Array) -> Array:
        """(count, 3, 6) of ways alone."""
        return np.broadcast_to(np.eye(3, 6), (len(tool), 3, 6))


@dataclass(frozen=True, eq=False)
class MeasuredOrientations(Measurements):
    """Orientations of the tool, quaternions (count, 4) w x y z."""

    quaternions: Array
    angle_sigma: float
    """Standard deviation of the rotation about each axis [rad]."""

    by_row = ("readings", "quaternions")
    turns = np.ones(3, dtype=bool)

    __repr__ = brief

    def __post_init__(self) -> None:
        super().__post_init__()
        self._checked("quaternions", 4)
        check_quaternions(self.quaternions)
        self._check_sigmas()

    @property
    def sigmas(self) -> Array:
        """(3) about x, y, z."""
        return np.repeat(float(self.angle_sigma), 3)

    def misfit(self, tool: Array) -> Array:
        """(count, 3) rotation vectors to what was measured."""
        return difference(joined(tool[:, :3], self.quaternions), tool)[:, 3:]

    def slopes(self, tool: Array) -> Array:
        """(count, 3, 6) of turns alone."""
        return np.broadcast_to(np.eye(3, 6, 3), (len(tool), 3, 6))


@dataclass(frozen=True, eq=False)
class MeasuredDistances(Measurements):
    """Distances (count) [m] between a point of the work frame and one of the tool: a ball bar's."""

    distances: Array
    work_points: Array
    """(count, 3), or one for all [m]."""
    tool_points: Array
    """(count, 3), or one for all [m]."""
    sigma: float

    by_row = ("readings", "distances", "work_points", "tool_points")
    turns = np.zeros(1, dtype=bool)

    __repr__ = brief

    def __post_init__(self) -> None:
        super().__post_init__()
        distances = array_of_numbers(self.distances, "distances").reshape(-1, 1)
        object.__setattr__(self, "distances", distances)
        self._checked("distances", 1)
        for name in ("work_points", "tool_points"):
            points = finite(getattr(self, name), name, 3)
            if points.ndim == 1:
                object.__setattr__(self, name, np.tile(points, (len(self), 1)))
            self._checked(name, 3)
        self._check_sigmas()

    @property
    def sigmas(self) -> Array:
        """(1) of the distance."""
        return np.array([float(self.sigma)])

    def misfit(self, tool: Array) -> Array:
        """(count, 1) too short by so much."""
        way = transform(tool, self.tool_points) - self.work_points
        return np.asarray(self.distances - np.linalg.norm(way, axis=-1, keepdims=True))

    def slopes(self, tool: Array) -> Array:
        """(count, 1, 6) along the bar."""
        way = transform(tool, self.tool_points) - self.work_points
        along = way / np.linalg.norm(way, axis=-1, keepdims=True)
        return np.asarray(along[:, None] @ _slopes_of_points(tool, self.tool_points))


@dataclass(frozen=True, eq=False)
class MeasuredPoints(Measurements):
    """Positions (count, markers, 3) [m] of points of the tool; NaN where one was not seen."""

    points: Array
    markers: Array
    """(markers, 3) where they are on the tool [m]."""
    sigma: float
    """Standard deviation of each coordinate [m]."""

    by_row = ("readings", "points")

    __repr__ = brief

    def __post_init__(self) -> None:
        super().__post_init__()
        markers = np.atleast_2d(finite(self.markers, "markers", 3))
        points, expected = array_of_numbers(self.points, "points"), (len(self), *markers.shape)
        if points.shape != expected or np.isinf(points).any():
            raise GoughError(f"points have shape {points.shape}; expected {expected}, or NaN")
        object.__setattr__(self, "markers", markers)
        object.__setattr__(self, "points", points)
        self._check_sigmas()

    @property
    def sigmas(self) -> Array:
        """(3 markers) of x, y, z of each."""
        return np.repeat(float(self.sigma), self.markers.size)

    @property
    def turns(self) -> AnyArray:
        """(3 markers) none."""
        return np.zeros(self.markers.size, dtype=bool)

    @property
    def known(self) -> AnyArray:
        """(count, 3 markers) whether each was seen."""
        return np.isfinite(self.points).reshape(len(self), -1)

    def misfit(self, tool: Array) -> Array:
        """(count, 3 markers); 0 of those not seen."""
        way = self.points - transform(tool[:, None], self.markers)
        return np.nan_to_num(way.reshape(len(tool), -1))

    def slopes(self, tool: Array) -> Array:
        """(count, 3 markers, 6) of x, y, z of each."""
        each = _slopes_of_points(tool[:, None], self.markers)
        return each.reshape(len(tool), -1, 6)


def _slopes_of_points(tool: Array, points: Array) -> Array:
    """(..., 3, 6) of points (..., 3) of the tool: way + turn × R b."""
    arm = rotated(tool[..., 3:], points)
    return np.concatenate([np.broadcast_to(np.eye(3), (*arm.shape, 3)), -crossing(arm)], -1)


def crossing(v: Array) -> Array:
    """(..., 3, 3) the matrix of a cross product: v × w = crossing(v) w."""
    return np.asarray(-np.cross(v[..., None, :], np.eye(3)))
