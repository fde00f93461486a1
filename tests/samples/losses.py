"""What the parts of a machine turn to heat [W]: the other side of every balance of energy."""

from __future__ import annotations

import casadi as ca
from casadi import cross, dot

from gough.equations.actuators.compliant_leg import legs_of
from gough.equations.actuators.drive import friction, load_factor, reduction
from gough.equations.forces.contact import contact_of, direction, travel
from gough.equations.forces.passive_joints import friction_wrench
from gough.equations.spatial.algebra import angular, linear


def in_legs(machine, connectors, pose, twist, inner):
    """Friction of the actuators, and dampers of both stages."""
    lost = ca.DM(0)
    for leg in legs_of(machine, connectors, pose, twist, inner):
        coupling, stage = leg.connector.coupling, leg.connector.decoupling
        lost += leg.connector.damping * leg.inner.E_dot**2
        if coupling is not None and coupling.damping is not None:
            lost += coupling.damping * leg.coupling_rate**2
        if stage is not None:
            lost += stage.damping * (leg.inner.D_dot - leg.v.l_dot) ** 2
    return lost


def in_drive(drive, current, speed, force):
    """What neither is stored nor reaches the leg, with a force on the leg.

    With K_b greater than K_t some is lost in the conversion; a motor has K_b = K_t.
    """
    conversion = (drive.back_emf - drive.torque_constant) * reduction(drive) * speed * current
    alpha = load_factor(drive, speed, ca.sign(force))
    rubbing = friction(drive, speed) + (alpha - 1) * force
    return drive.resistance * current**2 + conversion + rubbing * speed


def in_joints(machine, frictions, pose, twist):
    """Friction of all passive joints."""
    return -dot(friction_wrench(machine, frictions, pose, twist), twist)


def in_stop(stop, l, l_dot):
    """A leg beyond its stroke, whichever end."""
    depth = ca.fmax(stop.shortest - l, 0) + ca.fmax(l - stop.longest, 0)
    return _pressed(stop, depth, l_dot)


def in_surface(surface, pose, twist):
    """A tool that goes in and out of a surface and slides along it."""
    at = contact_of(surface, pose, twist)
    sliding = travel(twist, at.arm, at.normal)
    rubbing = surface.friction * dot(direction(sliding, surface.fade_speed), sliding)
    approach = -dot(linear(twist) + cross(angular(twist), at.arm), at.normal)
    return _pressed(surface, ca.fmax(-at.distance, 0), approach) + at.force * rubbing


def _pressed(body, depth, approach):
    """What is stiffer on the way in than on the way out, by half of the difference either way."""
    half = body.stiffness * (1 - body.restitution**2) / 2
    return half * depth * ca.tanh(approach / body.fade_speed) * approach
