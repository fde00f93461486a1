"""Poses and frames as rows of tables, name, value and unit each, and as plain data."""

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.display.table import Rows, Table, vector
from gough.poses.frames import Frames
from gough.poses.making import euler

_DIGITS = 9


def pose_rows(pose: Array, frames: Frames | None = None) -> Rows:
    """Return rows of position, quaternion and roll-pitch-yaw of a platform's pose.

    With frames, those of the tool in the work frame come first; less than a picometre is 0.
    """
    if frames is None:
        return [
            ("position", vector(pose[:3].round(12), _DIGITS), "m"),
            ("quaternion", vector(pose[3:].round(8), _DIGITS), "w x y z"),
            ("roll, pitch, yaw", vector(_angles(pose), _DIGITS), "deg"),
        ]
    return [
        (f"{whose}: {name}", value, unit)
        for whose, own in (("tool", frames.tool_pose(pose)), ("platform", pose))
        for name, value, unit in pose_rows(own)
    ]


def frame_tables(frames: Frames | None) -> list[Table]:
    """Return a table of the work frame and the tool, if there are any."""
    if frames is None:
        return []
    rows: Rows = []
    places = {"work frame in the base": frames.work, "tool on the platform": frames.tool}
    for name, own in places.items():
        rows.append((f"{name}: position", vector(own[:3], 6), "m"))
        rows.append((f"{name}: roll, pitch, yaw", vector(_angles(own), 6), "deg"))
    return [Table.properties("Frames", rows)]


def pose_table(title: str, poses: Array) -> Table:
    """Return a table of poses (count, 7): position and roll-pitch-yaw."""
    angles = euler(poses, "xyz", degrees=True)
    heads = ("", "x [m]", "y [m]", "z [m]", "roll [deg]", "pitch [deg]", "yaw [deg]")
    each = enumerate(np.hstack([poses[:, :3], angles]), 1)
    return Table.of(title, heads, [(k, *(f"{x:z.4f}" for x in numbers)) for k, numbers in each])


def frame_facts(frames: Frames | None, pose: Array) -> PlainData:
    """Return the frames as plain data, and the tool's pose for one of the platform."""
    if frames is None:
        return {}
    known = {"work": list(frames.work), "tool": list(frames.tool)}
    return {"tool_pose": frames.tool_pose(pose).tolist(), "frames": known}


def _angles(pose: ArrayLike) -> Array:
    return euler(pose, "xyz", degrees=True).round(10)
