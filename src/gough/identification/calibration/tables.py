"""CSV files of measurements, and of poses to measure at: a line each, with units in the headings.

Readings of the encoders stand under `leg_length_1 [m]` … of a hexapod, or `actuator_position_1
[rad]` … of other machines. Attitudes are roll, pitch, yaw about fixed axes, or a quaternion.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.disk.files import atomic_write
from gough.disk.tables import write_csv
from gough.errors import InputError, about_file
from gough.fields.units import ANGLE, LENGTH, NUMBER, Dimension
from gough.identification.calibration.measurements import (
    MeasuredDistances,
    MeasuredOrientations,
    MeasuredPoints,
    MeasuredPoses,
    MeasuredPositions,
    Measurements,
)
from gough.motion.columns import columns_in
from gough.poses import euler, pose
from gough.robot import Robot

POSITION, RPY, QUATERNION = ("x", "y", "z"), ("roll", "pitch", "yaw"), ("qw", "qx", "qy", "qz")
_ENDS = tuple(f"{end}_{axis}" for end in ("work", "tool") for axis in POSITION)
_EXPECTED = (
    "x y z, roll pitch yaw or qw qx qy qz, x y z with an attitude, marker_1_x marker_1_y …, or "
    "distance work_x … tool_x …"
)


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
    known = reading_columns(robot) | dict.fromkeys(POSITION, LENGTH) | dict.fromkeys(RPY, ANGLE)
    known |= dict.fromkeys(QUATERNION, NUMBER) | {"distance": LENGTH}
    known |= dict.fromkeys(_ENDS, LENGTH) | seen
    with about_file(file):
        columns = columns_in(file, known).values
        return _measured(columns, robot, list(seen), sigma, angle_sigma, markers)


def save_pose_table(robot: Robot, readings: Array, poses: Array, path: str | Path) -> None:
    """Write readings with poses (count, 7) as a .csv file.

    Poses that are to be commanded, with what was measured in their place, are measurements.
    """
    values = np.concatenate([readings, poses[:, :3], euler(poses, "xyz")], -1)
    columns = reading_columns(robot) | dict.fromkeys(POSITION, LENGTH) | dict.fromkeys(RPY, ANGLE)
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
