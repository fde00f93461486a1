"""Where a description's bodies and joints are in the legs that were found."""

from __future__ import annotations

import numpy as np

from gough.equations.mechanism.description import Description, Pair, Tilt
from gough.equations.mechanism.loads import Loads
from gough.equations.mechanism.points import Carrier, Line
from gough.model.mechanism.carriers import Carriers
from gough.model.mechanism.drawing import DrawnJoint
from gough.model.mechanism.rods import is_rod
from gough.model.mechanism.traced import as_value
from gough.model.structure import bodies_of_centers
from gough.robot.mechanism import BASE, PLATFORM


def description_of(found: Carriers, loads: Loads) -> Description:
    """All that is described, as the equations find it; masses are still to come."""
    described = found.drawing.described
    return Description(
        tuple(
            found.joint_spot(joint, bodies)
            for joint in described.joints
            for bodies in bodies_of_centers(joint, found.wholes(joint))
        ),
        tuple(_tilt(found, joint) for joint in described.joints if joint.kind.tilts),
        tuple(pair_of(found, joint) for joint in described.joints),
        loads,
        tuple(map(found.carried, described.bodies)),
    )


def _tilt(found: Carriers, joint: DrawnJoint) -> Tilt:
    link, other = sorted(found.wholes(joint), key=lambda body: _linkness(found, body))
    beyond = found.carrier(other)
    if found.is_line(link):
        line, (start, end) = found.line(link), found.rods[link].points
    else:
        start, end = joint.at, joint.at + found.way(link, joint)
        line = Line(*(found.point(found.carrier(link), at) for at in (start, end)))
    along = (end - start) / np.linalg.norm(end - start)
    return Tilt(line, beyond, as_value(found.direction(beyond, along)))


def _linkness(found: Carriers, body: str) -> tuple[bool, bool, bool, int]:
    """The smaller, the more a body is a link: a rod first, then what is farther from the base."""
    far = 0 if found.is_line(body) else -found.carrier(body).link
    return body == BASE, body == PLATFORM, not is_rod(found.drawing, body), far


def pair_of(found: Carriers, joint: DrawnJoint) -> Pair:
    """The two sides of a joint, its axes, and its slide."""
    first, second = (_side(found, body) for body in found.wholes(joint))
    turns = joint.kind.rotations > 0 and not joint.kind.is_screw
    axes = tuple(
        as_value(found.direction(side, axis))
        for side, axis in zip((first, second), joint.axes, strict=False)
        if isinstance(side, Carrier)
    )
    return Pair(first, second, axes if turns else (), turns, _slide(found, joint))


def _side(found: Carriers, body: str) -> Carrier | Line:
    """A body, or the line between ball joints about which it spins unnoticed."""
    if found.is_line(body):
        return found.line(body)
    carrier = found.carrier(body)
    if body not in found.spinning:
        return carrier
    ball = next(j for j in found.drawing.joints if j.joins(body) and j.kind.is_ball)
    ends = (np.zeros(3), found.way(body, ball))
    return Line(*(found.point(carrier, end) for end in ends))


def _slide(found: Carriers, joint: DrawnJoint) -> Carrier | None:
    """Leg and number of the one of all joints by which a joint slides."""
    if not joint.kind.slides:
        return None
    name = joint.kind.step_name(joint.name, "screw" if joint.kind.is_screw else "slide")
    return next(
        Carrier(leg, k)
        for leg, tree in enumerate(found.trees)
        for k, part in enumerate(tree.joints)
        if part.name == name
    )
