"""Motion of all carriers, each of which is one rigid body: frames, velocities, accelerations."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.mechanism import tree
from gough.equations.mechanism.bodies import ZERO, BodyMotion
from gough.equations.mechanism.frame_convention import platform_at
from gough.equations.mechanism.legs import LegPosture, leg_motion, leg_postures, leg_rates
from gough.equations.mechanism.points import GROUND, PLATFORM, Carrier, Line, Point
from gough.equations.mechanism.rows import PlatformPlacement, Twist
from gough.equations.spatial.algebra import Value, cross


@dataclass(frozen=True)
class CarrierFrames:
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


@dataclass(frozen=True)
class Velocities:
    """Velocity of the origin [m/s] and ω [rad/s] of every carrier, in the machine's axes."""

    frames: CarrierFrames
    by_carrier: dict[Carrier, tuple[Value, Value]]

    def point(self, point: Point) -> Value:
        """Return the velocity of a point."""
        v, omega = self.by_carrier[point.carrier]
        return v + cross(omega, self.frames.axes(point.carrier) @ point.at)


@dataclass(frozen=True)
class Accelerations:
    """Motion of every carrier, in its own axes, less gravity."""

    frames: CarrierFrames
    by_carrier: dict[Carrier, BodyMotion]

    def point(self, point: Point) -> Value:
        """Acceleration of a point less gravity, in the machine's axes."""
        motion = self.by_carrier[point.carrier]
        return self.frames.axes(point.carrier) @ (motion.v_dot + motion.U @ point.at)


def frames_at(machine: Machine, pose: Value) -> CarrierFrames:
    """The frames of all carriers at a pose."""
    platform = platform_at(machine, pose)
    return frames_of(platform, leg_postures(machine, platform))


def frames_of(platform: PlatformPlacement, legs: list[LegPosture]) -> CarrierFrames:
    """The frames of all carriers."""
    frames = {GROUND: (ca.DM.eye(3), ZERO), PLATFORM: (platform.rotation, platform.position)}
    for number, at in enumerate(legs):
        for link, frame in tree.link_frames(at.leg.joints, at.places).items():
            frames[Carrier(number, link)] = frame
    return CarrierFrames(frames)


def velocities_of(platform: PlatformPlacement, legs: list[LegPosture], twist: Twist) -> Velocities:
    """The velocities of all carriers."""
    frames = frames_of(platform, legs)
    velocities = {GROUND: (ZERO, ZERO), PLATFORM: (twist.v, twist.omega)}
    for number, at in enumerate(legs):
        own = {c.link: frame for c, frame in frames.by_carrier.items() if c.leg == number}
        moving = tree.link_velocities(at.leg.joints, own, leg_rates(at, twist))
        velocities |= {Carrier(number, link): velocity for link, velocity in moving.items()}
    return Velocities(frames, velocities)


def accelerations_of(
    platform: PlatformPlacement,
    legs: list[LegPosture],
    twist: Twist,
    acceleration: Twist,
    gravity: Value,
) -> Accelerations:
    """The motions of all carriers; the acceleration is less gravity."""
    R = platform.rotation
    own = BodyMotion(R.T @ twist.omega, R.T @ acceleration.omega, R.T @ acceleration.v)
    motions = {GROUND: BodyMotion(ZERO, ZERO, -gravity), PLATFORM: own}
    for number, at in enumerate(legs):
        links = leg_motion(at, twist, acceleration, gravity).links
        motions |= {Carrier(number, link): motion for link, motion in links.items()}
    return Accelerations(frames_of(platform, legs), motions)
