"""Energy and momentum of the whole machine: sums over the platform, cylinders and pistons."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.legs.leg import leg_position, leg_velocity
from gough.equations.machine import Leg, Machine
from gough.equations.spatial.algebra import Value, angular, cross, dot, linear, position, rotation


@dataclass(frozen=True)
class BodyMotion:
    """A rigid body at one instant, vectors in base axes."""

    mass: Value
    center: Value
    """Its mass centre, from the base frame's origin [m]."""
    velocity: Value
    """Of the mass centre [m/s]."""
    omega: Value
    """Angular velocity [rad/s]."""
    spin: Value
    """Angular momentum about the mass centre [kg m^2/s]."""


def energy(machine: Machine, pose: Value, twist: Value) -> Value:
    """Kinetic and potential energy [J], 2x1; a mass at the base frame's origin has no potential."""
    kinetic, potential = ca.DM(0), ca.DM(0)
    for body in bodies(machine, pose, twist):
        kinetic += body.mass * dot(body.velocity, body.velocity) / 2
        kinetic += dot(body.omega, body.spin) / 2
        potential -= body.mass * dot(machine.gravity, body.center)
    return ca.vertcat(kinetic, potential)


def momentum(machine: Machine, pose: Value, twist: Value) -> Value:
    """Linear momentum [kg m/s] and angular momentum about the base origin [kg m^2/s], 6x1."""
    p, h = ca.DM.zeros(3), ca.DM.zeros(3)
    for body in bodies(machine, pose, twist):
        p += body.mass * body.velocity
        h += cross(body.center, body.mass * body.velocity) + body.spin
    return ca.vertcat(p, h)


def bodies(machine: Machine, pose: Value, twist: Value) -> list[BodyMotion]:
    """The platform, then each leg's cylinder and piston."""
    platform, R = machine.platform, rotation(pose)
    c, omega = R @ platform.center_of_mass, angular(twist)
    moving = BodyMotion(
        platform.mass,
        position(pose) + c,
        linear(twist) + cross(omega, c),
        omega,
        R @ (platform.inertia @ (R.T @ omega)),
    )
    return [moving, *(body for leg in machine.legs for body in leg_bodies(leg, pose, twist))]


def leg_bodies(leg: Leg, pose: Value, twist: Value) -> tuple[BodyMotion, BodyMotion]:
    """A leg's cylinder and piston, which turn together."""
    at = leg_position(leg, pose)
    v = leg_velocity(leg, at, twist)
    axes = ca.horzcat(*leg.base_joint.axes(at.s))
    omega_in_leg = axes.T @ v.omega
    c_1 = leg.cylinder.center_of_mass
    c_2 = at.l - leg.piston.center_of_mass
    cylinder = BodyMotion(
        leg.cylinder.mass,
        leg.base + c_1 * at.s,
        c_1 * v.s_dot,
        v.omega,
        axes @ (leg.cylinder.inertia @ omega_in_leg),
    )
    piston = BodyMotion(
        leg.piston.mass,
        leg.base + c_2 * at.s,
        v.l_dot * at.s + c_2 * v.s_dot,
        v.omega,
        axes @ (leg.piston.inertia @ omega_in_leg),
    )
    return cylinder, piston
