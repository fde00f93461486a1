"""What the joints of a description join, as the equations of friction want it."""

from __future__ import annotations

import numpy as np

from gough.equations.mechanism.description import Pair
from gough.equations.mechanism.points import Carrier, Line
from gough.model.mechanism.carriers import Carriers
from gough.model.mechanism.drawing import DrawnJoint
from gough.model.mechanism.traced import as_value


def pair_of(found: Carriers, joint: DrawnJoint) -> Pair:
    """The two sides of a joint, its axes, and its slide."""
    first, second = (_side(found, body) for body in found.wholes(joint))
    turns = joint.kind.rotations > 0
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
    name = joint.kind.step_name(joint.name, "slide")
    return next(
        Carrier(leg, k)
        for leg, tree in enumerate(found.trees)
        for k, part in enumerate(tree.joints)
        if part.name == name
    )
