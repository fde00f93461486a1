"""What a tool does to the platform: loads at a point, polishing, milling of a full groove.

Every wrench is about the platform's origin, in base axes, and what the world does to the
platform. `arm` is the vector from the platform's origin to the contact point [m], base axes.
"""

from __future__ import annotations

from math import pi

import casadi as ca

from gough.equations.spatial.algebra import Value, angular, cross, dot, linear, position, rotation


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


def direction(velocity: Value, fade_speed: Value) -> Value:
    """The unit vector t along a velocity; it fades to zero below a speed [m/s]."""
    return velocity / ca.sqrt(dot(velocity, velocity) + fade_speed**2)


def polishing(F_n: Value, mu: Value, normal: Value, t: Value, arm: Value) -> Value:
    """The wrench of a normal force [N] and its friction against the travel t."""
    force = -F_n * (normal + mu * t)
    return ca.vertcat(force, cross(arm, force))  # Baiges 4.(4)


def groove_resultant(F: Value, t: Value, arm: Value) -> Value:
    """The wrench of a cutting force [N] against the travel t."""
    return ca.vertcat(-F * t, cross(arm, -F * t))  # Baiges 4.(5)


def groove_tooth_by_tooth(
    F: Value, radial: Value, radius: Value, spindle: Value, normal: Value, t: Value, arm: Value,
    teeth: int,
) -> Value:  # fmt: skip
    """The wrench of each tooth of an end mill in a full groove, added up.

    A tooth at φ takes a chip of thickness ∝ sin φ while it is in the material, 0 < φ < π. It
    drags the workpiece along its own way with F sin φ, F = K_s b f_z [N], and pushes it away
    from the cutter's axis with `radial` times that. `spindle` is the first tooth's φ [rad],
    `radius` the cutter's [m], `normal` points from the workpiece to the spindle, which turns
    clockwise when seen from there.

    As the workpiece travels along t, the cutter feeds along -t. The sum of all teeth is constant
    if their number is even and at least four: of the drag F N/4 across the travel, of the push
    `radial` F N/4 against it.
    """
    feed = -t
    side = cross(normal, feed)
    force, moment = ca.SX.zeros(3), ca.SX.zeros(3)
    for k in range(teeth):
        s, c = ca.sin(spindle + 2 * pi * k / teeth), ca.cos(spindle + 2 * pi * k / teeth)
        F_t = F * ca.fmax(s, 0)  # Baiges 4.1.2
        out, along = s * feed + c * side, c * feed - s * side
        F_k = F_t * along + radial * F_t * out
        force += F_k
        moment += cross(radius * out, F_k)
    return ca.vertcat(force, moment + cross(arm, force))


def groove_mean(
    F: Value, radial: Value, radius: Value, normal: Value, t: Value, arm: Value, teeth: int
) -> Value:
    """The mean over a turn of `groove_tooth_by_tooth`."""
    feed = -t
    force = F * teeth / 4 * (radial * feed - cross(normal, feed))
    moment = -radius * F * teeth / pi * dot(feed, feed) * normal
    return ca.vertcat(force, moment + cross(arm, force))
