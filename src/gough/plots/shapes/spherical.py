"""Hinges that are all given in one point, moved apart along their axes so that there is a picture.

Where on its axis a hinge is given does not matter to a machine. Of a spherical one all may be given
in the middle, where all axes meet; it is drawn with curved links around it.
"""

from __future__ import annotations

import numpy as np

from gough.arrays import Array
from gough.plots.shapes.chains import joints_from_base
from gough.robot import Robot
from gough.robot.mechanism import BASE, Hinge

_NEARER = 0.15
"""Relative decrease of the distance of each next hinge from base to platform."""
_BEYOND = 1.3
"""Distance of the hinges shown, over that of the links' mass centres."""
_USUAL = 0.1
"""Distance of the hinges shown [m] where the mass centres give none."""


def curved_links(robot: Robot) -> dict[str, Array]:
    """Bodies that would be points, with the place [m] that they turn about and that stands still.

    It does if a hinge of the base is there.
    """
    points = _points(robot)
    still = {j.at for j in robot.listed_joints if BASE in j.between and points & set(j.between)}
    places = {body: j.at for j in robot.listed_joints for body in j.between if body in points}
    return {body: np.array(place) for body, place in places.items() if place in still}


def with_hinges_apart(robot: Robot) -> Robot:
    """Return the machine with coinciding hinges of bodies moved apart on a sphere around them."""
    points = _points(robot)
    away, radius = joints_from_base(robot), _radius(robot, points)
    joints = tuple(
        _moved(robot, joint, radius * (1 - _NEARER * min(away[body] for body in joint.between)))
        if isinstance(joint, Hinge) and points & set(joint.between)
        else joint
        for joint in robot.listed_joints
    )
    return robot.model_copy(update={"joints": joints})


def _points(robot: Robot) -> set[str]:
    return {body.name for body in robot.listed_bodies if _is_point(robot, body.name)}


def _is_point(robot: Robot, body: str) -> bool:
    """Whether all joints of a body are hinges in one point, about axes that are not parallel."""
    joints = [joint for joint in robot.listed_joints if body in joint.between]
    if len(joints) < 2 or not all(isinstance(joint, Hinge) for joint in joints):
        return False
    places = np.array([joint.at for joint in joints])
    axes = np.array([joint.lines[0] for joint in joints])
    return not np.ptp(places, axis=0).any() and bool(np.linalg.matrix_rank(axes) > 1)


def _radius(robot: Robot, bodies: set[str]) -> float:
    distances = [
        float(np.linalg.norm(_from_joint(robot, body.name)))
        for body in robot.listed_bodies
        if body.name in bodies
    ]
    return _BEYOND * max(distances, default=0.0) or _USUAL


def _from_joint(robot: Robot, body: str) -> Array:
    """The way from the joints of such a body to its mass centre [m]."""
    at = next(joint.at for joint in robot.listed_joints if body in joint.between)
    center = next(other.center_of_mass for other in robot.listed_bodies if other.name == body)
    return np.subtract(center, at)


def _moved(robot: Robot, joint: Hinge, distance: float) -> Hinge:
    """The hinge at a distance along its axis, at the side of its links' mass centres."""
    axis = np.array(joint.axis) / np.linalg.norm(joint.axis)
    names = {body.name for body in robot.listed_bodies}
    side = sum(float(_from_joint(robot, body) @ axis) for body in joint.between if body in names)
    place = np.array(joint.at) + (distance if side >= 0 else -distance) * axis
    return joint.model_copy(update={"at": tuple(place.tolist())})
