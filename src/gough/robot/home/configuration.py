"""A robot at home: bodies with frames, and joints between them.

Every robot becomes the same few records here, so that later code does not ask for its kind:
mechanisms as they are listed, hexapods with the names that gough/2 gives. A body's frame is on base
axes, at its first joint. Those of a hexapod's legs are on their axes: a cylinder's is at the base
joint and a piston's at the platform joint; z points along the leg and x along first_axis × z, as
for their inertias in the robot file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array, direction_of, length_of
from gough.fields.inertia import Matrix, Triple
from gough.poses.quaternions import conjugate, of_matrix, product, rotated, rotation_matrix
from gough.robot.joint_kinds import BetweenBodies
from gough.robot.mechanism import BASE, PLATFORM, AnyJoint, Cylindrical, Driven
from gough.robot.records import ZERO_INERTIA, JointFriction, Leg

if TYPE_CHECKING:
    from gough.robot.description import Robot

Point = Triple
ORIGIN: Point = (0.0, 0.0, 0.0)
Quaternion = tuple[float, float, float, float]
UPRIGHT: Quaternion = (1.0, 0.0, 0.0, 0.0)
_NOISE = 1e-15  # rounding error of a rotated zero, relative to the maximum component


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
            return Frame(outer.seen(self.position))
        q, around = np.array(self.quaternion), np.array(outer.quaternion)
        return Frame(outer.seen(self.position), tuple(cleaned(product(conjugate(around), q))))


@dataclass(frozen=True)
class HomeBody:
    """A body: its frame at home, and its mass properties in that frame."""

    name: str
    frame: Frame
    mass: float
    center_of_mass: Point  # [m], in its frame
    inertia: Matrix  # about the mass centre, on the axes of its frame [kg m^2]

    @property
    def least_moment(self) -> float:
        """Minimum of its principal moments of inertia [kg m^2]."""
        return float(np.linalg.eigvalsh(np.array(self.inertia))[0])

    def is_thin(self, least: float) -> bool:
        """Whether it has no mass, or a moment of inertia of at most this [kg m^2]."""
        return self.mass <= 0.0 or self.least_moment <= least

    @classmethod
    def massless(cls, name: str, frame: Frame) -> HomeBody:
        """Return a body without mass, as other programs need between joints."""
        return cls(name, frame, 0.0, ORIGIN, ZERO_INERTIA)


@dataclass(frozen=True)
class Travel:
    """Range and zero of one degree of freedom of a joint."""

    home: float = 0.0  # value of its position at home [rad, m]
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


_FRICTIONLESS = JointFriction()
_STEEP = 0.9  # z of the direction above which an SPS leg's axes follow x, as in reports
_Parts = tuple[Mapping[str, HomeBody], tuple[HomeJoint, ...]]


@lru_cache(maxsize=64)  # they are asked for many times over
def parts_at_home(robot: Robot) -> _Parts:
    """Return the bodies, by name, and the joints of a `HomeConfiguration`."""
    p = robot.platform
    frame = Frame(point(p.home.position), p.home.quaternion)
    bodies = {PLATFORM: HomeBody(PLATFORM, frame, p.mass, point(p.center_of_mass), p.inertia)}
    if robot.has_extensible_legs:
        return MappingProxyType(bodies), tuple(_with_legs(bodies, robot))
    for body in robot.listed_bodies:
        held = [joint.at for joint in robot.listed_joints if body.name in joint.between]
        frame = Frame(point(held[0]) if held else ORIGIN)
        center = frame.seen(point(body.center_of_mass))
        bodies[body.name] = HomeBody(body.name, frame, body.mass, center, body.inertia)
    bare = HomeConfiguration(robot, bodies, ())
    joints = tuple(_joint(bare, joint, k) for k, joint in enumerate(robot.listed_joints))
    return MappingProxyType(bodies), joints


def _joint(home: HomeConfiguration, joint: AnyJoint, number: int) -> HomeJoint:
    first, second = (home.frame(body).seen(point(joint.at)) for body in joint.between)
    actuator = joint.actuator("") if isinstance(joint, Driven) and joint.driven else None
    return HomeJoint(
        joint.name,
        joint.type,
        joint.between,
        point(joint.at),
        (first, second),
        joint.lines,
        _travel(joint),
        getattr(joint, "damping", None) or 0.0,
        getattr(joint, "friction", None) or 0.0,
        joint.is_driven,
        actuator.max_force if actuator else None,
        actuator.max_speed if actuator else None,
        getattr(joint, "limit", None),
        f"joints[{number}].limit",
        joint.lead,
        coupled=any(joint.name in coupling.joints for coupling in home.robot.listed_couplings),
        armature=getattr(joint, "armature", None),
        **_springs(joint),
    )


def _springs(joint: AnyJoint) -> dict[str, float]:
    """Stiffness of its springs and their effort at home; of a drive it is no spring."""
    own = 0.0 if joint.is_driven else getattr(joint, "stiffness", None) or 0.0
    spring = getattr(joint, "spring", None)
    if spring is None:
        return {"stiffness": own}
    return {"stiffness": own + (spring.stiffness or 0.0), "preload": spring.load_at(joint.home)}


def _travel(joint: AnyJoint) -> tuple[Travel, ...]:
    if isinstance(joint, Cylindrical):
        return Travel(0.0, joint.range), Travel(0.0, joint.stroke)
    return (Travel(joint.home, joint.range_of_travel),) if isinstance(joint, Driven) else ()


def _with_legs(bodies: dict[str, HomeBody], robot: Robot) -> Iterator[HomeJoint]:
    """Yield the joints of a hexapod's legs, whose bodies are added."""
    for k, leg in enumerate(robot.extensible_legs, 1):
        top = _at_home(bodies[PLATFORM].frame, leg)
        way = np.array(top) - np.array(leg.base)
        with np.errstate(invalid="ignore"):  # of a leg without length, or along its first axis
            axes = _leg_axes(leg, way)
        bodies |= {body.name: body for body in _parts(leg, k, top, axes)}
        yield from _joints(leg, k, top, axes)


