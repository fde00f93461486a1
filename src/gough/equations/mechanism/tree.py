"""Trees of links from the base outwards: motions, joint forces, mass matrix.

The recursions are those of Luh, Walker and Paul (1980) and of Walker and Orin (1982), which Briot &
Khalil (2021, §2) advise. Every vector is in its own link's axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from gough.equations.mechanism.bodies import ZERO, BodyMotion, Force, Rigid, inertial_force
from gough.equations.mechanism.joints import BASE, LinkJoint, LinkPlacement
from gough.equations.spatial.algebra import Value, cross


def link_motions(
    joints: Sequence[LinkJoint],
    places: Sequence[LinkPlacement],
    q_dot: Sequence[Value],
    q_ddot: Sequence[Value],
    gravity: Value,
) -> dict[int, BodyMotion]:
    """Each link's motion, from the base, which is one of them, outwards."""
    motions = {BASE: BodyMotion(ZERO, ZERO, -gravity)}
    for k, (joint, place) in enumerate(zip(joints, places, strict=True)):
        motions[k] = joint.carried(place, motions[joint.before], q_dot[k], q_ddot[k])
    return motions


def joint_forces(
    joints: Sequence[LinkJoint],
    places: Sequence[LinkPlacement],
    motions: Mapping[int, BodyMotion],
    more: Mapping[int, Sequence[Force]],
) -> list[Value]:
    """Forces and moments in the joints of a free tree, as if all were driven.

    `more` is what else the links need to be given, by link.
    """
    needed = [
        sum(more.get(k, ()), inertial_force(joint.body, motions[k]))
        for k, joint in enumerate(joints)
    ]
    for k in reversed(range(len(joints))):
        before = joints[k].before
        if before != BASE:
            needed[before] += places[k].passed_on(needed[k])
    return [joint.along(force) for joint, force in zip(joints, needed, strict=True)]


def mass_matrix(joints: Sequence[LinkJoint], places: Sequence[LinkPlacement]) -> list[list[Value]]:
    """The tree's mass matrix, by composite bodies."""
    n = len(joints)
    M: list[list[Value]] = [[ca.DM.zeros(1)] * n for _ in range(n)]
    outer = [Rigid.of(joint.body) for joint in joints]  # each link with all that it carries
    for j in reversed(range(n)):
        force = joints[j].accelerating(outer[j])
        M[j][j] = joints[j].along(force)
        i = j
        while joints[i].before != BASE:
            force, i = places[i].passed_on(force), joints[i].before
            M[i][j] = M[j][i] = joints[i].along(force)
        if joints[j].before != BASE:
            outer[joints[j].before] += places[j].seen_from_before(outer[j])
    return M


def link_frames(
    joints: Sequence[LinkJoint], places: Sequence[LinkPlacement]
) -> dict[int, tuple[Value, Value]]:
    """Rotation to the machine's axes and origin [m] of every link, the base among them."""
    frames = {BASE: (ca.DM.eye(3), ZERO)}
    for k, (joint, place) in enumerate(zip(joints, places, strict=True)):
        R, p = frames[joint.before]
        frames[k] = R @ place.rotation, p + R @ place.origin
    return frames


def link_velocities(
    joints: Sequence[LinkJoint], frames: Mapping[int, tuple[Value, Value]], q_dot: Sequence[Value]
) -> dict[int, tuple[Value, Value]]:
    """Velocity of the origin and ω of every link, the base among them, in the machine's axes."""
    velocities = {BASE: (ZERO, ZERO)}
    for k, joint in enumerate(joints):
        v, omega = velocities[joint.before]
        (R, p), (_, p_before) = frames[k], frames[joint.before]
        along, about = joint.column(ZERO)
        v = v + cross(omega, p - p_before) + R @ along * q_dot[k]
        velocities[k] = v, omega + R @ about * q_dot[k]
    return velocities


def first_moment(joints: Sequence[LinkJoint], places: Sequence[LinkPlacement]) -> Value:
    """∫ r dm of all links, in the base frame [kg m]: what gravity acts on."""
    frames, ms = link_frames(joints, places), ZERO
    for k, joint in enumerate(joints):
        R, p = frames[k]
        ms += joint.body.mass * p + R @ joint.body.ms
    return ms
