"""Where a machine's joints are, and how far its ball and universal joints are tilted."""

from __future__ import annotations

import casadi as ca

from gough.equations.legs.passive import angle_between
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.motions import Frames, frames_at
from gough.equations.mechanism.points import Seen, SeenByRod, at_spot
from gough.equations.spatial.algebra import Value, unit
from gough.equations.spatial.attitude import shortest_turn


def joint_centers(machine: Machine, pose: Value) -> Value:
    """Centre of every joint (k, 3) [m], base axes; of a slide two, one carried by either body.

    In the order of the description; a cylindrical joint is a slide, too.
    """
    frames = frames_at(machine, pose)
    centers = (at_spot(frames.point, center) for center in machine.description.centers)
    return ca.horzcat(*centers).T @ machine.stance.axes


def body_frames(machine: Machine, pose: Value) -> Value:
    """Rotation and origin [m] of each body (k, 3, 4): of the base's frame, carried from home.

    Rods that spin as they like turn the shortest way.
    """
    frames, S = frames_at(machine, pose), machine.stance.axes
    _, *bodies = machine.description.carried
    found = (_carried(frames, body) for body in bodies)
    return ca.vertcat(*(ca.horzcat(S.T @ R @ S, S.T @ p) for R, p in found))


def _carried(frames: Frames, body: Seen | SeenByRod) -> tuple[Value, Value]:
    """Rotation and origin of what a body carries, in the machine's axes."""
    if isinstance(body, Seen):
        return frames.axes(body.origin.carrier) @ body.axes, frames.point(body.origin)
    R = shortest_turn(body.direction, unit(frames.direction(body.line)))
    return R, frames.point(body.line.near) - R @ body.near


def joint_tilts(machine: Machine, pose: Value) -> Value:
    """How far every ball and universal joint is tilted from home (k) [rad], from 0 to π.

    The angle between a link and where it stands at home, as seen by the body to which the joint
    holds it.
    """
    frames, tilts = frames_at(machine, pose), machine.description.tilts
    return ca.vertcat(
        *(
            angle_between(frames.axes(tilt.beyond) @ tilt.at_home, frames.direction(tilt.link))
            for tilt in tilts
        )
    )
