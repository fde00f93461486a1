"""Forces and moments in every joint of the legs, by the equilibrium of the legs' parts.

d'Alembert's forces m (a - g) and moments I α + ω x I ω stand for motion and weight. The leg as a
whole gives what its two ends carry, the piston alone what passes through the slide. All vectors
are in base axes.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from gough.equations.legs.leg import LegPosition, leg_acceleration, leg_position, leg_velocity
from gough.equations.machine import Leg, LegPart, Machine
from gough.equations.spatial.algebra import Value, cross, dot


class Reactions(NamedTuple):
    """What the joints carry: one row per leg, 3 columns [N] and [N m], in base axes."""

    base_force: Value
    """Base on leg, at the base joint's centre."""
    base_moment: Value
    """Base on leg, across both axes of the universal joint; zero for an SPS leg."""
    platform_force: Value
    """Leg on platform, at the platform joint's centre; a ball joint carries no moment."""
    slide_force: Value
    """Cylinder on piston, across the leg: what the slide carries without the actuator's force."""
    slide_moment: Value
    """Cylinder on piston, about the platform joint's centre."""


def reactions(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, force: Value
) -> Reactions:
    """Joint forces and moments of all legs, from the motion and its actuator forces [N].

    The five results are (legs)x3, in the order of `Reactions`. The external wrench acts through
    the actuator forces, which must be those of this motion.
    """
    rows = [
        leg_reactions(leg, pose, twist, acceleration, force[i], gravity=machine.gravity)
        for i, leg in enumerate(machine.legs)
    ]
    return Reactions(*(ca.vertcat(*(v.T for v in column)) for column in zip(*rows, strict=True)))


def leg_reactions(
    leg: Leg, pose: Value, twist: Value, acceleration: Value, force: Value, *, gravity: Value
) -> Reactions:
    """Joint forces and moments of one leg, 3x1 each, from its actuator's force [N]."""
    at = leg_position(leg, pose)
    rate = leg_velocity(leg, at, twist)
    second = leg_acceleration(leg, at, rate, twist, acceleration)
    l, s = at.l, at.s
    c_1, c_2 = leg.cylinder.center_of_mass, leg.piston.center_of_mass

    # What each part's motion and weight take: force, and moment about the part's own joint.
    a_1 = c_1 * second.s_ddot
    a_2 = second.x_ddot - c_2 * second.s_ddot
    f_1 = leg.cylinder.mass * (a_1 - gravity)
    f_2 = leg.piston.mass * (a_2 - gravity)
    n_1 = cross(c_1 * s, f_1) + turning_moment(leg, at, leg.cylinder, rate.omega, second.alpha)
    n_2 = cross(-c_2 * s, f_2) + turning_moment(leg, at, leg.piston, rate.omega, second.alpha)

    # The whole leg about the base joint: n_B - l s x f_P = n, and n_B is along the blocked u.
    n = n_1 + n_2 + cross(l * s, f_2)
    n_B = dot(n, s) * leg.base_joint.blocked(s)
    f_across = cross(s, n - n_B) / l

    # The piston along the leg: force - f_P . s = f_2 . s.
    f_P = f_across + (force - dot(f_2, s)) * s
    f_B = f_P + f_1 + f_2

    # The piston across the leg; and about the platform joint, where f_P has no moment.
    f_slide = f_across + f_2 - dot(f_2, s) * s
    return Reactions(f_B, n_B, f_P, f_slide, n_2)


def turning_moment(leg: Leg, at: LegPosition, part: LegPart, omega: Value, alpha: Value) -> Value:
    """I α + ω x I ω of a leg's part, about its mass centre [N m]."""
    L = ca.horzcat(*leg.base_joint.axes(at.s))
    w = L.T @ omega
    return L @ (part.inertia @ (L.T @ alpha) + cross(w, part.inertia @ w))
