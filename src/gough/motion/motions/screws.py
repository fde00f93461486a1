"""Motions along a profile: finite screws (lines, turns about any axis), and straight ways.

A straight way is between two places: a position and the rotation vector of the turn from a
reference attitude, so a motion that turns about one axis is one of its angle.
"""

from dataclasses import dataclass
from math import factorial
from typing import Literal

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.compiler import Argument, Function, Kernel, compiled, kernel_of
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.attitude import quaternion_product
from gough.equations.spatial.pose import along_a_screw, turned_by
from gough.motion import checked
from gough.motion.checked import MotionError
from gough.motion.profiles import Profile, Quintic, WithProfile
from gough.motion.samples import MotionSamples, with_warnings
from gough.poses import transform
from gough.poses.quaternions import conjugate, product, rotated, rotation_vector, unit

SAMPLES = (
    Argument("pose", (7,), "m, 1", "position and quaternion"),
    Argument("twist", (6,), "m/s, rad/s", "velocity and angular velocity"),
    Argument("acceleration", (6,), "m/s^2, rad/s^2", "their time derivatives"),
)
"""The outputs of every kernel of a motion."""
PLACES = (
    Argument("reference", (4,), "", "attitude from which the rotation vector counts"),
    Argument("place", (6,), "m, rad", "position and rotation vector"),
    Argument("place_1", (6,), "m/s, rad/s", "first time derivative"),
    Argument("place_2", (6,), "m/s^2, rad/s^2", "second time derivative"),
)
"""The inputs of a motion's equation by places."""
AT_REST = 1e-9  # deviation of a profile's end from 1, of its end speed from 0 [of the mean speed]

FULL_TURN = 0.95 * 2 * np.pi  # beyond this rotation vectors are soon not unique
ORIGIN = (0.0, 0.0, 0.0)
Frame = Literal["base", "platform"]
Range = tuple[float, float]


