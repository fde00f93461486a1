"""Loop closure: a leg's tips move as what holds them [Briot & Khalil 2021 (4), (5)].

A row says that in one direction a tip and what holds it move alike: A q̇ = B V. It is described by
the force and couple that holds the tip there, so that the same row also tells what a multiplier
does to the leg and to the platform. Rows of the same tip share axes: the tip's link's for joints,
the base's for rods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism.machine import BASE, Leg, Tip
from gough.equations.mechanism.tree import ZERO, LinkMotion, Place, Z, lever_matrix
from gough.equations.spatial.algebra import Value, cross, dot, vector


@dataclass(frozen=True)
class Platform:
    """Where the platform is: position [m] and rotation matrix."""

    position: Value
    rotation: Value


@dataclass(frozen=True)
class Twist:
    """The platform's velocity and angular velocity, or accelerations, less gravity."""

    v: Value
    omega: Value


@dataclass(frozen=True)
class Reach:
    """A point of a link: where it is in the base frame, and how joint rates move it.

    `columns` are, by joint, velocity of the point and angular velocity, in the axes whose rotation
    to base axes is `axes`; `link_axes` is that of the link's own.
    """

    axes: Value
    link_axes: Value
    position: Value
    columns: dict[int, tuple[Value, Value]]


@dataclass(frozen=True)
class Row:
    """A direction in which a tip must follow: unit force at its point, and unit couple."""

    force: Value
    couple: Value
    axes: tuple[Value, Value] | None = None
    """Universal: the link's and the other axis, across which the couple stands."""

    def couple_rate(self, omega: Value, turning: Value) -> Value:
        """The couple's rate of change, where the link turns at ω, and its holder faster."""
        carried = cross(omega, self.couple)
        if self.axes is None:
            return carried
        axis, held_axis = self.axes
        return carried + cross(axis, cross(turning, held_axis))


@dataclass(frozen=True)
class Held:
    """A tip in its place: the rows that hold it, and the lever from the platform's origin."""

    tip: Tip
    reach: Reach
    rows: tuple[Row, ...]
    lever: Value
    """From the platform's origin to the point, in base axes [m]."""
    other: Reach | None
    """Of the point as one of the other link, where a link holds it; in the same axes."""
    position: Value
    """Where it is held, in the machine's frame [m]."""
    gap: Value
    """How far each row is from being closed [m, rad]."""


def held_tips(leg: Leg, places: Sequence[Place], platform: Platform) -> list[Held]:
    """All tips of a leg in their places."""
    return [_held(leg, places, platform, tip) for tip in leg.tips]


def _held(leg: Leg, places: Sequence[Place], platform: Platform, tip: Tip) -> Held:
    reach = reached(leg, places, tip.link, tip.point)
    if tip.other is None:
        lever = platform.rotation @ tip.held_point
        held, attitude, other = platform.position + lever, platform.rotation, None
    else:
        lever = ZERO
        other = reached(leg, places, tip.other, tip.held_point)
        held, attitude = other.position, other.link_axes
    if tip.is_rod:
        reach = _in_base_axes(reach)
    other = None if other is None else _in_axes(other, reach.axes)
    distance = reach.axes.T @ (held - reach.position)
    if tip.is_rod:
        row = Row(distance, ZERO)
        gap = [(dot(distance, distance) - tip.length**2) / 2]
        return Held(tip, reach, (row,), lever, other, held, ca.vertcat(*gap))
    rows, gap = _joint_rows(tip, distance, reach.axes.T @ attitude)
    return Held(tip, reach, tuple(rows), lever, other, held, ca.vertcat(*gap))


