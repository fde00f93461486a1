"""Robots at home: mechanisms as they are listed, hexapods with the names that gough/2 gives.

A body's frame is on base axes, at its first joint. Those of a hexapod's legs are on their axes: a
cylinder's is at the base joint and a piston's at the platform joint; z points along the leg and x
along first_axis × z, as for their inertias in the robot file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from gough.arrays import Array
from gough.poses.quaternions import of_matrix, rotated
from gough.robot.home.configuration import (
    ORIGIN,
    UPRIGHT,
    Frame,
    HomeBody,
    HomeConfiguration,
    HomeJoint,
    Point,
    Quaternion,
    Travel,
    cleaned,
    point,
    total,
)
from gough.robot.mechanism import BASE, PLATFORM, AnyJoint, Cylindrical, Driven
from gough.robot.records import JointFriction, Leg

if TYPE_CHECKING:
    from gough.robot.description import Robot

_FRICTIONLESS = JointFriction()
_STEEP = 0.9
"""z of the direction above which an SPS leg's axes follow x, as in reports."""
_Parts = tuple[Mapping[str, HomeBody], tuple[HomeJoint, ...]]


def mechanism_home(robot: Robot) -> HomeConfiguration:
    """Return the home configuration of a mechanism."""
    return HomeConfiguration(robot, *_mechanism_parts(robot))


@lru_cache(maxsize=64)  # they are asked for many times over
def _mechanism_parts(robot: Robot) -> _Parts:
    bodies = {PLATFORM: _platform(robot)}
    for body in robot.listed_bodies:
        held = [joint.at for joint in robot.listed_joints if body.name in joint.between]
        frame = Frame(point(held[0]) if held else ORIGIN)
        center = frame.seen(point(body.center_of_mass))
        bodies[body.name] = HomeBody(body.name, frame, body.mass, center, body.inertia)
    bare = HomeConfiguration(robot, bodies, ())
    joints = tuple(_joint(bare, joint, k) for k, joint in enumerate(robot.listed_joints))
    return MappingProxyType(bodies), joints


def _platform(robot: Robot) -> HomeBody:
    p = robot.platform
    frame = Frame(point(p.home.position), p.home.quaternion)
    return HomeBody(PLATFORM, frame, p.mass, point(p.center_of_mass), p.inertia)


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


def hexapod_home(robot: Robot) -> HomeConfiguration:
    """Return the home configuration of a hexapod."""
    return HomeConfiguration(robot, *_hexapod_parts(robot))


@lru_cache(maxsize=64)
def _hexapod_parts(robot: Robot) -> _Parts:
    bodies = {PLATFORM: _platform(robot)}
    joints: list[HomeJoint] = []
    for k, leg in enumerate(robot.extensible_legs, 1):
        top = _at_home(bodies[PLATFORM].frame, leg)
        way = np.array(top) - np.array(leg.base)
        with np.errstate(invalid="ignore"):  # of a leg without length, or along its first axis
            axes = _leg_axes(leg, way)
        for body in _parts(leg, k, top, _quaternion(axes)):
            bodies[body.name] = body
        joints += _joints(leg, k, top, axes)
    return MappingProxyType(bodies), tuple(joints)


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
    z = way / np.linalg.norm(way)
    upright = (0.0, 0.0, 1.0) if abs(z[2]) < _STEEP else (1.0, 0.0, 0.0)
    x = np.cross(np.array(leg.first_axis or upright), z)
    x = x / np.linalg.norm(x)
    return cleaned(np.array([x, np.cross(z, x), z]))


def _quaternion(axes: Array) -> Quaternion:
    w, x, y, z = cleaned(of_matrix(axes.T))
    return float(w), float(x), float(y), float(z)


def _parts(leg: Leg, k: int, top: Point, turn: Quaternion) -> Iterator[HomeBody]:
    cylinder, piston = leg.cylinder, leg.piston
    names = part_names(k)
    for name, part, origin, along in (
        (names[0], cylinder, point(leg.base), cylinder.center_of_mass),
        (names[1], piston, top, -piston.center_of_mass),
    ):
        center = point((0.0, 0.0, along))
        yield HomeBody(name, Frame(origin, turn), part.mass, center, part.inertia)


def _joints(leg: Leg, k: int, top: Point, axes: Array) -> Iterator[HomeJoint]:
    resisting = leg.joint_friction or _FRICTIONLESS
    (hip, slide, wrist), (cylinder, piston) = joint_names(k), part_names(k)
    length = float(np.linalg.norm(np.array(top) - np.array(leg.base)))
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
