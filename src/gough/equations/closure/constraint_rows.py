"""Loop closure: a leg's tips move as what holds them [Briot & Khalil 2021 (4), (5)].

A q̇ = B V, and A q̈ = B V̇ + β - α. Rows of the same tip share axes: the tip's link's for joints,
the machine's for rods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.closure.loop_joints import RodTip, Row, Tip
from gough.equations.machine import Leg
from gough.equations.spatial.algebra import Value, cross, dot
from gough.equations.tree.bodies import ZERO, BodyMotion, lever_matrix
from gough.equations.tree.joints import BASE, LinkPlacement

Motions = Mapping[int, BodyMotion]
"""By link."""


@dataclass(frozen=True)
class PlatformPlacement:
    """Where the platform is: position [m] and rotation matrix."""

    position: Value
    rotation: Value


@dataclass(frozen=True)
class Twist:
    """The platform's velocity and angular velocity, or accelerations less gravity."""

    v: Value
    omega: Value

    @classmethod
    def of(cls, V: Value) -> Twist:
        """From one column of six."""
        return cls(V[0:3], V[3:6])


@dataclass(frozen=True)
class LinkPoint:
    """A point of a link: where it is in the base frame, and how joint rates move it.

    `columns` are, by joint, velocity of the point and angular velocity, in the axes whose rotation
    to base axes is `axes`; `link_axes` is that of the link's own.
    """

    axes: Value
    link_axes: Value
    position: Value
    columns: dict[int, tuple[Value, Value]]

    def in_axes(self, axes: Value) -> LinkPoint:
        """Return this point with columns in other axes."""
        R = axes.T @ self.axes
        columns = {j: (R @ v, R @ w) for j, (v, w) in self.columns.items()}
        return LinkPoint(axes, self.link_axes, self.position, columns)

    def velocity(self, q_dot: Sequence[Value]) -> Value:
        """Return the velocity of the point, at joint rates."""
        return sum((v * q_dot[j] for j, (v, _) in self.columns.items()), ZERO)

    def acceleration(self, motion: BodyMotion, point: Value) -> Value:
        """Return the acceleration of the point, less gravity, in the machine's axes.

        A hinge on the base stands still: its acceleration needs no turning there and back.
        """
        R = self.link_axes
        if motion.standing is not None:
            return motion.standing + R @ (motion.U @ point)
        return R @ (motion.v_dot + motion.U @ point)


@dataclass(frozen=True)
class Held:
    """A tip in its place."""

    tip: Tip
    reach: LinkPoint
    rows: list[Row]
    position: Value
    """Where it is held, in the machine's frame [m]."""
    lever: Value
    """From the platform's origin to there, in the machine's axes [m]; zero if a link holds it."""
    other: LinkPoint | None
    """The held point as one of the link that holds it; its columns in the same axes."""

    def holder_velocity(self, twist: Twist) -> tuple[Value, Value]:
        """Return the velocity of the held point, and ω, by the platform, in the rows' axes."""
        if self.other is not None:
            return ZERO, ZERO
        axes = self.reach.axes
        return axes.T @ (twist.v + cross(twist.omega, self.lever)), axes.T @ twist.omega

    def holder_acceleration(self, motions: Motions, twist: Twist, acceleration: Twist) -> Value:
        """Return the acceleration of the held point, less gravity, in the machine's axes."""
        if self.other is None or self.tip.other is None:
            return acceleration.v + lever_matrix(twist.omega, acceleration.omega) @ self.lever
        return self.other.acceleration(motions[self.tip.other], self.tip.held_point)

    def holder_turning(
        self, motions: Motions, twist: Twist, acceleration: Twist
    ) -> tuple[Value, Value]:
        """ω and ω̇ of what holds it, in the rows' axes."""
        axes = self.reach.axes
        if self.other is None or self.tip.other is None:
            return axes.T @ twist.omega, axes.T @ acceleration.omega
        R, link = axes.T @ self.other.link_axes, motions[self.tip.other]
        return R @ link.omega, R @ link.omega_dot


def placed(
    leg: Leg, places: Sequence[LinkPlacement], platform: PlatformPlacement, tip: Tip
) -> Held:
    """A tip of a leg in its place."""
    reach = reached(leg, places, tip.link, tip.point)
    if isinstance(tip, RodTip):
        reach = reach.in_axes(ca.DM.eye(3))
    if tip.other is None:
        lever, other = platform.rotation @ tip.held_point, None
        position, attitude = platform.position + lever, platform.rotation
    else:
        holder = reached(leg, places, tip.other, tip.held_point)
        lever, other = ZERO, holder.in_axes(reach.axes)
        position, attitude = holder.position, holder.link_axes
    distance = reach.axes.T @ (position - reach.position)
    rows = tip.rows(distance, reach.axes.T @ attitude)
    return Held(tip, reach, rows, position, lever, other)


