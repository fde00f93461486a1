"""Poses in words, and as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gough.cli.output import vector

if TYPE_CHECKING:
    from gough.poses import Frames


def pose_lines(pose: Any, frames: Frames | None) -> list[str]:
    """A pose of the platform in a line; with frames, the tool's in the work frame before it."""
    own = f"position {position_words(pose, 6)} m, quaternion {quaternion_words(pose, 6)} (w x y z)"
    if frames is None:
        return [own]
    (tool,) = pose_lines(frames.tool_pose(pose), None)
    return [f"tool in the work frame: {tool}", f"platform in the base: {own}"]


def pose_rows(pose: Any, frames: Frames | None = None) -> list[tuple[str, str, str]]:
    """A pose for a table of name, value, unit: position, quaternion, roll-pitch-yaw.

    With frames, the tool's in the work frame before that of the platform in the base.
    """
    from gough.poses import euler

    if frames is not None:
        tool, own = pose_rows(frames.tool_pose(pose)), pose_rows(pose)
        return [
            (f"{whose}: {name}", value, unit)
            for whose, rows in (("tool", tool), ("platform", own))
            for name, value, unit in rows
        ]
    return [
        ("position", position_words(pose, 9), "m"),
        ("quaternion", quaternion_words(pose, 9), "w x y z"),
        ("roll, pitch, yaw", vector(euler(pose, "xyz", degrees=True).round(10), 9), "deg"),
    ]


def position_words(pose: Any, digits: int = 4) -> str:
    """x y z [m]; what is less than a picometre is 0."""
    return vector(pose[:3].round(12), digits)


def quaternion_words(pose: Any, digits: int = 4) -> str:
    """w x y z, of so few decimals that a line holds them."""
    return vector(pose[3:].round(8), digits)
