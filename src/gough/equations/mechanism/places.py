"""Where a machine's joints are, and how far its ball and universal joints are tilted."""

from __future__ import annotations

import casadi as ca

from gough.equations.legs.passive import angle_between
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.motions import frames_at
from gough.equations.mechanism.points import at_spot
from gough.equations.spatial.algebra import Value


def joint_centers(machine: Machine, pose: Value) -> Value:
    """Centre of every joint (k, 3) [m], base axes; of a slide two, one carried by either body.

    In the order of the description; a cylindrical joint is a slide, too.
    """
    frames = frames_at(machine, pose)
    centers = (at_spot(frames.point, center) for center in machine.description.centers)
    return ca.horzcat(*centers).T @ machine.stance.axes


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
