"""Where a machine's joints are, and how far its ball and universal joints are tilted."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from gough.equations.machine import Machine
from gough.equations.mechanism.bodies import ZERO
from gough.equations.mechanism.frame_convention import (
    acceleration_in,
    in_base_axes,
    platform_at,
    twist_in,
)
from gough.equations.mechanism.legs import leg_postures
from gough.equations.mechanism.motions import (
    CarrierFrames,
    Velocities,
    accelerations_of,
    frames_at,
    velocities_of,
)
from gough.equations.mechanism.points import FixedFrame, Point, RodFixedFrame, at_spot
from gough.equations.spatial.algebra import Value, cross, unit
from gough.equations.spatial.attitude import angle_between, shortest_turn
from gough.equations.spatial.pose import rate as pose_rate


def joint_centers(machine: Machine, pose: Value) -> Value:
    """Centre of every joint (k, 3) [m], base axes; of a slide two, one carried by either body.

    In the order of the description; a cylindrical joint is a slide, too.
    """
    frames = frames_at(machine, pose)
    centers = (at_spot(frames.point, center) for center in machine.description.centers)
    return ca.horzcat(*centers).T @ machine.frame_convention.axes


def body_frames(machine: Machine, pose: Value) -> Value:
    """Rotation and origin [m] of each body (k, 3, 4): of the frame in which its mesh is given.

    That is the base's frame, carried from home, of parts of a hexapod's legs their own. Rods that
    spin as they like turn the shortest way.
    """
    frames, S = frames_at(machine, pose), machine.frame_convention.axes
    bodies = machine.description.frames or machine.description.carried[1:]
    found = (_carried(frames, body) for body in bodies)
    return ca.vertcat(*(ca.horzcat(S.T @ R @ S, S.T @ p) for R, p in found))


def body_frame_rates(machine: Machine, pose: Value, twist: Value) -> Value:
    """Return the time derivative of `body_frames`, in their shape [1/s, m/s]."""
    x = ca.SX.sym("pose", pose.shape[0])
    frames = body_frames(machine, x)
    rates = ca.jtimes(ca.vec(frames), x, pose_rate(x, twist))
    return ca.reshape(ca.substitute(rates, x, pose), frames.shape)


def _carried(frames: CarrierFrames, body: FixedFrame | RodFixedFrame) -> tuple[Value, Value]:
    """Rotation and origin of what a body carries, in the machine's axes."""
    if isinstance(body, FixedFrame):
        return frames.axes(body.origin.carrier) @ body.axes, frames.point(body.origin)
    R = shortest_turn(body.direction, unit(frames.direction(body.line)))
    return R @ body.axes, frames.point(body.line.near) - R @ body.near


def joint_tilts(machine: Machine, pose: Value) -> Value:
    """Return the tilt of every ball and universal joint from home (k) [rad], from 0 to π.

    The angle between a link and its direction at home, relative to the body to which the joint
    holds it.
    """
    frames, tilts = frames_at(machine, pose), machine.description.tilts
    return ca.vertcat(
        *(
            angle_between(frames.axes(tilt.beyond) @ tilt.at_home, frames.direction(tilt.link))
            for tilt in tilts
        )
    )


def mass_center_position(machine: Machine, pose: Value) -> Value:
    """Mass centres of the platform and of all bodies (k, 3) [m], base axes."""
    return _centers(machine, frames_at(machine, pose).point)


def mass_center_velocity(machine: Machine, pose: Value, twist: Value) -> Value:
    """Velocities of the mass centres (k, 3) [m/s], base axes."""
    return _centers(machine, _velocities(machine, pose, twist).point)


def mass_center_acceleration(
    machine: Machine, pose: Value, twist: Value, acceleration: Value
) -> Value:
    """Accelerations of the mass centres (k, 3) [m/s^2], without gravity, base axes."""
    platform = platform_at(machine, pose)
    V, V_dot = twist_in(machine, twist), acceleration_in(machine, acceleration)
    legs, g = leg_postures(machine, platform), machine.gravity
    moving = accelerations_of(platform, legs, V, V_dot, g)
    return _centers(machine, lambda point: moving.point(point) + g)


def momentum(machine: Machine, pose: Value, twist: Value) -> Value:
    """Linear momentum [kg m/s] and angular momentum about the base origin [kg m^2/s], 6x1."""
    moving, (p, h) = _velocities(machine, pose, twist), (ZERO, ZERO)
    for carrier, body in machine.description.masses.items():
        (R, origin), (v, omega) = moving.frames.by_carrier[carrier], moving.by_carrier[carrier]
        ms = R @ body.ms
        own = body.mass * v + cross(omega, ms)
        p += own
        h += cross(origin, own) + cross(ms, v) + R @ (body.inertia @ (R.T @ omega))
    for rod in machine.description.loads.rods:
        ends = rod.line.near, rod.line.far
        (E, C), (v_E, v_C) = map(moving.frames.point, ends), map(moving.point, ends)
        p += rod.shared * (v_E + v_C)
        h += rod.shared * (cross(E, v_C) + cross(C, v_E))
    return in_base_axes(machine, ca.vertcat(p, h))


def _velocities(machine: Machine, pose: Value, twist: Value) -> Velocities:
    platform = platform_at(machine, pose)
    return velocities_of(platform, leg_postures(machine, platform), twist_in(machine, twist))


def _centers(machine: Machine, of_point: Callable[[Point], Value]) -> Value:
    centers = (at_spot(of_point, center) for center in machine.description.bodies)
    return ca.horzcat(*centers).T @ machine.frame_convention.axes