@dataclass(frozen=True, repr=False)
class Screw(WithProfile):
    """A turn about an axis, and a travel along it, from a start pose.

    `axis` (length one) goes through `point` [m], both in the base frame. `angle` [rad] and
    `travel` [m] go from their first to their second value as the profile goes from 0 to 1; at
    angle and travel 0 the platform is at `start`.
    """

    start: tuple[float, ...]
    axis: tuple[float, ...]
    point: tuple[float, ...]
    angle: Range
    travel: Range
    profile: Profile

    def __post_init__(self) -> None:
        checked.instance(self.profile, Profile, "profile", "a profile, such as Quintic(2.0)")

    @property
    def _stays(self) -> bool:
        return self.angle[0] == self.angle[1] and self.travel[0] == self.travel[1]

    def _at(self, t: Array) -> MotionSamples:
        way = self.profile(t)
        angle, travel = (_along(ends, *way) for ends in (self.angle, self.travel))
        fixed = (np.array(x) for x in (self.start, self.axis, self.point))
        return MotionSamples(*_kernel()(*fixed, angle, travel))

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time."""
        s = self.profile.law(t, at)
        ways = (ca.vertcat(a + (b - a) * s, 0, 0) for a, b in (self.angle, self.travel))
        return along_a_screw(*map(ca.DM, (self.start, self.axis, self.point)), *ways)[0]


@with_warnings
def line(start: ArrayLike, displacement: ArrayLike, profile: Profile) -> Screw:
    """A straight line from a start pose, by a displacement [m], base frame; no rotation."""
    vector = checked.array(displacement, "displacement", (3,))
    direction = checked.direction(vector, "displacement")
    return travelling(start, direction, (0.0, float(np.linalg.norm(vector))), profile)


@with_warnings
def travelling(
    start: ArrayLike, direction: ArrayLike, travel: ArrayLike, profile: Profile
) -> Screw:
    """A straight line along a direction; `travel` [m] is the way, or where it begins and ends."""
    ends, axis = _range(travel, "travel"), checked.direction(direction, "direction")
    return Screw(checked.pose(start, "start"), axis, ORIGIN, (0.0, 0.0), ends, profile)


@with_warnings
def rotation(
    start: ArrayLike,
    axis: ArrayLike,
    point: ArrayLike,
    angle: ArrayLike,
    profile: Profile,
    *,
    frame: Frame = "base",
) -> Screw:
    """A turn by an angle [rad] about an axis through a point [m], at any distance."""
    return screw(start, axis, point, angle, 0.0, profile, frame=frame)


@with_warnings
def screw(
    start: ArrayLike,
    axis: ArrayLike,
    point: ArrayLike,
    angle: ArrayLike,
    pitch: float,
    profile: Profile,
    *,
    frame: Frame = "base",
) -> Screw:
    """A turn about an axis through a point [m], with a travel of `pitch` [m/rad] along it.

    `angle` [rad] is how far it turns, or from where to where, seen from `start`. The axis and the
    point are in the base frame, or in the platform's frame as it is at `start`.
    """
    checked.frames(frame=frame)
    pose = checked.pose(start, "start")
    direction = np.array(checked.direction(axis, "axis"))
    place = checked.array(point, "point", (3,))
    if frame == "platform":
        direction, place = rotated(np.array(pose[3:]), direction), transform(pose, place)
    turn, per_radian = _range(angle, "angle"), checked.number(pitch, "pitch")
    travel = (per_radian * turn[0], per_radian * turn[1])
    return Screw(pose, tuple(direction.tolist()), tuple(place.tolist()), turn, travel, profile)


@with_warnings
def hold(pose: ArrayLike, duration: float) -> Screw:
    """Rest at a pose for a while [s]."""
    axis, zero = (0.0, 0.0, 1.0), (0.0, 0.0)
    return Screw(checked.pose(pose, "pose"), axis, ORIGIN, zero, zero, Quintic(duration))


def _range(value: ArrayLike, key: str) -> Range:
    if not isinstance(value, list | tuple | np.ndarray) or getattr(value, "ndim", 1) == 0:
        return 0.0, checked.number(value, key)
    if len(value) != 2:
        raise MotionError(f"{len(value)} values", key=key, value=value, expected="[from, to]")
    first, last = checked.array(value, key, (2,)).tolist()
    return first, last


def _along(ends: Range, s: Array, speed: Array, acceleration: Array) -> Array:
    """A value and its two time derivatives, (..., 3)."""
    change = ends[1] - ends[0]
    return np.stack([ends[0] + change * s, change * speed, change * acceleration], axis=-1)


@compiled
def _kernel() -> Kernel:
    inputs = (
        Argument("start", (7,), "m, 1", "start pose"),
        Argument("axis", (3,), "", "direction of the axis"),
        Argument("point", (3,), "m", "a point of the axis"),
        Argument("angle", (3,), "rad", "angle, its rate, its acceleration"),
        Argument("travel", (3,), "m", "travel, its rate, its acceleration"),
    )
    return Kernel.from_equation("along_a_screw", along_a_screw, inputs, SAMPLES)


def motion_of_places(reference: tuple[float, ...], *places: Array) -> MotionSamples:
    """Pose, twist and acceleration at places (..., 6) with their two time derivatives."""
    return MotionSamples(*kernel_of(turned_by_function)(np.array(reference), *places))


def law_of_places(reference: tuple[float, ...], place: Value) -> Value:
    """Return the pose at a place (6) that is an expression of time.

    Sine and cosine of half the angle are power series, without a selection that bounds over time
    would have to decide: up to 8 rad the terms that are left out are below rounding. Beyond, a
    logarithm that counts for nothing has no value, and so has the pose.
    """
    half = place[3:6] / 2
    x = ca.dot(half, half)
    sine: Value | float = 0.0
    cosine: Value | float = 0.0
    for n in reversed(range(20)):
        sine, cosine = 1 / factorial(2 * n + 1) - x * sine, 1 / factorial(2 * n) - x * cosine
    turn = ca.vertcat(cosine + 1e-300 * ca.log(16 - x), sine * half)
    return ca.vertcat(place[:3], quaternion_product(ca.DM(reference), turn))


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
        problem = f"turned by {np.degrees(angles[k]):.4g} deg from the first attitude"
        expected = f"at most {np.degrees(FULL_TURN):.4g} deg; split the motion with a stop"
        raise MotionError(problem, key=f"poses[{k}]", expected=expected)
    return tuple(first.tolist()), np.concatenate([poses[:, :3], vectors], axis=-1)


def _unwrapped(vectors: Array) -> Array:
    """Return these attitudes, each rotation vector the nearest to the one before, also beyond π."""
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
    return Function.from_equation("turned_by", turned_by, PLACES, SAMPLES)


@dataclass(frozen=True, repr=False)
class Straight(WithProfile):
    """A straight line, and a turn about one axis meanwhile, both as far along as the profile.

    `first` and `last` are places: position [m] and rotation vector [rad] from the reference.
    """

    reference: tuple[float, ...]
    first: tuple[float, ...]
    last: tuple[float, ...]
    profile: Profile

    @property
    def _stays(self) -> bool:
        return self.first == self.last

    @property
    def waypoint_times(self) -> tuple[float, ...]:
        """Both ends."""
        return (0.0, self.duration)

    def _at(self, t: Array) -> MotionSamples:
        first, way = np.array(self.first), np.array(self.last) - self.first
        s, speed, acceleration = (np.asarray(x)[..., None] for x in self.profile(t))
        return motion_of_places(self.reference, first + s * way, speed * way, acceleration * way)

    def law(self, t: Value, at: float) -> Value:
        """Return the pose as an expression of time."""
        first, way = ca.DM(self.first), ca.DM(self.last) - ca.DM(self.first)
        return law_of_places(self.reference, first + self.profile.law(t, at) * way)


def straight(poses: Array, profile: Profile) -> Straight:
    """The straight way between two poses (2, 7), from rest to rest."""
    checked.instance(profile, Profile, "profile", "a profile, such as Quintic(2.0)")
    end = profile(np.array(profile.duration))
    if abs(end.s - 1.0) > AT_REST or abs(end.speed) * profile.duration > AT_REST:
        expected = "one from rest to rest: cosine, cycloidal, quintic, trapezoidal or s-curve"
        raise MotionError("does not end at rest", key="profile", expected=expected)
    reference, places = places_of(poses)
    first, last = (tuple(place.tolist()) for place in places)
    return Straight(reference, first, last, profile)
