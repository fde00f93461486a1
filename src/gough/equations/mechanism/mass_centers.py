"""Mass centres of all bodies with their true masses, and the momentum of the whole machine."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from gough.equations.mechanism.bodies import ZERO
from gough.equations.mechanism.legs import leg_postures
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.motions import (
    Velocities,
    accelerations_of,
    frames_at,
    velocities_of,
)
from gough.equations.mechanism.points import Point, at_spot
from gough.equations.mechanism.stance import (
    acceleration_in,
    in_base_axes,
    platform_at,
    twist_in,
)
from gough.equations.spatial.algebra import Value, cross


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
    return ca.horzcat(*centers).T @ machine.stance.axes
