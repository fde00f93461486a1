"""A mechanism at home: a body's frame is on base axes, at its first joint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gough.robot.home.configuration import Frame, HomeBody, HomeConfiguration, HomeJoint, Travel
from gough.robot.home.points import ORIGIN, point
from gough.robot.mechanism import PLATFORM, AnyJoint, Cylindrical, Driven

if TYPE_CHECKING:
    from gough.robot.description import Mechanism


def mechanism_home(robot: Mechanism) -> HomeConfiguration:
    """Return the home configuration of a mechanism."""
    bodies = {PLATFORM: _platform(robot)}
    for body in robot.bodies:
        held = [joint.at for joint in robot.joints if body.name in joint.between]
        frame = Frame(point(held[0]) if held else ORIGIN)
        center = frame.seen(point(body.center_of_mass))
        bodies[body.name] = HomeBody(body.name, frame, body.mass, center, body.inertia)
    bare = HomeConfiguration(robot, bodies, ())
    joints = tuple(_joint(bare, joint, k) for k, joint in enumerate(robot.joints))
    return HomeConfiguration(robot, bodies, joints)


def _platform(robot: Mechanism) -> HomeBody:
    p = robot.platform
    frame = Frame(point(p.home.position), p.home.quaternion)
    return HomeBody(PLATFORM, frame, p.mass, point(p.center_of_mass), p.inertia)


def _joint(drawing: HomeConfiguration, joint: AnyJoint, number: int) -> HomeJoint:
    first, second = (drawing.frame(body).seen(point(joint.at)) for body in joint.between)
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
    )


def _travel(joint: AnyJoint) -> tuple[Travel, ...]:
    if isinstance(joint, Cylindrical):
        return Travel(0.0, joint.range), Travel(0.0, joint.stroke)
    return (Travel(joint.home, joint.range_of_travel),) if isinstance(joint, Driven) else ()