def _joint_rows(tip: Tip, distance: Value, attitude: Value) -> tuple[list[Row], list[Value]]:
    """Rows and gaps of a ball, hinge, universal joint or weld, in the link's axes."""
    rows = [Row(e, ZERO) for e in ca.horzsplit(tip.axes)]
    gap = [dot(row.force, distance) for row in rows]
    if tip.turns is not None:
        away = _turned_away(tip, attitude)
        turns = ca.horzsplit(tip.turns)
        rows += [Row(ZERO, e) for e in turns]
        gap += [dot(e, away) for e in turns]
    elif tip.axis is not None:
        held_axis = attitude @ tip.held_axis
        rows.append(Row(ZERO, cross(tip.axis, held_axis), (tip.axis, held_axis)))
        gap.append(tip.cosine - dot(tip.axis, held_axis))
    return rows, gap


def _turned_away(tip: Tip, attitude: Value) -> Value:
    """The small turn that brings a hinge's axis, or a welded link, to where it is held."""
    if tip.held_axis is not None:
        return cross(tip.axis, attitude @ tip.held_axis)
    E = attitude @ tip.held_attitude
    return vector(E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]) / 2


def reached(leg: Leg, places: Sequence[Place], link: int, point: Value) -> Reach:
    """A point of a link, by going from there back to the base; BASE is the ground itself."""
    lever, R = point, ca.DM.eye(3)  # from the present frame's origin, and from the link's axes
    columns = {}
    while link != BASE:
        joint = leg.joints[link]
        v, w = (vector(-lever[1], lever[0], 0), Z) if joint.kind == "hinge" else (Z, ZERO)
        columns[link] = R.T @ v, R.T @ w
        place = places[link]
        lever, R = place.origin + place.rotation @ lever, place.rotation @ R
        link = joint.before
    return Reach(R, R, lever, columns)


def _in_base_axes(reach: Reach) -> Reach:
    return _in_axes(reach, ca.DM.eye(3))


def _in_axes(reach: Reach, axes: Value) -> Reach:
    R = axes.T @ reach.axes
    columns = {j: (R @ v, R @ w) for j, (v, w) in reach.columns.items()}
    return Reach(axes, reach.link_axes, reach.position, columns)


def row_matrix(leg: Leg, tips: Sequence[Held]) -> list[list[Value]]:
    """A of A q̇ = B V: a list of rows over all joints of the leg."""
    return [
        [_coefficient(held, row, j) for j in range(len(leg.joints))]
        for held in tips
        for row in held.rows
    ]


def _coefficient(held: Held, row: Row, joint: int) -> Value:
    own = _along(row, held.reach.columns.get(joint))
    return own if held.other is None else own - _along(row, held.other.columns.get(joint))


def _along(row: Row, column: tuple[Value, Value] | None) -> Value:
    if column is None:
        return ca.DM.zeros(1)
    return dot(row.force, column[0]) + dot(row.couple, column[1])


def followed(tips: Sequence[Held], twist: Twist) -> list[Value]:
    """B V: how fast the platform moves in every row."""
    rates = []
    for held in tips:
        v, omega = _of_holder(held, twist)
        rates += [dot(row.force, v) + dot(row.couple, omega) for row in held.rows]
    return rates


def _of_holder(held: Held, twist: Twist) -> tuple[Value, Value]:
    if held.other is not None:
        return ZERO, ZERO
    axes = held.reach.axes
    return axes.T @ (twist.v + cross(twist.omega, held.lever)), axes.T @ twist.omega


def platform_rows(tips: Sequence[Held], about: Value = ZERO) -> list[Value]:
    """B itself: a row of six numbers for every row, in the machine's axes, about a point."""
    return [row.T for held in tips for row in _wrenches(held, about)]


def _wrenches(held: Held, about: Value) -> list[Value]:
    if held.other is not None:
        return [ca.DM.zeros(6)] * len(held.rows)
    axes, lever = held.reach.axes, held.lever - about
    wrenches = []
    for row in held.rows:
        f = axes @ row.force
        wrenches.append(ca.vertcat(f, axes @ row.couple + cross(lever, f)))
    return wrenches