def reached(leg: Leg, places: Sequence[LinkPlacement], link: int, point: Value) -> LinkPoint:
    """A point of a link, by going from there back to the base; BASE is the ground itself."""
    lever, R = point, ca.DM.eye(3)  # from the present frame's origin, and from the link's axes
    columns = {}
    while link != BASE:
        v, w = leg.joints[link].column(lever)
        columns[link] = R.T @ v, R.T @ w
        place = places[link]
        lever, R = place.origin + place.rotation @ lever, place.rotation @ R
        link = leg.joints[link].before
    return LinkPoint(R, R, lever, columns)


def row_matrix(leg: Leg, tips: Sequence[Held]) -> list[list[Value]]:
    """A of A q̇ = B V: a list of rows over all joints of the leg."""
    joints = range(len(leg.joints))
    return [[_coefficient(held, row, j) for j in joints] for held in tips for row in held.rows]


def _coefficient(held: Held, row: Row, joint: int) -> Value:
    found = ca.DM.zeros(1)
    for sign, reach in ((1, held.reach), (-1, held.other)):
        if reach is not None and joint in reach.columns:
            v, w = reach.columns[joint]
            found += sign * (dot(row.force, v) + dot(row.couple, w))
    return found


def followed(tips: Sequence[Held], twist: Twist) -> list[Value]:
    """B V: how fast the platform moves in every row."""
    rates = []
    for held in tips:
        v, omega = held.holder_velocity(twist)
        rates += [dot(row.force, v) + dot(row.couple, omega) for row in held.rows]
    return rates


def row_gaps(tips: Sequence[Held]) -> list[Value]:
    """Return the gap of every row [m, rad]."""
    return [row.gap for held in tips for row in held.rows]


def accelerated(
    tips: Sequence[Held],
    motions: Motions,
    q_dot: Sequence[Value],
    twist: Twist,
    acceleration: Twist,
) -> list[Value]:
    """B V̇ + β - α: how much the platform outruns the leg in every row [m/s^2, rad/s^2].

    `motions` are those of the links under the joint accelerations that are known so far.
    """
    rates: list[Value] = []
    for held in tips:
        link, point = motions[held.tip.link], held.tip.point
        far = held.holder_acceleration(motions, twist, acceleration)
        if isinstance(held.tip, RodTip):  # half the second derivative of the squared distance
            apart = held.holder_velocity(twist)[0] - held.reach.velocity(q_dot)
            if held.other is not None:
                apart += held.other.velocity(q_dot)
            (row,) = held.rows
            near = held.reach.acceleration(link, point)
            rates.append(dot(row.force, far - near) + dot(apart, apart))
            continue
        omega, alpha = held.holder_turning(motions, twist, acceleration)
        ahead = held.reach.axes.T @ far - (link.v_dot + link.U @ point)
        turning = omega - link.omega
        rates += [
            dot(row.force, ahead) + dot(row.couple, alpha - link.omega_dot)
            + dot(row.couple_rate(link.omega, turning), turning)
            for row in held.rows
        ]  # fmt: skip
    return rates


def platform_rows(tips: Sequence[Held], about: Value = ZERO) -> list[Value]:
    """B itself: a row of six numbers for every row, in the machine's axes, about a point."""
    return [line.T for held in tips for line in _lines(held, about)]


def _lines(held: Held, about: Value) -> list[Value]:
    if held.other is not None:
        return [ca.DM.zeros(6)] * len(held.rows)
    axes, lever = held.reach.axes, held.lever - about
    pairs = ((axes @ row.force, axes @ row.couple) for row in held.rows)
    return [ca.vertcat(f, n + cross(lever, f)) for f, n in pairs]


def wrench_of(
    tips: Sequence[Held], multipliers: Sequence[Value], more: Sequence[Value] | None = None
) -> Value:
    """Bᵀ λ: what the rows' multipliers do to the platform, 6x1 [N, N m].

    `more` are further forces at the tips, in the machine's axes.
    """
    wrench, rest = ca.DM.zeros(6), list(multipliers)
    for number, held in enumerate(tips):
        mine, rest = rest[: len(held.rows)], rest[len(held.rows) :]
        if held.other is not None:
            continue
        axes, pairs = held.reach.axes, list(zip(held.rows, mine, strict=True))
        f = axes @ sum((l * row.force for row, l in pairs), ZERO)
        f = f if more is None else f + more[number]
        n = axes @ sum((l * row.couple for row, l in pairs), ZERO)
        wrench += ca.vertcat(f, n + cross(held.lever, f))
    return wrench


def by_length(row: Value, length: Value | float) -> Value:
    """A row over a twist, with lengths counted in a length [m]."""
    return ca.horzcat(row[0, 0:3] * length, row[0, 3:6])
