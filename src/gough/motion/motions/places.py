"""Places: a position and the rotation vector of a turn, and the motion that follows from them.

The rotation vector is that of the turn from a reference attitude, so a motion that turns about one
axis is one of its angle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.disk_kernels import compiled
from gough.compiler.native.kernel import Kernel
from gough.display.brief import brief
from gough.equations.spatial.rigid_motion import turned_by
from gough.motion.motions.screws import SAMPLES
from gough.motion.profiles import Profile, WithProfile
from gough.motion.samples import MotionError, MotionSamples, checked_type
from gough.poses.quaternions import conjugate, product, rotation_vector, unit

AT_REST = 1e-9
"""Maximum deviation of a profile's end from 1, and of its end speed from 0 [of its mean speed]."""

FULL_TURN = 0.95 * 2 * np.pi
"""Rotation vectors beyond this come too near to where they are not unique."""


def motion_of_places(
    reference: tuple[float, ...], place: Array, place_1: Array, place_2: Array
) -> MotionSamples:
    """Pose, twist and acceleration at places (..., 6) with their two time derivatives."""
    return MotionSamples(*_kernel()(np.array(reference), place, place_1, place_2))


def places_of(poses: Array) -> tuple[tuple[float, ...], Array]:
    """The first attitude, and (n, 6): position and continuous rotation vector from it."""
    lengths = np.linalg.norm(poses[:, 3:], axis=-1)
    if not lengths.all():
        k = int(np.argmin(lengths))
        raise MotionError("the quaternion is zero", key=f"poses[{k}]", expected="another one")
    first = unit(poses[0, 3:])
    vectors = _unwrapped(rotation_vector(product(conjugate(first), unit(poses[:, 3:]))))
    angles = np.linalg.norm(vectors, axis=-1)
    if angles.max() > FULL_TURN:
        k = int(np.argmax(angles > FULL_TURN))
        raise MotionError(
            f"turned by {np.degrees(angles[k]):.4g} deg from the first attitude",
            key=f"poses[{k}]",
            expected=f"at most {np.degrees(FULL_TURN):.4g} deg; split the motion with a stop",
        )
    return tuple(first.tolist()), np.concatenate([poses[:, :3], vectors], axis=-1)


def _unwrapped(vectors: Array) -> Array:
    """Return these attitudes, each rotation vector the nearest to the one before it.

    Where the angle passes π the vector of the shorter turn changes sides; the longer turn goes on.
    """
    result = vectors.copy()
    for k in range(1, len(result)):
        angle = np.linalg.norm(result[k])
        if angle > 0.0:
            other = result[k] * (1.0 - 2.0 * np.pi / angle)
            turns = [np.linalg.norm(vector - result[k - 1]) for vector in (other, result[k])]
            result[k] = other if turns[0] < turns[1] else result[k]
    return result


def turned_by_function() -> Function:
    """The equation from places to a motion."""
    return Function.from_equation(
        "turned_by",
        turned_by,
        (
            Argument("reference", (4,), "", "attitude from which the rotation vector counts"),
            Argument("place", (6,), "m, rad", "position and rotation vector"),
            Argument("place_1", (6,), "m/s, rad/s", "first time derivative"),
            Argument("place_2", (6,), "m/s^2, rad/s^2", "second time derivative"),
        ),
        SAMPLES,
    )


@compiled
def _kernel() -> Kernel:
    return Kernel(turned_by_function())


@dataclass(frozen=True)
class Straight(WithProfile):
    """A straight line, and a turn about one axis meanwhile, both as far along as the profile.

    `first` and `last` are places: position [m] and rotation vector [rad] from the reference.
    """

    reference: tuple[float, ...]
    first: tuple[float, ...]
    last: tuple[float, ...]
    profile: Profile

    __repr__ = brief

    @property
    def breaks(self) -> tuple[float, ...]:
        """Those of the profile, unless the platform stays where it is."""
        return () if self.first == self.last else self.profile.breaks

    @property
    def waypoint_times(self) -> tuple[float, ...]:
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
