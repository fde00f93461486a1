"""A hexapod as a mechanism: cylinders, pistons and the joints between them."""

from functools import lru_cache

import numpy as np

from gough.arrays import product_of
from gough.disk.plain_data import PlainData
from gough.errors import RobotError
from gough.robot.description import Hexapod, Mechanism, Robot
from gough.robot.elastic import Flexibility
from gough.robot.home.configuration import HomeBody, HomeJoint
from gough.robot.mechanism import PLATFORM

_ALONG = ("stiffness", "screw.", "joint_stiffness.base_axial", "joint_stiffness.platform_axial")
"""Beginnings of the keys of springs along a leg."""


class DrawnHexapod(Mechanism):
    """A hexapod as a mechanism, with the flexibility of its platform."""

    flexibility: Flexibility | None = None


@lru_cache(maxsize=64)
def as_mechanism(robot: Robot) -> Mechanism:
    """Return a robot as bodies with their masses and beams, and joints with their friction.

    Springs along a hexapod's legs, which depend on their lengths, are left out.
    """
    if isinstance(robot, Mechanism):
        return robot
    assert isinstance(robot, Hexapod)
    _refuse_springs(robot)
    home, flexibility = robot.bodies_and_joints, robot.flexibility
    beams = [part.beam for leg in robot.legs for part in (leg.cylinder, leg.piston)]
    bodies = [body for name, body in home.bodies.items() if name != PLATFORM]
    return DrawnHexapod(
        name=robot.name,
        flexibility=flexibility,
        gravity=robot.gravity,
        platform=robot.platform.model_dump(exclude={"mesh"}),
        bodies=[_body(*pair) for pair in zip(bodies, beams, strict=True)],
        joints=[_joint(joint) for joint in home.joints],
        springs=robot.springs,
    )


def _refuse_springs(robot: Hexapod) -> None:
    """Refuse compliant parts of hexapods that mechanisms do not have."""
    for k, leg in enumerate(robot.legs):
        others = [key for key in leg.springs if not key.startswith(_ALONG)]
        if others:
            problem, key = "a compliant part beside those that bend", f"legs[{k}].{others[0]}"
            expected = "stiffness, screw and axial stiffness of joints, and no connector"
            raise RobotError(problem, key=key, expected=expected)
    frames = robot.flexibility
    soft = frames is not None and frames.platform is not None and frames.platform_modes is None
    if frames is not None and (soft or frames.base is not None):
        key = "flexibility.platform" if frames.base is None else "flexibility.base"
        expected = "a rigid base, and a platform that is rigid or has a mass matrix"
        raise RobotError("a compliant frame beside parts that move", key=key, expected=expected)


def _body(body: HomeBody, beam: object) -> PlainData:
    R = body.frame.rotation
    center = np.array(body.frame.position) + product_of(R, body.center_of_mass)
    inertia = product_of(R, body.inertia, R.T)
    symmetric = ((inertia + inertia.T) / 2).tolist()
    found = {"name": body.name, "mass": body.mass, "center_of_mass": center.tolist()}
    return found | {"inertia": symmetric, "beam": beam}


def _joint(joint: HomeJoint) -> PlainData:
    found = {"name": joint.name, "type": joint.type, "between": joint.between, "at": joint.at}
    if joint.driven:
        return found | {"axis": joint.axes[0], "driven": True, "position_at_home": joint.home}
    axes = {"axes": joint.axes} if joint.axes else {}
    return found | axes | {"damping": joint.damping or None, "friction": joint.friction or None}
