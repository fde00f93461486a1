"""Serial chains of rigid links: joint forces by recursive Newton-Euler, and the tip's motion.

A chain is a list of joints, each with the link it carries; a parallel robot's leg is one, cut
loose from the platform. Every vector is in its own link's axes. The recursion is that of Luh,
Walker and Paul (1980), which Briot & Khalil (2021, §2) advise, with first moments as in their (10).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from gough.equations.spatial.algebra import Value, cross, dot, skew

ZERO = ca.DM.zeros(3)


@dataclass(frozen=True)
class Link:
    """A rigid body, in its frame's axes."""

    mass: Value
    ms: Value
    """First moments about the frame's origin: mass times mass centre [kg m]."""
    inertia: Value
    """About the frame's origin [kg m^2]."""


MASSLESS = Link(0, ZERO, ca.DM.zeros(3, 3))


@dataclass(frozen=True)
class Joint:
    """A joint with one freedom, and the link it carries, in whose frame it is described.

    `v` and `w` are its motion subspace: the velocity of the frame's origin and the angular velocity
    per rate of the joint. All that is asked of a joint follows from these two.
    """

    v: Value
    w: Value
    rotation: Value
    """R, from this link's axes to the previous link's (first: the base's) at position zero."""
    origin: Value
    """p, this frame's origin in the previous link's frame at position zero [m]."""
    link: Link


@dataclass(frozen=True)
class Chain:
    """Joints from the base outwards, and the tip: a point of the last link, in its frame [m]."""

    joints: tuple[Joint, ...]
    tip: Value


@dataclass(frozen=True)
class LinkMotion:
    """How a link moves, in its axes: rad/s, rad/s^2, m/s^2."""

    omega: Value
    omega_dot: Value
    v_dot: Value
    """Acceleration of the frame's origin, less gravity."""
    U: Value
    """The lever matrix of ω and ω̇."""


@dataclass(frozen=True)
class JointWrench:
    """What a link gets through its joint from the one before: about its frame's origin."""

    f: Value
    n: Value


def revolute(axis: Value, rotation: Value, origin: Value, link: Link) -> Joint:
    """Make a joint that turns about a unit vector through the frame's origin."""
    return Joint(ZERO, axis, rotation, origin, link)


def prismatic(axis: Value, rotation: Value, origin: Value, link: Link) -> Joint:
    """Make a joint that slides along a unit vector."""
    return Joint(axis, ZERO, rotation, origin, link)


def link(mass: Value, center_of_mass: Value, inertia: Value) -> Link:
    """Describe a body by its mass centre and its inertia about it, in its frame's axes."""
    ms = mass * center_of_mass
    return Link(mass, ms, inertia - skew(ms) @ skew(center_of_mass))


def posed(chain: Chain, q: Value) -> Chain:
    """Move a chain's joints to q [rad, m], which then is their position zero."""
    return replace(chain, joints=tuple(_moved(j, q[k]) for k, j in enumerate(chain.joints)))


def _moved(joint: Joint, q: Value) -> Joint:
    R, w = joint.rotation, skew(joint.w)
    turn = ca.DM.eye(3) + ca.sin(q) * w + (1 - ca.cos(q)) * w @ w
    return replace(joint, rotation=R @ turn, origin=joint.origin + R @ joint.v * q)


def lever_matrix(omega: Value, omega_dot: Value) -> Value:
    """U = ω̇^ + ω^ω^: two points of a body differ in acceleration by U times their distance."""
    return skew(omega_dot) + skew(omega) @ skew(omega)


def link_motions(
    chain: Chain, q_dot: Value, q_ddot: Value, gravity: Value = ZERO
) -> list[LinkMotion]:
    """Each link's motion, from the base outwards; gravity [m/s^2] is in base axes."""
    omega, omega_dot, v_dot, U = ZERO, ZERO, -gravity, ca.DM.zeros(3, 3)
    motions = []
    for k, joint in enumerate(chain.joints):
        v, w, R = joint.v, joint.w, joint.rotation
        v_dot = R.T @ (v_dot + U @ joint.origin)
        omega, omega_dot = R.T @ omega, R.T @ omega_dot
        v_dot = v_dot + q_ddot[k] * v + 2 * cross(omega, q_dot[k] * v)
        omega_dot = omega_dot + q_ddot[k] * w + cross(omega, q_dot[k] * w)
        omega = omega + q_dot[k] * w
        U = lever_matrix(omega, omega_dot)
        motions.append(LinkMotion(omega, omega_dot, v_dot, U))
    return motions


