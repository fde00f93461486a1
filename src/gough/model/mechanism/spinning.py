"""Legs with balls at both ends and a slide between: they spin about themselves unnoticed.

If both bodies are symmetric about the line between the balls, one ball may as well be a universal
joint, and the bodies lines of mass: then nothing feels how they spin.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gough.model.mechanism.drawing import Drawing, DrawnJoint, Spinning
from gough.model.mechanism.mass import Mass
from gough.model.mechanism.rods import inertia_across, universal_axes
from gough.robot.mechanism import PLATFORM


def with_spins_stopped(drawing: Drawing) -> Drawing:
    """The drawing with such legs on a universal joint."""
    for slide in drawing.joints:
        near, far = _ball_of(drawing, slide.first), _ball_of(drawing, slide.second)
        if slide.type == "P" and near is not None and far is not None:
            drawing = _stopped(drawing, slide, near, far)
    return drawing


def spinning_bodies(drawing: Drawing) -> set[str]:
    """The bodies of such legs."""
    stopped = with_spins_stopped(drawing).bodies
    return {body for body, mass in drawing.bodies.items() if stopped[body] is not mass}


def _ball_of(drawing: Drawing, body: str) -> DrawnJoint | None:
    """The ball joint of a body that has nothing else but a slide."""
    joints = [joint for joint in drawing.joints if joint.joins(body)]
    if body == PLATFORM or sorted(joint.type for joint in joints) != ["P", "S"]:
        return None
    return next(joint for joint in joints if joint.kind.is_ball)


def _stopped(drawing: Drawing, slide: DrawnJoint, near: DrawnJoint, far: DrawnJoint) -> Drawing:
    line = far.at - near.at
    length = np.linalg.norm(line)
    if np.linalg.norm(np.cross(slide.axes[0], line)) > 1e-9 * length:
        return drawing  # the slide is not along the line: the leg does not spin
    pair = [
        Spinning(name, drawing.bodies[name].seen_in(np.eye(3), near.at), line)
        for name in (slide.first, slide.second)
    ]
    bodies = {body.name: _as_line(body).seen_from(np.eye(3), near.at) for body in pair}
    universal = replace(near, type="U", axes=universal_axes(line))
    joints = tuple(universal if joint is near else joint for joint in drawing.joints)
    spinning = (*drawing.spinning, *pair)
    return replace(drawing, bodies=drawing.bodies | bodies, joints=joints, spinning=spinning)


def _as_line(body: Spinning) -> Mass:
    """A body that is symmetric about a line, as if all its mass were on it."""
    direction = body.line / np.linalg.norm(body.line)
    across = np.asarray(inertia_across(body.mass, direction))
    return replace(body.mass, sigma=across[..., None, None] * np.outer(direction, direction))
