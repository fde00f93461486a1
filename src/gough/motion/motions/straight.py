"""The straight way from one pose to another, gone with a profile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.motion.motions.places import motion_of_places, places_of
from gough.motion.problems import MotionError
from gough.motion.profiles.profiles import Profile
from gough.motion.samples import Motion, MotionSamples, checked_type
from gough.shown.brief import brief

AT_REST = 1e-9
"""How far from 1 a profile may end, and how fast [of its mean speed]."""


@dataclass(frozen=True)
class Straight(Motion):
    """A straight line, and a turn about one axis meanwhile, both as far along as the profile.

    `first` and `last` are places: position [m] and rotation vector [rad] from the reference.
    """

    reference: tuple[float, ...]
    first: tuple[float, ...]
    last: tuple[float, ...]
    profile: Profile

    __repr__ = brief

    @property
    def duration(self) -> float:  # type: ignore[override]
        """How long it takes [s]."""
        return self.profile.duration

    @property
    def breaks(self) -> tuple[float, ...]:
        """Those of the profile, unless the platform stays where it is."""
        return () if self.first == self.last else self.profile.breaks

    @property
    def corners(self) -> tuple[float, ...]:
        """Those of the profile."""
        return self.profile.corners

    @property
    def told(self) -> tuple[float, ...]:
        """Both ends."""
        return (0.0, self.duration)

    def _at(self, t: Array) -> MotionSamples:
        first, way = np.array(self.first), np.array(self.last) - self.first
        s, speed, acceleration = (np.asarray(x)[..., None] for x in self.profile(t))
        return motion_of_places(self.reference, first + s * way, speed * way, acceleration * way)


def straight(poses: Array, profile: Profile) -> Straight:
    """The straight way between two poses (2, 7), from rest to rest."""
    checked_type(profile, Profile, "profile", "a profile, such as Quintic(2.0)")
    end = profile(np.array(profile.duration))
    if abs(end.s - 1.0) > AT_REST or abs(end.speed) * profile.duration > AT_REST:
        expected = "one from rest to rest: cosine, cycloidal, quintic, trapezoidal or s-curve"
        raise MotionError("does not end at rest", key="profile", expected=expected)
    reference, places = places_of(poses)
    first, last = (tuple(place.tolist()) for place in places)
    return Straight(reference, first, last, profile)
