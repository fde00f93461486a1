"""Where a machine's joints are, and how far its ball and universal joints are tilted."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.legs.passive import angle_between
from gough.equations.mechanism import tree
from gough.equations.mechanism.bodies import ZERO
from gough.equations.mechanism.description import GROUND, PLATFORM, Carrier, Line, Point, at_spot
from gough.equations.mechanism.legs import LegPosture, leg_postures
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.rows import Platform
from gough.equations.mechanism.stance import platform_at
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


@dataclass(frozen=True)
class Frames:
    """Rotation and origin [m] of every carrier, in the machine's axes."""

    by_carrier: dict[Carrier, tuple[Value, Value]]

    def axes(self, carrier: Carrier) -> Value:
        """Rotation matrix from a carrier's axes."""
        return self.by_carrier[carrier][0]

    def point(self, point: Point) -> Value:
        """Where a point is."""
        R, p = self.by_carrier[point.carrier]
        return p + R @ point.at

    def direction(self, line: Line) -> Value:
        """From a line's near end to the far one."""
        if line.near.carrier == line.far.carrier:
            return self.axes(line.near.carrier) @ (line.far.at - line.near.at)
        return self.point(line.far) - self.point(line.near)


def frames_at(machine: Machine, pose: Value) -> Frames:
    """The frames of all carriers at a pose."""
    platform = platform_at(machine, pose)
    return frames_of(platform, leg_postures(machine, platform))


def frames_of(platform: Platform, legs: list[LegPosture]) -> Frames:
    """The frames of all carriers."""
    frames = {GROUND: (ca.DM.eye(3), ZERO), PLATFORM: (platform.rotation, platform.position)}
    for number, at in enumerate(legs):
        for link, frame in tree.link_frames(at.leg.joints, at.places).items():
            frames[Carrier(number, link)] = frame
    return Frames(frames)