def wrench_of(
    tips: Sequence[Held], multipliers: Sequence[Value], more: Sequence[Value] | None = None
) -> Value:
    """Bᵀ λ: what the rows' multipliers do to the platform, 6x1 [N, N m].

    `more` are further forces at the tips, in the machine's axes.
    """
    wrench, k = ca.DM.zeros(6), 0
    for number, held in enumerate(tips):
        mine = multipliers[k : k + len(held.rows)]
        k += len(held.rows)
        if held.other is not None:
            continue
        pairs = list(zip(held.rows, mine, strict=True))
        f = held.reach.axes @ sum((l * row.force for row, l in pairs), ZERO)
        f = f if more is None else f + more[number]
        n = held.reach.axes @ sum((l * row.couple for row, l in pairs), ZERO)
        wrench += ca.vertcat(f, n + cross(held.lever, f))
    return wrench


def accelerated(
    tips: Sequence[Held],
    motions: Mapping[int, LinkMotion],
    q_dot: Sequence[Value],
    twist: Twist,
    acceleration: Twist,
) -> list[Value]:
    """How much the platform outruns the leg in every row: B V̇ + β - α [m/s^2, rad/s^2].

    `motions` are those of the links under the joint accelerations that are known so far.
    """
    rates: list[Value] = []
    for held in tips:
        rates += _outrun(held, motions, q_dot, twist, acceleration)
    return rates


def _outrun(
    held: Held,
    motions: Mapping[int, LinkMotion],
    q_dot: Sequence[Value],
    twist: Twist,
    acceleration: Twist,
) -> list[Value]:
    if held.tip.is_rod:
        apart = _of_holder(held, twist)[0] - _point_velocity(held.reach, q_dot)
        if held.other is not None:
            apart += _point_velocity(held.other, q_dot)
        near = point_acceleration(held.reach, motions[held.tip.link], held.tip.point)
        far = holder_acceleration(held, motions, twist, acceleration)
        return [dot(held.rows[0].force, far - near) + dot(apart, apart)]
    link = motions[held.tip.link]
    a, alpha, omega = _of_holder_in_link(held, motions, twist, acceleration)
    ahead, turning = a - (link.v_dot + link.U @ held.tip.point), omega - link.omega
    return [
        dot(row.force, ahead) + dot(row.couple, alpha - link.omega_dot)
        + dot(row.couple_rate(link.omega, turning), turning)
        for row in held.rows
    ]  # fmt: skip


def _of_holder_in_link(
    held: Held, motions: Mapping[int, LinkMotion], twist: Twist, acceleration: Twist
) -> tuple[Value, Value, Value]:
    """The point's acceleration, ω̇ and ω as what holds it has them, in the link's axes."""
    axes = held.reach.axes
    a = axes.T @ holder_acceleration(held, motions, twist, acceleration)
    if held.other is None:
        return a, axes.T @ acceleration.omega, axes.T @ twist.omega
    other, R = motions[_other_link(held)], axes.T @ held.other.link_axes
    return a, R @ other.omega_dot, R @ other.omega


def holder_acceleration(
    held: Held, motions: Mapping[int, LinkMotion], twist: Twist, acceleration: Twist
) -> Value:
    """Acceleration, less gravity, of the point as one of what holds it, in the machine's axes."""
    if held.other is None:
        return acceleration.v + lever_matrix(twist.omega, acceleration.omega) @ held.lever
    return point_acceleration(held.other, motions[_other_link(held)], held.tip.held_point)


def _other_link(held: Held) -> int:
    return BASE if held.tip.other is None else held.tip.other


def point_acceleration(reach: Reach, motion: LinkMotion, point: Value) -> Value:
    """Acceleration of a link's point, less gravity, in the machine's axes.

    A hinge on the base stands still: its acceleration is known without turning it there and back.
    """
    R = reach.link_axes
    if motion.standing is not None:
        return motion.standing + R @ (motion.U @ point)
    return R @ (motion.v_dot + motion.U @ point)


def _point_velocity(reach: Reach, q_dot: Sequence[Value]) -> Value:
    return sum((v * q_dot[j] for j, (v, _) in reach.columns.items()), ZERO)