def joint_names(k: int) -> tuple[str, str, str]:
    """Return the names of the joints of a leg, counted from 1, from the base to the platform."""
    return f"hip-{k}", f"slide-{k}", f"wrist-{k}"


def part_names(k: int) -> tuple[str, str]:
    """Return the names of the bodies of a leg, counted from 1, from the base to the platform."""
    return f"cylinder-{k}", f"piston-{k}"


def _at_home(home: Frame, leg: Leg) -> Point:
    """The platform joint at home, base frame."""
    arm = np.array(leg.platform)
    if home.quaternion != UPRIGHT:
        arm = rotated(np.array(home.quaternion), arm)
    return point(map(total, home.position, arm))


def _leg_axes(leg: Leg, way: Array) -> Array:
    """The leg's x, y and z as rows; of an SPS leg, which spins freely, x is level or along y."""
    z = direction_of(way)
    upright = (0.0, 0.0, 1.0) if abs(z[2]) < _STEEP else (1.0, 0.0, 0.0)
    x = direction_of(np.cross(np.array(leg.first_axis or upright), z))
    return cleaned(np.array([x, np.cross(z, x), z]))


def _parts(leg: Leg, k: int, top: Point, axes: Array) -> Iterator[HomeBody]:
    w, x, y, z = map(float, cleaned(of_matrix(axes.T)))
    for name, part, origin, sign in zip(
        part_names(k), (leg.cylinder, leg.piston), (point(leg.base), top), (1, -1), strict=True
    ):
        frame, center = Frame(origin, (w, x, y, z)), point((0.0, 0.0, sign * part.center_of_mass))
        yield HomeBody(name, frame, part.mass, center, part.inertia)


def _joints(leg: Leg, k: int, top: Point, axes: Array) -> Iterator[HomeJoint]:
    resisting = leg.joint_friction or _FRICTIONLESS
    (hip, slide, wrist), (cylinder, piston) = joint_names(k), part_names(k)
    length = float(length_of(np.array(top) - np.array(leg.base)))
    x, _, z = (tuple(axis.tolist()) for axis in axes)
    hinges = () if leg.first_axis is None else (leg.first_axis, x)
    yield HomeJoint(
        hip, "U" if hinges else "S", (BASE, cylinder), point(leg.base), (point(leg.base), ORIGIN),
        hinges, damping=resisting.base_damping, friction=resisting.base_friction,
        limit=leg.base_joint_limit, limit_key=f"legs[{k - 1}].base_joint_limit",
    )  # fmt: skip
    yield HomeJoint(
        slide, "P", (cylinder, piston), top, (point((0.0, 0.0, length)), ORIGIN), (z,),
        (Travel(length, leg.stroke),), driven=True, max_effort=leg.max_force,
        max_speed=leg.max_speed,
    )  # fmt: skip
    yield HomeJoint(
        wrist, "S", (piston, PLATFORM), top, (ORIGIN, point(leg.platform)),
        damping=resisting.platform_damping, friction=resisting.platform_friction,
        limit=leg.platform_joint_limit, limit_key=f"legs[{k - 1}].platform_joint_limit",
    )  # fmt: skip
