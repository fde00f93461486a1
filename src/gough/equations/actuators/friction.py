"""Friction in the passive joints: what it does to the platform.

Each joint resists its turning with a viscous and a dry part. Dry friction fades to zero below a
speed, so that it is smooth. The wrench on the platform is the one whose power is that of all
joints together: a moment n on a leg does the work of a force f at its platform joint, because the
joint's velocity turns the leg.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from gough.equations.legs.closure import joint_velocity
from gough.equations.legs.leg import LegPosition, leg_position, leg_velocity
from gough.equations.machine import Leg, Machine
from gough.equations.spatial.algebra import Value, angular, cross, dot, vector

FADE_SPEED = 1e-2
"""Small beside the working speed of any joint [rad/s]."""


@dataclass(frozen=True)
class JointFriction:
    """Friction at a leg's two ends: viscous [N m s/rad] and dry [N m].

    In a universal joint it holds for each of the two axes, in a spherical joint for the turning as
    a whole.
    """

    base_damping: Value
    base_friction: Value
    platform_damping: Value
    platform_friction: Value
    fade_speed: Value = FADE_SPEED
    """Speed of a joint [rad/s] below which dry friction fades to zero, to be smooth."""

    @property
    def viscous(self) -> JointFriction:
        """The same without its dry part."""
        return replace(self, base_friction=ca.DM(0), platform_friction=ca.DM(0))


def stated_frictions(machine: Machine) -> tuple[JointFriction | None, ...]:
    """Friction of each leg's passive joints; empty if none of them states some."""
    frictions = tuple(leg.friction for leg in machine.legs)
    return frictions if any(friction is not None for friction in frictions) else ()


def own_friction(machine: Machine, pose: Value, twist: Value) -> Value:
    """Forces (n) [N] against the viscous friction of actuators and transmissions."""
    rates = joint_velocity(machine, pose, twist)
    each = (ca.DM(0) if leg.damping is None else leg.damping for leg in machine.legs)
    return vector(*each) * rates


def friction_wrench(
    machine: Machine, frictions: Sequence[JointFriction | None], pose: Value, twist: Value
) -> Value:
    """The wrench (6) [N, N m] of all passive joints' friction on the platform."""
    wrench = ca.DM.zeros(6)
    for leg, friction in zip(machine.legs, frictions, strict=True):
        if friction is None:
            continue
        at = leg_position(leg, pose)
        on_leg, on_platform = _moments(leg, friction, at, twist)
        f = leg.base_joint.on_direction(at.s, on_leg) * at.inverse_l  # f · ẋ = moment · ω
        wrench += vector(f, cross(at.b, f) + on_platform)
    return wrench


def _moments(
    leg: Leg, friction: JointFriction, at: LegPosition, twist: Value
) -> tuple[Value, Value]:
    """The moments (3) [N m] of both joints' friction on the leg, and on the platform."""
    v = leg_velocity(leg, at, twist)
    relative = angular(twist) - v.omega
    speed = ca.sqrt(dot(relative, relative) + friction.fade_speed**2)
    t = (friction.platform_damping + friction.platform_friction / speed) * relative
    base = [axes @ _torque(friction, rates) for axes, rates in leg.base_joint.turns(at.s, v.s_dot)]
    return sum((-moment for moment in base), t), -t


def _torque(friction: JointFriction, rates: Value) -> Value:
    faded = rates / ca.sqrt(dot(rates, rates) + friction.fade_speed**2)
    return friction.base_damping * rates + friction.base_friction * faded
