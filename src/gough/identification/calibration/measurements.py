"""Measurements at readings of a machine's encoders.

All kinds are about the tool's pose in the work frame: all of it, its position, its orientation, the
distance of a point of the tool from a point of the work frame, or points of the tool. Misfits are
measured minus predicted values; a step of that pose is as those of `gough.poses`.

Their CSV files, and those of poses to measure at, have a line for each, with units in the headings.
Readings of the encoders stand under `leg_length_1 [m]` … of a hexapod, or `actuator_position_1
[rad]` … of other machines. Attitudes are roll, pitch, yaw about fixed axes, or a quaternion.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import AnyArray, Array
from gough.disk.files import atomic_write
from gough.disk.tables import write_csv
from gough.display.brief import brief
from gough.errors import GoughError, InputError, about_file
from gough.fields.units import ANGLE, LENGTH, Dimension
from gough.motion.columns import PLACE, POSE, POSITION, QUATERNION, RPY, columns_in
from gough.poses import euler, pose
from gough.poses.algebra import difference, joined, parts, transform, twist_transfer
from gough.poses.given import array_of_numbers, check_quaternions, finite
from gough.poses.quaternions import rotated
from gough.robot import Robot

_ENDS = tuple(f"{end}_{axis}" for end in ("work", "tool") for axis in POSITION)
_EXPECTED = (
    "x y z, roll pitch yaw or qw qx qy qz, x y z with an attitude, marker_1_x marker_1_y …, or "
    "distance work_x … tool_x …"
)


@dataclass(frozen=True, eq=False, repr=False)
class Measurements(ABC):
    """Measurements at readings (count, actuators) [m, rad]."""

    readings: Array

    by_row: ClassVar[Mapping[str, int]]
    """Fields beside the readings with an entry for each measurement, and its size."""

    __repr__ = brief

    def __post_init__(self) -> None:
        readings = np.atleast_2d(array_of_numbers(self.readings, "readings"))
        object.__setattr__(self, "readings", finite(readings, "readings", readings.shape[-1]))
        self._check()
        if not (np.isfinite(self.sigmas) & (self.sigmas > 0)).all():
            raise GoughError(f"sigma is {self.sigmas.tolist()}; expected numbers above 0 [m, rad]")

    def __len__(self) -> int:
        return len(self.readings)

    def at(self, rows: ArrayLike) -> Self:
        """Some of them, by their places."""
        return replace(self, **{k: getattr(self, k)[rows] for k in ("readings", *self.by_row)})

    @property
    def sigmas(self) -> Array:
        """(m) standard deviation of the noise of each number of a measurement [m, rad]."""
        of_length, of_angle = (getattr(self, k, np.nan) for k in ("sigma", "angle_sigma"))
        return np.where(self.turns, of_angle, of_length)

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

    def _check(self) -> None:
        """Bring all fields to an entry for each measurement, or refuse them."""
        for name, size in self.by_row.items():
            value = finite(getattr(self, name), name, size)
            if value.shape[:-1] != (len(self),):
                raise GoughError(f"{name} has shape {value.shape}; expected ({len(self)}, {size})")
            object.__setattr__(self, name, value)


class _OfPose(Measurements):
    """Some components of the tool's pose: translation, rotation vector, or both."""

    components: ClassVar[slice]

    @property
    def turns(self) -> AnyArray:
        """(m) whether each is an angle."""
        return np.repeat([False, True], 3)[self.components]

    @abstractmethod
    def _measured(self, tool: Array) -> Array:
        """The measured poses (count, 7), with what was not measured as predicted."""

    def misfit(self, tool: Array) -> Array:
        """(count, m) steps to what was measured."""
        return difference(self._measured(tool), tool)[:, self.components]

    def slopes(self, tool: Array) -> Array:
        """(count, m, 6) one to one."""
        own = np.eye(6)[self.components]
        return np.broadcast_to(own, (len(tool), *own.shape))


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredPoses(_OfPose):
    """Full poses (count, 7) of the tool."""

    poses: Array
    sigma: float
    """Standard deviation of each coordinate [m]."""
    angle_sigma: float
    """Standard deviation of the rotation about each axis [rad]."""

    by_row: ClassVar = {"poses": 7}
    components: ClassVar = slice(0, 6)

    def _check(self) -> None:
        super()._check()
        object.__setattr__(self, "poses", joined(*parts(self.poses, "poses")))

    def _measured(self, tool: Array) -> Array:
        return self.poses


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredPositions(_OfPose):
    """Positions (count, 3) [m] of the tool's origin."""

    positions: Array
    sigma: float
    """Standard deviation of each coordinate [m]."""

    by_row: ClassVar = {"positions": 3}
    components: ClassVar = slice(0, 3)

    def _measured(self, tool: Array) -> Array:
        return joined(self.positions, tool[:, 3:])


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredOrientations(_OfPose):
    """Orientations of the tool, quaternions (count, 4) w x y z."""

    quaternions: Array
    angle_sigma: float
    """Standard deviation of the rotation about each axis [rad]."""

    by_row: ClassVar = {"quaternions": 4}
    components: ClassVar = slice(3, 6)

    def _check(self) -> None:
        super()._check()
        check_quaternions(self.quaternions)

    def _measured(self, tool: Array) -> Array:
        return joined(tool[:, :3], self.quaternions)


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredDistances(Measurements):
    """Distances (count) [m] between a point of the work frame and one of the tool: a ball bar's."""

    distances: Array
    work_points: Array
    """(count, 3), or one for all [m]."""
    tool_points: Array
    """(count, 3), or one for all [m]."""
    sigma: float

    by_row: ClassVar = {"distances": 1, "work_points": 3, "tool_points": 3}
    turns = np.zeros(1, dtype=bool)

    def _check(self) -> None:
        distances = array_of_numbers(self.distances, "distances").reshape(-1, 1)
        object.__setattr__(self, "distances", distances)
        for name in ("work_points", "tool_points"):
            points = finite(getattr(self, name), name, 3)
            if points.ndim == 1:
                object.__setattr__(self, name, np.tile(points, (len(self), 1)))
        super()._check()

    def misfit(self, tool: Array) -> Array:
        """(count, 1) too short by so much."""
        bar = transform(tool, self.tool_points) - self.work_points
        return np.asarray(self.distances - np.linalg.norm(bar, axis=-1, keepdims=True))

    def slopes(self, tool: Array) -> Array:
        """(count, 1, 6) along the bar."""
        bar = transform(tool, self.tool_points) - self.work_points
        along = bar / np.linalg.norm(bar, axis=-1, keepdims=True)
        return np.asarray(along[:, None] @ _slopes_of_points(tool, self.tool_points))


