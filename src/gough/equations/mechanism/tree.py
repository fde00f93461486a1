"""Trees of links from the base outwards: places, motions, joint forces, mass matrix.

Every vector is in its own link's axes. The recursions are those of Luh, Walker and Paul (1980) and
of Walker and Orin (1982), which Briot & Khalil (2021, §2) advise; with second moments Σ = ∫ r rᵀ dm
the moment of a link's inertia is that of U Σ, where U = ω̇^ + ω^ω^.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism.machine import BASE, Body, Joint
from gough.equations.spatial.algebra import Value, cross, dot, skew, vector

ZERO = ca.DM.zeros(3)
Z = ca.DM([0, 0, 1])


@dataclass(frozen=True)
class Turn:
    """A hinge's position: the cosine and sine of its angle, which need no trigonometry."""

    cosine: Value
    sine: Value


@dataclass(frozen=True)
class Place:
    """A link's frame in that of the link before: rotation to its axes, origin [m].

    The rotation is a constant one after a turn about z.
    """

    rotation: Value
    origin: Value
    constant: Value
    turn: Turn | None


@dataclass(frozen=True)
class LinkMotion:
    """How a link moves: ω, ω̇ [rad/s, rad/s^2], and its origin's acceleration less gravity."""

    omega: Value
    omega_dot: Value
    v_dot: Value
    standing: Value = None
    """The same acceleration in the machine's axes, for the links of hinges on the base."""

    @property
    def U(self) -> Value:
        """The matrix by which two points' accelerations differ, times their distance."""
        return lever_matrix(self.omega, self.omega_dot)


@dataclass(frozen=True)
class Force:
    """A force and a moment about the link's origin."""

    f: Value
    n: Value


def lever_matrix(omega: Value, omega_dot: Value) -> Value:
    """U = ω̇^ + ω^ω^."""
    x, y, z = ca.vertsplit(omega)
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    squares = ca.blockcat([[-(yy + zz), xy, xz], [xy, -(xx + zz), yz], [xz, yz, -(xx + yy)]])
    return skew(omega_dot) + squares


def positions(joints: Sequence[Joint], q: Value) -> list[Value]:
    """Turns and slides of joint positions q [rad, m], as the machine's maker counts them."""
    counted = [q[k] - joint.at_home + joint.drawn for k, joint in enumerate(joints)]
    return [
        Turn(ca.cos(x), ca.sin(x)) if joint.kind == "hinge" else x
        for joint, x in zip(joints, counted, strict=True)
    ]


def joint_positions(joints: Sequence[Joint], places: Sequence[Value]) -> list[Value]:
    """Positions as the machine's maker counts them, a hinge's within half a turn from home."""
    return [_counted(joint, x) for joint, x in zip(joints, places, strict=True)]


def _counted(joint: Joint, x: Value) -> Value:
    if joint.kind == "slide":
        return x - joint.drawn + joint.at_home
    c, s = ca.cos(joint.drawn), ca.sin(joint.drawn)
    return joint.at_home + ca.atan2(x.sine * c - x.cosine * s, x.cosine * c + x.sine * s)


def placed(joint: Joint, x: Value) -> Place:
    """Where a joint's link is at a position: a Turn, or a slide's length [m]."""
    if joint.kind == "slide":
        return Place(joint.rotation, joint.origin + joint.rotation @ (x * Z), joint.rotation, None)
    F, c, s = joint.rotation, x.cosine, x.sine
    across = ca.horzcat(F[:, 0] * c + F[:, 1] * s, F[:, 1] * c - F[:, 0] * s)
    return Place(ca.horzcat(across, F[:, 2]), joint.origin, F, x)


def link_motions(
    joints: Sequence[Joint],
    places: Sequence[Place],
    q_dot: Sequence[Value],
    q_ddot: Sequence[Value],
    gravity: Value,
) -> dict[int, LinkMotion]:
    """Each link's motion, from the base, which is one of them, outwards."""
    motions = {BASE: LinkMotion(ZERO, ZERO, -gravity)}
    for k, (joint, place) in enumerate(zip(joints, places, strict=True)):
        motions[k] = _carried(joint, place, motions[joint.before], q_dot[k], q_ddot[k])
    return motions


def _carried(
    joint: Joint, place: Place, before: LinkMotion, rate: Value, second: Value
) -> LinkMotion:
    R = place.rotation
    omega, omega_dot = R.T @ before.omega, R.T @ before.omega_dot
    v_dot = R.T @ (before.v_dot + before.U @ place.origin)
    swept = vector(omega[1] * rate, -omega[0] * rate, 0)  # ω x q̇ z
    if joint.kind == "hinge":
        standing = before.v_dot if joint.before == BASE else None
        return LinkMotion(omega + rate * Z, omega_dot + swept + second * Z, v_dot, standing)
    return LinkMotion(omega, omega_dot, v_dot + 2 * swept + second * Z)


def inertial_force(body: Body, motion: LinkMotion) -> Force:
    """What moves a body: a force, and a moment about its origin."""
    U = motion.U
    f = body.mass * motion.v_dot + U @ body.ms
    return Force(f, moment(U, body.sigma) + cross(body.ms, motion.v_dot))


