"""What `gough export` is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gough.robot import Robot


class Format(StrEnum):
    """What a machine, or a part of it, can be written as."""

    C = "c"
    CUDA = "cuda"
    JAVASCRIPT = "js"
    WEBASSEMBLY = "wasm"
    STRUCTURED_TEXT = "st"
    FMU = "fmu"
    LINUXCNC = "linuxcnc"
    MJCF = "mjcf"
    URDF = "urdf"
    SDF = "sdf"
    ROS2 = "ros2"


@dataclass(frozen=True)
class Asked:
    """What a user asked to be exported, and what there is to tell about it."""

    robot: Robot
    parts: list[str]
    """Of the machine: names of kernels, say; none: all of it."""
    format: Format
    directory: Path
    options: Mapping[str, Any]
    """Those that were given, by their names on the command line."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Plain data of what was written; each writer adds its own."""
    remarks: list[str] = field(default_factory=list)
    """What a user should know of it, in words; each writer adds its own."""

    def given(self, option: str) -> bool:
        """Whether an option without a value was given."""
        return bool(self.options.get(option))

    @property
    def dtype(self) -> str:
        """The type of numbers in source code."""
        return "float32" if self.given("--float32") else "float64"