@dataclass(frozen=True, eq=False, repr=False)
class MeasuredPoints(Measurements):
    """Positions (count, markers, 3) [m] of points of the tool; NaN where one was not seen."""

    points: Array
    markers: Array
    """(markers, 3) where they are on the tool [m]."""
    sigma: float
    """Standard deviation of each coordinate [m]."""

    by_row: ClassVar = {"points": 3}

    def _check(self) -> None:
        markers = np.atleast_2d(finite(self.markers, "markers", 3))
        points, expected = array_of_numbers(self.points, "points"), (len(self), *markers.shape)
        if points.shape != expected or np.isinf(points).any():
            raise GoughError(f"points have shape {points.shape}; expected {expected}, or NaN")
        object.__setattr__(self, "markers", markers)
        object.__setattr__(self, "points", points)

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
        missing = self.points - transform(tool[:, None], self.markers)
        return np.nan_to_num(missing.reshape(len(tool), -1))

    def slopes(self, tool: Array) -> Array:
        """(count, 3 markers, 6) of x, y, z of each."""
        return _slopes_of_points(tool[:, None], self.markers).reshape(len(tool), -1, 6)


def _slopes_of_points(tool: Array, points: Array) -> Array:
    """(..., 3, 6) of points (..., 3) of the tool: translation + rotation × R b."""
    return twist_transfer(rotated(tool[..., 3:], points))[..., :3, :]


