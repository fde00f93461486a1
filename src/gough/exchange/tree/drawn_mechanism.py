"""A machine of any kind as a drawing: a body's frame is on base axes, at its first joint."""

from __future__ import annotations

from gough.errors import GoughError
from gough.exchange.tree.drawing import Drawing, DrawnBody, DrawnJoint, Frame, Travel
from gough.exchange.tree.points import point
from gough.robot import Mechanism
from gough.robot.mechanism import PLATFORM, AnyJoint, Cylindrical, Driven


def drawn_mechanism(robot: Mechanism) -> Drawing:
    """The machine at home."""
    bodies = {PLATFORM: _platform(robot)}
    for body in robot.bodies:
        held = [joint.at for joint in robot.joints if body.name in joint.between]
        if not held:
            raise GoughError(f"{robot.name}: no way from the base to {body.name}")
        frame = Frame(point(held[0]))
        center = frame.seen(point(body.center_of_mass))
        bodies[body.name] = DrawnBody(body.name, frame, body.mass, center, body.inertia)
    bare = Drawing(robot, bodies, ())
    joints = tuple(_joint(bare, joint) for joint in robot.joints)
    return Drawing(robot, bodies, joints)


def _platform(robot: Mechanism) -> DrawnBody:
    p = robot.platform
    frame = Frame(point(p.home.position), p.home.quaternion)
    return DrawnBody(PLATFORM, frame, p.mass, point(p.center_of_mass), p.inertia)


def _joint(drawing: Drawing, joint: AnyJoint) -> DrawnJoint:
    first, second = (drawing.frame(body).seen(point(joint.at)) for body in joint.between)
    actuator = joint.actuator("") if isinstance(joint, Driven) and joint.driven else None
    return DrawnJoint(
        joint.name,
        joint.type,
        joint.between,
        (first, second),
        joint.lines,
        _travel(joint),
        getattr(joint, "damping", None) or 0.0,
        getattr(joint, "friction", None) or 0.0,
        joint.is_driven,
        actuator.max_force if actuator else None,
        actuator.max_speed if actuator else None,
    )


def _travel(joint: AnyJoint) -> tuple[Travel, ...]:
    if isinstance(joint, Cylindrical):
        return Travel(0.0, joint.range), Travel(0.0, joint.stroke)
    return (Travel(joint.home, joint.range_of_travel),) if isinstance(joint, Driven) else ()
