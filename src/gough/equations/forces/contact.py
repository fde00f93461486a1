"""External loads: at a point of the platform, polishing, milling, contact with a surface; stops.

Every wrench acts on the platform and is about the platform's origin, in base axes.
`arm` is the vector from the platform's origin to the contact point [m], base axes.
"""

from dataclasses import dataclass
from math import acos, pi
from typing import NamedTuple

import casadi as ca
from casadi import cross, dot

from gough.equations.forces.surfaces import SurfaceShape, surface_axes
from gough.equations.spatial.algebra import Value, angular, linear, position, rotation, wrench_at

FADE_SPEED = 1e-3  # small beside the speed of any impact that matters [m/s]


def arm_of(pose: Value, point: Value, in_platform: bool) -> Value:
    """The arm of a point [m] that is fixed in the platform, or else in the base."""
    return rotation(pose) @ point if in_platform else point - position(pose)


def load_at(pose: Value, load: Value, arm: Value, in_platform: bool) -> Value:
    """The wrench of a load [force; moment] at an arm, on platform axes or else on base axes."""
    R = rotation(pose) if in_platform else ca.DM.eye(3)
    force, moment = R @ linear(load), R @ angular(load)
    return ca.vertcat(force, moment + cross(arm, force))


def travel(twist: Value, arm: Value, normal: Value) -> Value:
    """The velocity [m/s] with which the platform slides past the tool, across the normal."""
    v = linear(twist) + cross(angular(twist), arm)
    return v - dot(v, normal) * normal


def direction(velocity: Value, fade_speed: Value | float) -> Value:
    """The unit vector t along a velocity; it fades to zero below a speed [m/s]."""
    return velocity / ca.sqrt(dot(velocity, velocity) + fade_speed**2)


def polishing(F_n: Value, mu: Value, normal: Value, t: Value, arm: Value) -> Value:
    """The wrench of a normal force [N] and its friction against the travel t."""
    force = -F_n * (normal + mu * t)
    return wrench_at(arm, force)  # Baiges 4.(4)


def groove_resultant(F: Value, t: Value, arm: Value) -> Value:
    """The wrench of a cutting force [N] against the travel t."""
    return wrench_at(arm, -F * t)  # Baiges 4.(5)


def engagement(immersion: float, milling: str) -> tuple[float, float]:
    """Angles φ [rad] at which a tooth enters and leaves the material, 0 and π in a full groove.

    `immersion` is the width of cut over the cutter's diameter. In up milling chips begin thin, in
    down milling they end so.
    """
    within = acos(1 - 2 * immersion)
    return (0.0, within) if milling == "up" else (pi - within, pi)


def milling_tooth_by_tooth(
    F: Value, cutter: Value, spindle: Value, normal: Value, t: Value, arm: Value, teeth: int
) -> Value:
    """The wrench of each tooth of an end mill, added up.

    A tooth at φ takes a chip of thickness ∝ sin φ while it is in the material, from the entry to
    the exit angle. It drags the workpiece along its own way with F sin φ, F = K_s b f_z [N], and
    pushes it away from the cutter's axis with `radial` times that. `cutter` are `radial`, the
    radius [m] and both angles, `spindle` is the first tooth's φ [rad], `normal` points from the
    workpiece to the spindle, which turns clockwise when seen from there.

    As the workpiece travels along t, the cutter feeds along -t. In a full groove the sum of all
    teeth is constant if their number is even and at least four: of the drag F N/4 across the
    travel, of the push `radial` F N/4 against it.
    """
    radial, radius, entry, leaving = ca.vertsplit(cutter)
    feed = -t
    side = cross(normal, feed)
    force, moment = ca.SX.zeros(3), ca.SX.zeros(3)
    for k in range(teeth):
        s, c = ca.sin(spindle + 2 * pi * k / teeth), ca.cos(spindle + 2 * pi * k / teeth)
        cuts = ca.logic_and(c <= ca.cos(entry), c >= ca.cos(leaving))
        F_t = F * ca.if_else(cuts, ca.fmax(s, 0), 0)  # Baiges 4.1.2
        out, along = s * feed + c * side, c * feed - s * side
        F_k = F_t * along + radial * F_t * out
        force += F_k
        moment += cross(radius * out, F_k)
    return ca.vertcat(force, moment + cross(arm, force))


def milling_mean(F: Value, cutter: Value, normal: Value, t: Value, arm: Value, teeth: int) -> Value:
    """The mean over a turn of `milling_tooth_by_tooth`."""
    radial, radius, entry, leaving = ca.vertsplit(cutter)
    feed = -t
    side = cross(normal, feed)
    a = (ca.sin(leaving) ** 2 - ca.sin(entry) ** 2) / 2  # ∫ sin φ cos φ dφ
    b = (leaving - entry) / 2 - (ca.sin(2 * leaving) - ca.sin(2 * entry)) / 4  # ∫ sin² φ dφ
    d = ca.cos(entry) - ca.cos(leaving)  # ∫ sin φ dφ
    mean = F * teeth / (2 * pi)
    force = mean * (a * feed - b * side + radial * (b * feed + a * side))
    moment = -mean * radius * d * dot(feed, feed) * normal
    return ca.vertcat(force, moment + cross(arm, force))


