"""The way of a motion, gone with a profile of its own."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass, replace

import numpy as np

from gough.arrays import Array
from gough.motion.motions.screws import Screw
from gough.motion.motions.straight import Straight
from gough.motion.profiles.profiles import Profile
from gough.motion.samples import Derived, Motion, MotionSamples, checked_type
from gough.shown.brief import brief


@dataclass(frozen=True)
class Retimed(Motion):
    """A motion that is as far through another one as a profile says: 1 is its end."""

    motion: Motion
    profile: Profile

    __repr__ = brief

    @property
    def duration(self) -> float:  # type: ignore[override]
        """How long it takes [s]."""
        return self.profile.duration

    @property
    def breaks(self) -> tuple[float, ...]:
        """Those of the profile; those of the motion are passed at times that are not known."""
        return self.profile.breaks

    @property
    def corners(self) -> tuple[float, ...]:
        """Those of the profile."""
        return self.profile.corners

    @property
    def cautions(self) -> tuple[str, ...]:
        """Those of the motion, at its own times."""
        return self.motion.cautions

    def _at(self, t: Array) -> MotionSamples:
        whole = self.motion.duration
        s, speed, acceleration = (np.asarray(x) * whole for x in self.profile(t))
        pose, twist, second = self.motion(np.clip(s, 0.0, whole))
        rate = speed[..., None]
        return MotionSamples(pose, twist * rate, second * rate**2 + twist * acceleration[..., None])


def with_profile(motion: Motion, profile: Profile) -> Motion:
    """The way of a motion with another profile: of a line, rotation or screw in place of its own.

    Of others the profile says how far through the motion it is, as a share of its duration.
    """
    checked_type(motion, Motion, "motion", "a motion, such as a line")
    checked_type(profile, Profile, "profile", "a profile, such as Quintic(2.0)")
    if isinstance(motion, Screw | Straight):
        return replace(motion, profile=profile)
    if isinstance(motion, Derived) and is_dataclass(motion):
        return replace(motion, given=with_profile(motion.given, profile))
    return Retimed(motion, profile)