def load_measurements(
    path: str | Path,
    robot: Robot,
    *,
    sigma: float | None = None,
    angle_sigma: float | None = None,
    markers: Sequence[Sequence[float]] = (),
) -> Measurements:
    """Measurements of a .csv file, whose columns say of which kind they are.

    `sigma` and `angle_sigma` are the standard deviations of lengths [m] and angles [rad]; `markers`
    (n, 3) are the points of the tool [m] whose positions are in it.
    """
    file = Path(path)
    seen = {f"marker_{k + 1}_{axis}": LENGTH for k in range(len(markers)) for axis in POSITION}
    known = reading_columns(robot) | POSE | dict.fromkeys(("distance", *_ENDS), LENGTH) | seen
    with about_file(file):
        columns = columns_in(file, known).values
        return _measured(columns, robot, list(seen), sigma, angle_sigma, markers)


def save_pose_table(robot: Robot, readings: Array, poses: Array, path: str | Path) -> None:
    """Write readings with poses (count, 7) as a .csv file.

    Poses that are to be commanded, with what was measured in their place, are measurements.
    """
    values = np.concatenate([readings, poses[:, :3], euler(poses, "xyz")], -1)
    columns = reading_columns(robot) | PLACE
    headings = [f"{name} [{dimension.unit}]" for name, dimension in columns.items()]
    with atomic_write(path) as part:
        write_csv(dict(zip(headings, values.T.copy(), strict=True)), part)


def reading_columns(robot: Robot) -> dict[str, Dimension]:
    """The names of the columns of readings, with what they are."""
    name = "leg_length" if robot.has_extensible_legs else "actuator_position"
    return {
        f"{name}_{k}": ANGLE if actuator.turns else LENGTH
        for k, actuator in enumerate(robot.actuators, 1)
    }


def _measured(
    columns: dict[str, Array],
    robot: Robot,
    seen: list[str],
    sigma: float | None,
    angle_sigma: float | None,
    markers: ArrayLike,
) -> Measurements:
    readings = _side_by_side(columns, tuple(reading_columns(robot)))
    if "distance" in columns:
        work, tool = np.split(_side_by_side(columns, _ENDS), 2, -1)
        stated = _stated("sigma", sigma)
        return MeasuredDistances(readings, columns["distance"], work, tool, stated)
    if seen:
        points = _side_by_side(columns, tuple(seen)).reshape(len(readings), -1, 3)
        return MeasuredPoints(readings, points, np.array(markers), _stated("sigma", sigma))
    attitude = None
    if "qw" in columns:
        attitude = _side_by_side(columns, QUATERNION)
    elif "roll" in columns:
        angles = _side_by_side(columns, RPY)
        attitude = pose(np.zeros_like(angles), rpy=angles)[:, 3:]
    if "x" not in columns:
        if attitude is None:
            raise InputError("nothing was measured", expected=f"the columns {_EXPECTED}")
        return MeasuredOrientations(readings, attitude, _stated("angle_sigma", angle_sigma))
    place, stated = _side_by_side(columns, POSITION), _stated("sigma", sigma)
    if attitude is None:
        return MeasuredPositions(readings, place, stated)
    poses = pose(place, quaternion=attitude)
    return MeasuredPoses(readings, poses, stated, _stated("angle_sigma", angle_sigma))


def _side_by_side(columns: dict[str, Array], names: tuple[str, ...]) -> Array:
    if missing := [name for name in names if name not in columns]:
        raise InputError(f'no column "{missing[0]}"', expected=f"all of {', '.join(names)}")
    return np.stack([columns[name] for name in names], -1)


def _stated(name: str, sigma: float | None) -> float:
    if sigma is None:
        kind = "angles [rad]" if name == "angle_sigma" else "lengths [m]"
        raise InputError(f"no {name}", expected=f"the standard deviation of measured {kind}")
    return sigma