@dataclass(frozen=True)
class ContactSurface:
    """Where the surface is, and what it does to a tool that is pressed into it."""

    tool: Value  # the platform's point (3) [m], platform axes
    shape: SurfaceShape  # a plane, a sphere, a cylinder or heights, in base axes
    stiffness: Value  # k on the way in [N/m]
    restitution: Value  # from 0 to 1: the share of its speed with which a body leaves
    friction: Value  # coefficient of dry friction along the surface
    fade_speed: Value | float = FADE_SPEED
    """Speed [m/s] over which the surface softens and friction sets in."""
    max_force: float | None = None  # limit of the contact force [N], to be checked against


class Contact(NamedTuple):
    """The tool beside or in a surface, at one moment."""

    arm: Value  # from the platform's origin to the tool [m], base axes
    distance: Value  # signed distance of the tool [m]; below zero it is in the material
    normal: Value
    force: Value  # force of the surface on the tool along the normal [N]; zero out of contact
    energy: Value  # energy of the surface as a spring of its mean stiffness [J]


def contact_of(surface: ContactSurface, pose: Value, twist: Value) -> Contact:
    """Return the contact of the tool with the surface."""
    arm = rotation(pose) @ surface.tool
    distance, normal = surface.shape.side(position(pose) + arm)
    depth = ca.if_else(distance < 0, -distance, 0)  # none where the distance is NaN
    approach = -dot(linear(twist) + cross(angular(twist), arm), normal)
    mean, faded = _stiffnesses(surface, approach)
    energy = _pressed_energy(surface, depth)
    return Contact(arm, distance, normal, (mean + faded) * depth, energy)


def contact_wrench(surface: ContactSurface, pose: Value, twist: Value) -> Value:
    """Return the contact wrench on the platform (6) [N, N m], about its origin, base axes."""
    at = contact_of(surface, pose, twist)
    t = direction(travel(twist, at.arm, at.normal), surface.fade_speed)
    return wrench_at(at.arm, at.force * (at.normal - surface.friction * t))


def task_frame(surface: ContactSurface | None, pose: Value) -> tuple[Value, Value]:
    """Return matrices (6x6) from twists of the platform to those of the task, and back.

    Those of the task are about the tool, z along the normal into the surface; without a surface
    they are the platform's. Wrenches go the other way, by the transposed matrices.
    """
    if surface is None:
        return ca.DM.eye(6), ca.DM.eye(6)
    at = contact_of(surface, pose, ca.DM.zeros(6))
    R, S, zero = surface_axes(surface.shape, at.normal), ca.skew(at.arm), ca.DM.zeros(3, 3)
    to_task = ca.vertcat(ca.horzcat(R.T, -R.T @ S), ca.horzcat(zero, R.T))
    return to_task, ca.vertcat(ca.horzcat(R, S @ R), ca.horzcat(zero, R))


# End stops: forces on a leg beyond its stroke. What is struck, a stop or a surface, is a spring
# that is softer on the way out: it returns the share e² of the energy, so that a body leaves with e
# times its speed, whatever its mass and speed. The change from one stiffness to the other is
# gradual, over a small speed; at rest it has their mean.


@dataclass(frozen=True)
class StopLaw:
    """The stops at both ends of a stroke."""

    shortest: Value  # leg length [m]
    longest: Value  # leg length [m]
    stiffness: Value  # k on the way in [N/m]
    restitution: Value  # e, from 0 to 1
    fade_speed: Value | float = FADE_SPEED  # speed of the leg [m/s] over which the stop softens


def stop_force(stop: StopLaw, l: Value, l_dot: Value) -> Value:
    """The force along a leg [N] on what moves with its length; positive extends it."""
    short = ca.fmax(stop.shortest - l, 0)
    long = ca.fmax(l - stop.longest, 0)
    mean, faded = _stiffnesses(stop, l_dot)
    return mean * (short - long) - faded * (short + long)  # pushed out of either end


def stop_energy(stop: StopLaw, l: Value) -> Value:
    """Energy [J] of the stop as a spring of its mean stiffness, at either end."""
    return _pressed_energy(stop, ca.fmax(stop.shortest - l, 0) + ca.fmax(l - stop.longest, 0))


def _stiffnesses(body: StopLaw | ContactSurface, approach: Value) -> tuple[Value, Value]:
    """Mean stiffness [N/m], and what is added to it at a speed of approach [m/s]."""
    half = body.stiffness / 2
    mean, difference = half * (1 + body.restitution**2), half * (1 - body.restitution**2)
    return mean, difference * ca.tanh(approach / body.fade_speed)


def _pressed_energy(body: StopLaw | ContactSurface, depth: Value) -> Value:
    """Energy [J] of something struck, at a depth [m]: that of a spring of its mean stiffness."""
    return body.stiffness * (1 + body.restitution**2) / 2 * depth**2 / 2