def joint_wrenches(chain: Chain, motions: Sequence[LinkMotion]) -> list[JointWrench]:
    """Sum up from the free tip to the base what every joint must carry for these motions."""
    f, n = ZERO, ZERO
    wrenches = []
    for joint, motion in zip(reversed(chain.joints), reversed(motions), strict=True):
        w, body = motion.omega, joint.link
        f = f + body.mass * motion.v_dot + motion.U @ body.ms
        n = n + body.inertia @ motion.omega_dot + cross(w, body.inertia @ w)
        n = n + cross(body.ms, motion.v_dot)
        wrenches.append(JointWrench(f, n))
        f, n = _to_previous(joint, f, n)
    return wrenches[::-1]


def joint_forces(chain: Chain, wrenches: Sequence[JointWrench]) -> Value:
    """Torques [N m] and forces [N]: the part of each joint's wrench along its freedom."""
    pairs = zip(chain.joints, wrenches, strict=True)
    return ca.vertcat(*(_along(joint, w.f, w.n) for joint, w in pairs))


def inverse_dynamics(chain: Chain, q_dot: Value, q_ddot: Value, gravity: Value) -> Value:
    """Joint torques and forces for a motion of the free chain, all joints being driven."""
    return joint_forces(chain, joint_wrenches(chain, link_motions(chain, q_dot, q_ddot, gravity)))


def mass_matrix(chain: Chain) -> Value:
    """Joint-space mass matrix, n x n, by composite bodies [Walker & Orin 1982]."""
    n_joints = len(chain.joints)
    M: list[list[Value]] = [[0] * n_joints for _ in range(n_joints)]
    outer = MASSLESS  # all links beyond joint j as one body
    for j in reversed(range(n_joints)):
        joint = chain.joints[j]
        outer = _joined(joint.link, outer)
        f = outer.mass * joint.v + cross(joint.w, outer.ms)
        n = outer.inertia @ joint.w + cross(outer.ms, joint.v)
        for i in reversed(range(j + 1)):
            M[i][j] = M[j][i] = _along(chain.joints[i], f, n)
            f, n = _to_previous(chain.joints[i], f, n)
        outer = _seen_from_previous(joint, outer)
    return ca.blockcat(M)


def tip_rotation(chain: Chain) -> Value:
    """Rotation matrix from the last link's to base axes."""
    R = ca.DM.eye(3)
    for joint in chain.joints:
        R = R @ joint.rotation
    return R


def tip_jacobian(chain: Chain) -> Value:
    """J, 6 x n, from q̇ to the tip's [v; ω], in the last link's axes."""
    columns = []
    lever, R = chain.tip, ca.DM.eye(3)  # from frame j to the tip; from the tip's axes to frame j's
    for joint in reversed(chain.joints):
        columns.append(ca.vertcat(R.T @ (joint.v + cross(joint.w, lever)), R.T @ joint.w))
        lever, R = joint.origin + joint.rotation @ lever, joint.rotation @ R
    return ca.horzcat(*reversed(columns))


def tip_drift(chain: Chain, q_dot: Value) -> Value:
    """J̇ q̇: the tip's [v̇; ω̇] when no joint accelerates, in the last link's axes."""
    last = link_motions(chain, q_dot, ca.DM.zeros(len(chain.joints)))[-1]
    return ca.vertcat(last.v_dot + last.U @ chain.tip, last.omega_dot)


def _along(joint: Joint, f: Value, n: Value) -> Value:
    return dot(joint.v, f) + dot(joint.w, n)


def _to_previous(joint: Joint, f: Value, n: Value) -> tuple[Value, Value]:
    f = joint.rotation @ f
    return f, joint.rotation @ n + cross(joint.origin, f)


def _joined(a: Link, b: Link) -> Link:
    return Link(a.mass + b.mass, a.ms + b.ms, a.inertia + b.inertia)


def _seen_from_previous(joint: Joint, body: Link) -> Link:
    R, p = joint.rotation, joint.origin
    turned = R @ body.ms
    ms = turned + body.mass * p
    inertia = R @ body.inertia @ R.T - skew(p) @ skew(turned) - skew(ms) @ skew(p)
    return Link(body.mass, ms, inertia)
