"""A hexapod as a drawing: cylinders and pistons on their legs' axes, named as gough/2 names them.

A cylinder's frame is at the base joint and a piston's at the platform joint; z points along the leg
and x along first_axis × z, as for their inertias in the robot file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gough.arrays import Array
from gough.exchange.tree.drawing import (
    UPRIGHT,
    Drawing,
    DrawnBody,
    DrawnJoint,
    Frame,
    Quaternion,
    Travel,
    cleaned,
)
from gough.exchange.tree.points import ORIGIN, Point, point, total
from gough.poses import pose
from gough.poses.quaternions import rotated
from gough.robot import Hexapod, JointFriction, Leg
from gough.robot.mechanism import BASE, PLATFORM

_FRICTIONLESS = JointFriction()
_STEEP = 0.9
"""z of the direction above which an SPS leg's axes follow x, as in reports."""


def drawn_hexapod(robot: Hexapod) -> Drawing:
    """The machine at home."""
    p = robot.platform
    home = Frame(point(p.home.position), p.home.quaternion)
    bodies = {PLATFORM: DrawnBody(PLATFORM, home, p.mass, point(p.center_of_mass), p.inertia)}
    joints: list[DrawnJoint] = []
    for k, leg in enumerate(robot.legs, 1):
        top = _at_home(home, leg)
        way = np.array(top) - np.array(leg.base)
        axes = _leg_axes(leg, way)
        for body in _parts(leg, k, top, _quaternion(axes)):
            bodies[body.name] = body
        joints += _joints(leg, k, float(np.linalg.norm(way)), axes)
    return Drawing(robot, bodies, tuple(joints))


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
    w, x, y, z = cleaned(pose((0.0, 0.0, 0.0), matrix=axes.T)[3:])
    return float(w), float(x), float(y), float(z)


def _parts(leg: Leg, k: int, top: Point, turn: Quaternion) -> Iterator[DrawnBody]:
    cylinder, piston = leg.cylinder, leg.piston
    for name, part, origin, along in (
        ("cylinder", cylinder, point(leg.base), cylinder.center_of_mass),
        ("piston", piston, top, -piston.center_of_mass),
    ):
        center = point((0.0, 0.0, along))
        yield DrawnBody(f"{name}-{k}", Frame(origin, turn), part.mass, center, part.inertia)


def _joints(leg: Leg, k: int, length: float, axes: Array) -> Iterator[DrawnJoint]:
    resisting = leg.joint_friction or _FRICTIONLESS
    cylinder, piston = f"cylinder-{k}", f"piston-{k}"
    x, _, z = (tuple(axis.tolist()) for axis in axes)
    hinges = () if leg.first_axis is None else (leg.first_axis, x)
    yield DrawnJoint(
        f"hip-{k}",
        "U" if hinges else "S",
        (BASE, cylinder),
        (point(leg.base), ORIGIN),
        hinges,
        damping=resisting.base_damping,
        friction=resisting.base_friction,
    )
    yield DrawnJoint(
        f"slide-{k}",
        "P",
        (cylinder, piston),
        (point((0.0, 0.0, length)), ORIGIN),
        (z,),
        (Travel(length, leg.stroke),),
        driven=True,
        max_effort=leg.max_force,
        max_speed=leg.max_speed,
    )
    yield DrawnJoint(
        f"wrist-{k}",
        "S",
        (piston, PLATFORM),
        (ORIGIN, point(leg.platform)),
        damping=resisting.platform_damping,
        friction=resisting.platform_friction,
    )
