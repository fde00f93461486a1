"""A machine in a format of other programs: files, and what must be known of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gough.robot import Robot


@dataclass(frozen=True)
class Export:
    """A machine in another format."""

    texts: dict[str, str]
    """By the names of files; the first is the machine."""
    remarks: list[str]
    """Differences between the format and the machine."""

    def __repr__(self) -> str:
        return f"<gough export: {', '.join(self.texts)}>"

    @property
    def text(self) -> str:
        """The file that is the machine."""
        return next(iter(self.texts.values()))


def file_name(robot: Robot) -> str:
    """Return the name of a robot's files, without suffix."""
    return as_file_name(robot.name)


def as_file_name(words: str) -> str:
    """Words as the name of a file, without an ending."""
    return re.sub(r"[^\w.-]+", "-", words).strip(".-") or "robot"
