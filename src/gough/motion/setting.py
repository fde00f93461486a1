"""Context of a study's tables: the folder of its files, its work frame and its tool."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from gough.arrays import Array
from gough.errors import InputError
from gough.motion.motions.screws import Frame
from gough.poses import Frames, inverse

FrameName = Literal["base", "platform", "work", "tool"]
_NO_FRAMES = Frames()
_ON_MACHINE: dict[FrameName, Frame] = {
    "base": "base", "work": "base", "platform": "platform", "tool": "platform"
}  # fmt: skip


@dataclass(frozen=True)
class ReadingContext:
    """Where names of files count from, and the frames in which motions are given, if any are."""

    folder: Path = Path()
    frames: Frames | None = None

    def on_machine(self, name: FrameName) -> tuple[Frame, Array]:
        """In which frame of the machine a frame is fixed, and its pose (7) there."""
        frames = self._frames_for(name)
        poses = {"work": frames.work, "tool": frames.tool}
        return _ON_MACHINE[name], np.array(poses.get(name, _NO_FRAMES.work))

    def on_tool(self, name: FrameName | None) -> tuple[Frame, Array]:
        """Return `on_machine` for motions: the base is the work frame, the platform the tool.

        By default a frame is that base.
        """
        frames = self._frames_for(name)
        poses = {"base": inverse(frames.work), "platform": inverse(frames.tool)}
        return _ON_MACHINE[name or "work"], poses.get(name or "work", np.array(_NO_FRAMES.work))

    def _frames_for(self, name: FrameName | None) -> Frames:
        if self.frames is None and name in ("work", "tool"):
            expected = '"base" or "platform", or a table [frames] in the study'
            raise InputError("not known without frames", value=name, expected=expected)
        return self.frames or _NO_FRAMES
