"""A machine at home as other programs see it: bodies with frames, and joints between them.

Hexapods and machines of any kind become the same few records here, so that nobody further on asks
which of them it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gough.arrays import Array
from gough.exchange.tree.points import ORIGIN, Point, between, point, total
from gough.fields.inertia import Matrix
from gough.poses.quaternions import conjugate, product, rotated
from gough.robot import Robot
from gough.robot.joint_kinds import OfKind
from gough.robot.mechanism import BASE
from gough.robot.records import ZERO_INERTIA

Quaternion = tuple[float, float, float, float]
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
_NOISE = 1e-15
"""What a turn leaves of a zero, as a part of the largest component."""


@dataclass(frozen=True)
class Frame:
    """Where a body is at home, in the base frame."""

    position: Point
    quaternion: Quaternion = UPRIGHT

    def seen(self, place: Point) -> Point:
        """A place of the base frame in this one."""
        way = between(self.position, place)
        if self.quaternion == UPRIGHT:
            return way
        return point(self.seen_direction(way))

    def seen_direction(self, direction: Iterable[float]) -> Array:
        """A direction of the base frame in this one; what rounding leaves of zeros is zero."""
        if self.quaternion == UPRIGHT:
            return np.array([*direction])
        return cleaned(rotated(conjugate(np.array(self.quaternion)), np.array([*direction])))

    @property
    def base_axes(self) -> Quaternion:
        """How the base's axes are turned as seen from this frame."""
        return Frame(self.position).within(self).quaternion

    def within(self, outer: Frame) -> Frame:
        """This frame as seen from another one."""
        if self.quaternion == outer.quaternion:
            turn = UPRIGHT
        else:
            turn = tuple(
                cleaned(product(conjugate(np.array(outer.quaternion)), np.array(self.quaternion)))
            )
        return Frame(outer.seen(self.position), turn)


@dataclass(frozen=True)
class DrawnBody:
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
        """The smallest of its principal moments of inertia [kg m^2]."""
        return float(np.linalg.eigvalsh(np.array(self.inertia))[0])

    @classmethod
    def massless(cls, name: str, frame: Frame) -> DrawnBody:
        """A body that other programs need between joints, and nobody feels."""
        return cls(name, frame, 0.0, ORIGIN, ZERO_INERTIA)


@dataclass(frozen=True)
class Travel:
    """How far one freedom of a joint goes, and how it counts."""

    home: float = 0.0
    """What its position is called at home [rad, m]."""
    range: tuple[float, float] | None = None

    @property
    def from_home(self) -> tuple[float, float] | None:
        """Its range where home is zero."""
        if self.range is None:
            return None
        low, high = self.range
        return total(low, -self.home), total(high, -self.home)


ANYWHERE = Travel()


@dataclass(frozen=True)
class DrawnJoint(OfKind):
    """A joint between two bodies: R P U C S fixed."""

    name: str
    type: str
    bodies: tuple[str, str]
    places: tuple[Point, Point]
    """Its centre, in the frame of either body [m]."""
    axes: tuple[tuple[float, float, float], ...] = ()
    """Base frame, at home: of a U one is fixed in the first body, the other in the second."""
    travel: tuple[Travel, ...] = ()
    """Of each step of its kind that may have one."""
    damping: float = 0.0
    """Viscous friction [N m s/rad, N s/m], of each axis."""
    friction: float = 0.0
    """Dry friction [N m, N], of each axis."""
    driven: bool = False
    max_effort: float | None = None
    max_speed: float | None = None

    @property
    def turned_round(self) -> DrawnJoint:
        """The same joint, seen from its second body: positions stay as they are."""
        return replace(
            self,
            bodies=self.bodies[::-1],
            places=self.places[::-1],
            axes=tuple((-x, -y, -z) for x, y, z in self.axes[::-1]),
        )


@dataclass(frozen=True)
class Drawing:
    """A machine at home."""

    robot: Robot
    bodies: dict[str, DrawnBody]
    """By name: all but the base, in the order of `body_poses`, which leaves out the platform."""
    joints: tuple[DrawnJoint, ...]
    """In the order of the robot file."""

    def frame(self, body: str) -> Frame:
        """Where a body is, or the base."""
        return self.bodies[body].frame if body != BASE else Frame(ORIGIN)


def cleaned(values: Array) -> Array:
    """Numbers without what rounding left of zeros and ones."""
    size = np.abs(values).max()
    whole = np.round(values)
    snapped = np.where(np.abs(values - whole) < _NOISE, whole, values)
    return np.where(np.abs(values) < _NOISE * size, 0.0, snapped)
