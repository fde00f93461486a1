"""Motions of a tool in a work frame, as motions of the platform that carries it."""

from __future__ import annotations

from dataclasses import dataclass

from gough.arrays import Array
from gough.motion.samples import Derived, Motion, MotionSamples, checked_type
from gough.poses import Frames
from gough.shown.brief import brief


@dataclass(frozen=True)
class InFrames(Derived):
    """The platform's motion, of a motion that was given of the tool in the work frame."""

    given: Motion
    frames: Frames

    __repr__ = brief

    def __post_init__(self) -> None:
        checked_type(self.given, Motion, "motion", "a motion, such as a line")
        checked_type(self.frames, Frames, "frames", "gough.Frames(work=…, tool=…)")

    def _at(self, t: Array) -> MotionSamples:
        tool, frames = self.given(t), self.frames
        return MotionSamples(
            frames.platform_pose(tool.pose),
            frames.platform_twist(tool.pose, tool.twist),
            frames.platform_acceleration(*tool),
        )


def in_frames(motion: Motion, frames: Frames) -> InFrames:
    """The motion of the platform by which its tool makes a motion in the work frame."""
    return InFrames(motion, frames)