def moment(U: Value, sigma: Value) -> Value:
    """∫ r x (U r) dm, from Σ = ∫ r rᵀ dm."""
    s = sigma
    return vector(
        U[2, 0] * s[0, 1] - U[1, 0] * s[0, 2] + U[2, 1] * s[1, 1] - U[1, 2] * s[2, 2]
        + (U[2, 2] - U[1, 1]) * s[1, 2],
        U[0, 1] * s[1, 2] - U[2, 1] * s[0, 1] + U[0, 2] * s[2, 2] - U[2, 0] * s[0, 0]
        + (U[0, 0] - U[2, 2]) * s[0, 2],
        U[1, 2] * s[0, 2] - U[0, 2] * s[1, 2] + U[1, 0] * s[0, 0] - U[0, 1] * s[1, 1]
        + (U[1, 1] - U[0, 0]) * s[0, 1],
    )  # fmt: skip


def joint_forces(
    joints: Sequence[Joint],
    places: Sequence[Place],
    motions: Mapping[int, LinkMotion],
    more: Mapping[int, Sequence[Force]],
) -> list[Value]:
    """Forces and moments in the joints of a free tree, as if all were driven.

    `more` is what else the links need to be given, by link.
    """
    needed = [inertial_force(joint.body, motions[k]) for k, joint in enumerate(joints)]
    for link, forces in more.items():
        for force in forces:
            needed[link] = _together(needed[link], force)
    for k in reversed(range(len(joints))):
        before = joints[k].before
        if before != BASE:
            needed[before] = _together(needed[before], _passed_on(places[k], needed[k]))
    return [_along(j, force) for j, force in zip(joints, needed, strict=True)]


def mass_matrix(joints: Sequence[Joint], places: Sequence[Place]) -> list[list[Value]]:
    """The tree's mass matrix, by composite bodies."""
    n = len(joints)
    M: list[list[Value]] = [[ca.DM.zeros(1)] * n for _ in range(n)]
    outer = [_Rigid.of(joint.body) for joint in joints]
    for j in reversed(range(n)):
        force = outer[j].moved_by(joints[j])
        M[j][j] = _along(joints[j], force)
        i = j
        while joints[i].before != BASE:
            force, i = _passed_on(places[i], force), joints[i].before
            M[i][j] = M[j][i] = _along(joints[i], force)
        before = joints[j].before
        if before != BASE:
            outer[before] = outer[before].with_body(outer[j].seen_from_before(places[j]))
    return M


@dataclass(frozen=True)
class _Rigid:
    """A body by its inertia about its origin: of use where only one joint accelerates."""

    mass: Value
    ms: Value
    inertia: Value

    @classmethod
    def of(cls, body: Body) -> _Rigid:
        return cls(body.mass, body.ms, ca.trace(body.sigma) * ca.DM.eye(3) - body.sigma)

    def with_body(self, other: _Rigid) -> _Rigid:
        """Both as one."""
        return _Rigid(
            self.mass + other.mass, self.ms + other.ms, self.inertia + other.inertia
        )

    def moved_by(self, joint: Joint) -> Force:
        """What it needs when only this joint accelerates, by one."""
        if joint.kind == "slide":
            return Force(self.mass * Z, vector(self.ms[1], -self.ms[0], 0))
        return Force(vector(-self.ms[1], self.ms[0], 0), self.inertia[:, 2])

    def seen_from_before(self, place: Place) -> _Rigid:
        """The same in the frame of the link before."""
        p = place.origin
        turned = place.rotation @ self.ms
        ms = turned + self.mass * p
        both = turned + ms
        aside = (both @ p.T + p @ both.T) / 2  # p turnedᵀ + turned pᵀ + m p pᵀ
        inertia = _turned(place, self.inertia) + dot(p, both) * ca.DM.eye(3) - aside
        return _Rigid(self.mass, ms, inertia)


def _turned(place: Place, inertia: Value) -> Value:
    """R I Rᵀ of a symmetric I: first about z, then by the constant rotation, often about x."""
    if place.turn is not None:
        inertia = _turned_about(2, place.turn, inertia)
    F = place.constant
    if F[0, 0].is_one():
        return _turned_about(0, Turn(F[1, 1], F[2, 1]), inertia)
    return F @ inertia @ F.T


def _turned_about(axis: int, turn: Turn, inertia: Value) -> Value:
    """A symmetric I turned about a coordinate axis: eight products."""
    i, j, k = (axis + 1) % 3, (axis + 2) % 3, axis
    c, s = turn.cosine, turn.sine
    g = s * (inertia[i, i] - inertia[j, j]) + 2 * c * inertia[i, j]
    turned = ca.SX.zeros(3, 3)
    turned[i, i], turned[j, j] = inertia[i, i] - s * g, inertia[j, j] + s * g
    turned[k, k] = inertia[k, k]
    turned[i, j] = turned[j, i] = c * g - inertia[i, j]
    turned[i, k] = turned[k, i] = c * inertia[i, k] - s * inertia[j, k]
    turned[j, k] = turned[k, j] = s * inertia[i, k] + c * inertia[j, k]
    return turned


def _along(joint: Joint, force: Force) -> Value:
    return force.n[2] if joint.kind == "hinge" else force.f[2]


def _together(a: Force, b: Force) -> Force:
    return Force(a.f + b.f, a.n + b.n)


def _passed_on(place: Place, force: Force) -> Force:
    f = place.rotation @ force.f
    return Force(f, place.rotation @ force.n + cross(place.origin, f))
