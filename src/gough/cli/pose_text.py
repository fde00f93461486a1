"""Poses in words: angles typed in degrees, and a pose as rows of a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
import typer

from gough.cli.output import vector
from gough.poses import euler

DegreesOption = Annotated[
    bool, typer.Option("--degrees", help="Angles without a unit are in degrees, not radians.")
]


def in_degrees(angles: Iterable[str] | None) -> tuple[str, ...] | None:
    """The angles as texts, degrees added to those that have no unit."""
    return None if angles is None else tuple(_with_unit(text) for text in angles)


def pose_rows(pose: Any) -> list[tuple[str, str, str]]:
    """A pose for a table of name, value, unit: position, quaternion, roll-pitch-yaw."""
    return [
        ("position", position_words(pose, 9), "m"),
        ("quaternion", quaternion_words(pose, 9), "w x y z"),
        ("roll, pitch, yaw", vector(euler(pose, "xyz", degrees=True).round(10), 9), "deg"),
    ]


def position_words(pose: Any, digits: int = 4) -> str:
    """x y z [m]; what is less than a picometre is 0."""
    return vector(np.round(pose[:3], 12), digits)


def quaternion_words(pose: Any, digits: int = 4) -> str:
    """w x y z, of so few decimals that a line holds them."""
    return vector(np.round(pose[3:], 8), digits)


def _with_unit(text: str) -> str:
    try:
        float(text)
    except ValueError:
        return text
    return f"{text} deg"
