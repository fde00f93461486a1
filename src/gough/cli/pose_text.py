"""Poses in words, and as rows of a table."""

from __future__ import annotations

from typing import Any

from gough.cli.output import vector


def pose_rows(pose: Any) -> list[tuple[str, str, str]]:
    """A pose for a table of name, value, unit: position, quaternion, roll-pitch-yaw."""
    from gough.poses import euler

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
