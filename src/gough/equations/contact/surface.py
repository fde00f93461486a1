"""A flat surface that a point of the platform can touch: stiff, elastic in part, and rough."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.actuators.stop import FADE_SPEED, pressed_energy, push
from gough.equations.contact.tools import direction, travel
from gough.equations.spatial.algebra import Value, angular, cross, dot, linear, position, rotation


@dataclass(frozen=True)
class Surface:
    """Where the surface is, and what it does to a tool that is pressed into it."""

    tool: Value
    """The platform's point (3) [m], platform axes."""
    point: Value
    """A point of the surface (3) [m], base axes."""
    normal: Value
    """Unit vector (3) out of the material, base axes."""
    stiffness: Value
    """k on the way in [N/m]."""
    restitution: Value
    """From 0 to 1: the share of its speed with which a body leaves."""
    friction: Value
    """Coefficient of dry friction along the surface."""
    fade_speed: Value = FADE_SPEED
    """Speed [m/s] over which the surface softens and friction sets in."""


def contact_depth(surface: Surface, pose: Value) -> Value:
    """How deep [m] the tool is in the material; zero out of contact."""
    arm = rotation(pose) @ surface.tool
    return ca.fmax(dot(surface.point - position(pose) - arm, surface.normal), 0)


def contact_force(surface: Surface, pose: Value, twist: Value) -> Value:
    """The force [N] of the surface on the tool, along the normal; zero out of contact."""
    return push(surface, contact_depth(surface, pose), _approach(surface, pose, twist))


def contact_wrench(surface: Surface, pose: Value, twist: Value) -> Value:
    """What the surface does to the platform (6) [N, N m], about its origin, base axes."""
    arm = rotation(pose) @ surface.tool
    t = direction(travel(twist, arm, surface.normal), surface.fade_speed)
    force = contact_force(surface, pose, twist) * (surface.normal - surface.friction * t)
    return ca.vertcat(force, cross(arm, force))


def stored_energy(surface: Surface, pose: Value) -> Value:
    """Energy [J] of the surface as a spring of its mean stiffness."""
    return pressed_energy(surface, contact_depth(surface, pose))


def _approach(surface: Surface, pose: Value, twist: Value) -> Value:
    """How fast [m/s] the tool goes into the material."""
    velocity = linear(twist) + cross(angular(twist), rotation(pose) @ surface.tool)
    return -dot(velocity, surface.normal)
