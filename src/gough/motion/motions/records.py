"""From a CSV file of measured poses to a motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

import numpy as np

from gough.arrays import Array
from gough.fields.quantities import NotNegativeAngle, NotNegativeLength
from gough.fields.table import FileTable, entry
from gough.fields.units import ANGLE, LENGTH, NUMBER, Dimension
from gough.motion.checked import MotionError
from gough.motion.columns import Columns, read_columns
from gough.motion.motions import splines
from gough.motion.motions.splines import SplineMotion
from gough.motion.table_parts import ReadingContext
from gough.poses import euler, rotation
from gough.poses import pose as make_pose

ANGLES = ("roll", "pitch", "yaw")
LOCKED = 1e-6
"""Distance [rad] to a pitch of 90 degrees below which roll and yaw are not distinguishable."""

Given = TypeVar("Given")
_QUATERNION = ("qw", "qx", "qy", "qz")
_KNOWN: dict[str, Dimension] = (
    dict.fromkeys("xyz", LENGTH) | dict.fromkeys(ANGLES, ANGLE) | dict.fromkeys(_QUATERNION, NUMBER)
)


class RecordedTable(FileTable):
    """A record in a CSV file."""

    kind: Literal["recorded"]
    file: str = entry("Name of the file, as seen from the study file.")
    position_noise: NotNegativeLength = entry(
        "Standard deviation of the noise of each coordinate [m]; 0 goes through every sample."
    )
    angle_noise: NotNegativeAngle = entry(
        "Standard deviation of the noise of the attitude, about each axis [rad]."
    )

    def motion(self, start: Array, setting: ReadingContext) -> SplineMotion:
        """The motion of the record; what has no column stays as at the start."""
        columns = read_columns(setting.folder / self.file, _KNOWN)
        with columns.given_as("times", "poses"):
            return splines.recorded(
                columns.values["t"],
                _poses(columns, start),
                position_noise=self.position_noise,
                angle_noise=self.angle_noise,
            )


def _poses(columns: Columns, start: Array) -> Array:
    """Poses (n, 7), the quaternions of any length; what has no column stays as at the start."""
    values = columns.values
    still = np.broadcast_to(start, (len(values["t"]), 7))
    place = np.stack([values.get(k, still[:, i]) for i, k in enumerate("xyz")], axis=-1)
    turns = {name: values[name] for name in ANGLES if name in values}
    parts = [values[name] for name in _QUATERNION if name in values]
    if (turns and parts) or len(parts) not in (0, 4):
        raise MotionError("the attitude is not clear", key="poses", expected="angles or four q")
    if turns:
        try:
            angles = all_angles(turns, start)
        except MotionError as error:
            raise error.inside("poses") from None
        return make_pose(place, rpy=np.stack(np.broadcast_arrays(*angles), axis=-1))
    attitude = np.stack(parts, axis=-1) if parts else still[:, 3:]
    return np.concatenate([place, attitude], axis=-1)


def all_angles(given: Mapping[str, Given], start: Array) -> list[Given | float]:
    """Roll, pitch and yaw: as given, or [rad] as they are at the start.

    The start's pitch is between -90 and 90 degrees; where it is one of these the start has no
    roll and yaw of its own, and leaving out one of the three is an error.
    """
    missing = [name for name in ANGLES if name not in given]
    if not missing:
        return [given[name] for name in ANGLES]
    x_axis = rotation(start).as_matrix()[:, 0]
    if np.hypot(x_axis[0], x_axis[1]) < LOCKED:
        raise MotionError(
            f"{' and '.join(missing)} left out, and the start is pitched by 90 deg",
            expected="roll, pitch and yaw, as the start's own roll and yaw are not clear",
        )
    at_start = dict(zip(ANGLES, euler(start, "xyz").tolist(), strict=True))
    return [given.get(name, at_start[name]) for name in ANGLES]
