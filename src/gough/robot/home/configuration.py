"""A robot at home: bodies with frames, and joints between them.

Every robot becomes the same few records here, so that later code does not ask for its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.fields.inertia import Matrix, Triple
from gough.poses.quaternions import conjugate, product, rotated, rotation_matrix
from gough.robot.joint_kinds import BetweenBodies
from gough.robot.mechanism import BASE
from gough.robot.records import ZERO_INERTIA

if TYPE_CHECKING:
    from gough.robot.description import Robot

Point = Triple
ORIGIN: Point = (0.0, 0.0, 0.0)
Quaternion = tuple[float, float, float, float]
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
_NOISE = 1e-15
"""Rounding error of a rotated zero, relative to the maximum component."""


def point(values: Iterable[float]) -> Point:
    """Return three numbers as a point."""
    x, y, z = map(float, values)
    return x, y, z


def total(*terms: float) -> float:
    """Return the decimal sum of numbers, rounded once: 0.688 - 0.164 is 0.524."""
    return float(sum(Decimal(repr(float(term))) for term in terms))


def between(a: Point, b: Point) -> Point:
    """Return the vector from a to b."""
    return point(total(end, -start) for start, end in zip(a, b, strict=True))


@dataclass(frozen=True)
class Frame:
    """Frame of a body at home, in the base frame."""

    position: Point
    quaternion: Quaternion = UPRIGHT

    def seen(self, place: Point) -> Point:
        """Transform a point of the base frame to this one."""
        way = between(self.position, place)
        if self.quaternion == UPRIGHT:
            return way
        return point(self.seen_direction(way))

    def seen_direction(self, direction: Iterable[float]) -> Array:
        """Transform a direction of the base frame to this one; rounding errors become zero."""
        if self.quaternion == UPRIGHT:
            return np.array([*direction])
        return cleaned(rotated(conjugate(np.array(self.quaternion)), np.array([*direction])))

    @property
    def rotation(self) -> Array:
        """(3, 3) from its axes to those of the base."""
        return rotation_matrix(np.array(self.quaternion))

    @property
    def base_axes(self) -> Quaternion:
        """Rotation of the base's axes as seen from this frame."""
        return Frame(self.position).within(self).quaternion

    def within(self, outer: Frame) -> Frame:
        """Return this frame as seen from another one."""
        if self.quaternion == outer.quaternion:
            turn = UPRIGHT
        else:
            turn = tuple(
                cleaned(product(conjugate(np.array(outer.quaternion)), np.array(self.quaternion)))
            )
        return Frame(outer.seen(self.position), turn)


@dataclass(frozen=True)
class HomeBody:
    """A body: its frame at home, and its mass properties in that frame."""

    name: str
    frame: Frame
    mass: float
    center_of_mass: Point
    """[m], in its frame."""
    inertia: Matrix
    """About the mass centre, on the axes of its frame [kg m^2]."""

    @property
    def least_moment(self) -> float:
        """Minimum of its principal moments of inertia [kg m^2]."""
        return float(np.linalg.eigvalsh(np.array(self.inertia))[0])

    @classmethod
    def massless(cls, name: str, frame: Frame) -> HomeBody:
        """Return a body without mass, as other programs need between joints."""
        return cls(name, frame, 0.0, ORIGIN, ZERO_INERTIA)


@dataclass(frozen=True)
class Travel:
    """Range and zero of one degree of freedom of a joint."""

    home: float = 0.0
    """Value of its position at home [rad, m]."""
    range: tuple[float, float] | None = None

    @property
    def from_home(self) -> tuple[float, float] | None:
        """Range relative to home."""
        if self.range is None:
            return None
        low, high = self.range
        return total(low, -self.home), total(high, -self.home)


ANYWHERE = Travel()


@dataclass(frozen=True)
class HomeJoint(BetweenBodies):
    """A joint between two bodies: R P U C S fixed."""

    name: str
    type: str
    between: tuple[str, str]
    at: Point
    """Its centre [m], base frame."""
    places: tuple[Point, Point]
    """Centre in the frames of the first and the second body [m]."""
    axes: tuple[tuple[float, float, float], ...] = ()
    """Axes, base frame, at home: of a U one is fixed in the first body, the other in the second."""
    travel: tuple[Travel, ...] = ()
    """Travel of each step of its kind that may have one."""
    damping: float = 0.0
    """Viscous friction [N m s/rad, N s/m], of each axis."""
    friction: float = 0.0
    """Dry friction [N m, N], of each axis."""
    driven: bool = False
    max_effort: float | None = None
    max_speed: float | None = None
    limit: float | None = None
    """Maximum angle between its link and the link's direction at home [rad]."""
    limit_key: str = ""
    """Key of that limit in the robot file."""
    lead: float = 0.0
    """Translation of a screw joint per radian [m/rad]; zero for others."""
    coupled: bool = False
    """Whether its position is coupled to that of other joints."""
    armature: float | None = None
    """Inertia that moves with its position [kg m^2, kg], if it is stated."""
    stiffness: float = 0.0
    """Stiffness of its springs beside a motor or bearing [N m/rad, N/m], of each axis."""
    preload: float = 0.0
    """Effort of these springs on the joint at home [N m, N]."""

    @property
    def home(self) -> float:
        """Value of its position at home [rad, m]."""
        return self.travel[0].home if self.travel else 0.0

    @property
    def is_bare(self) -> bool:
        """Whether it has neither friction nor a spring, a range, a coupling or an armature."""
        springs = self.stiffness, self.preload
        said = (self.damping, self.friction, *springs, self.coupled, self.armature)
        return not (any(said) or any(travel.range for travel in self.travel))

    @property
    def turned_round(self) -> HomeJoint:
        """This joint seen from its second body; its positions do not change."""
        return replace(
            self,
            between=self.between[::-1],
            places=self.places[::-1],
            axes=tuple((-x, -y, -z) for x, y, z in self.axes[::-1]),
        )


@dataclass(frozen=True)
class HomeConfiguration:
    """A machine at home."""

    robot: Robot
    bodies: Mapping[str, HomeBody]
    """Bodies by name: all but the base, in the order of `body_poses`, which omits the platform."""
    joints: tuple[HomeJoint, ...]
    """Joints in the order of the robot file."""

    def frame(self, body: str) -> Frame:
        """Return the frame of a body, or of the base."""
        return self.bodies[body].frame if body != BASE else Frame(ORIGIN)


def cleaned(values: Array) -> Array:
    """Return numbers with rounding errors of zeros and ones removed."""
    size = np.abs(values).max()
    rounded = np.round(values)
    snapped = np.where(np.abs(values - rounded) < _NOISE, rounded, values)
    return np.where(np.abs(values) < _NOISE * size, 0.0, snapped)
