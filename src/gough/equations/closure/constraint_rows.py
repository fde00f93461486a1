"""Loop closure: a leg's cut joints move as what holds them [Briot & Khalil 2021 (4), (5)].

A cut joint closes a loop: there a link of a leg is held by the platform, or by another link of its
leg. A row states that in one direction the link and what holds it have equal velocities there.
It is described by the force and couple that hold the link, and so are effects of its multiplier.

A q̇ = B V, and A q̈ = B V̇ + β - α. Rows of the same cut joint share axes: those of its link, or
the machine's for rods.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import cross, dot

from gough.equations.machine import Leg
from gough.equations.spatial.algebra import Value
from gough.equations.spatial.attitude import vee
from gough.equations.tree.bodies import ZERO, BodyMotion, Twist, lever_matrix
from gough.equations.tree.joints import BASE, LinkPlacement


@dataclass(frozen=True)
class Row:
    """A direction in which a link must follow: unit force at its point, and unit couple."""

    force: Value
    couple: Value
    gap: Value  # gap of the cut joint in this direction [m, rad]
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
class CutJoint(ABC):
    """A point of a link that is held; without `other` by the platform, else by that link."""

    link: int
    point: Value  # in the link's frame [m]
    held_point: Value  # that point, or a rod's other end, in the frame of what holds it [m]
    other: int | None

    @abstractmethod
    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """Rows from the distance to the held point, and the holder's axes, in the link's axes."""


@dataclass(frozen=True)
class CutRod(CutJoint):
    """A rod with balls at both ends, from the link's point to the held point; in base axes."""

    length: Value | float
    shared_mass: Value | float  # ∫ x (1 - x) dm over its length, x from 0 to 1 [kg]

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """One: the distance of its ends."""
        return [Row(distance, ZERO, (dot(distance, distance) - self.length**2) / 2)]


@dataclass(frozen=True)
class CutBall(CutJoint):
    """A ball joint: its point follows in three directions; as all but rods in the link's axes."""

    axes: Value  # the directions, as columns

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """Three of the point."""
        return [Row(e, ZERO, dot(e, distance)) for e in ca.horzsplit(self.axes)]


@dataclass(frozen=True)
class CutHinge(CutBall):
    """A hinge: it also does not turn about two directions across its axis."""

    turns: Value
    axis: Value
    held_axis: Value  # that axis, in the axes of what holds it

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """Three of the point, and two of the axis."""
        away = cross(self.axis, attitude @ self.held_axis)
        turns = [Row(ZERO, e, dot(e, away)) for e in ca.horzsplit(self.turns)]
        return super().rows(distance, attitude) + turns


@dataclass(frozen=True)
class CutUniversal(CutBall):
    """A universal joint: the angle between its two axes stays."""

    axis: Value
    held_axis: Value  # the other axis, in the axes of what holds it
    cosine: Value | float  # cosine of the angle; zero in nearly all

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """Three of the point, and one across both axes."""
        held_axis = attitude @ self.held_axis
        gap = self.cosine - dot(self.axis, held_axis)
        row = Row(ZERO, cross(self.axis, held_axis), gap, (self.axis, held_axis))
        return [*super().rows(distance, attitude), row]


@dataclass(frozen=True)
class CutWeld(CutBall):
    """A link that is one with what holds it."""

    held_attitude: Value  # the link's attitude in the axes of what holds it

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """Three of the point, and three of the attitude."""
        E = attitude @ self.held_attitude
        turns = [Row(ZERO, e, dot(e, vee(E))) for e in ca.horzsplit(ca.DM.eye(3))]
        return super().rows(distance, attitude) + turns


@dataclass(frozen=True)
class CutCoupling(CutJoint):
    """A linear relation of joints, Σ c (q - home) = 0, as a row of the base against itself.

    The first coefficient is 1: its multiplier is an effort on the first joint. The force or couple
    of its row gives only the unit of its gap.
    """

    joints: tuple[int, ...]
    coefficients: Value
    slides: bool  # whether the first joint's position is a length

    def rows(self, distance: Value, attitude: Value) -> list[Row]:
        """One, from the displacements of its joints from home."""
        x = ca.DM([1, 0, 0])
        pair = (x, ZERO) if self.slides else (ZERO, x)
        return [Row(*pair, -dot(self.coefficients, distance))]


Motions = Mapping[int, BodyMotion]  # by link


@dataclass(frozen=True)
class PlatformPlacement:
    """Where the platform is: position [m] and rotation matrix."""

    position: Value
    rotation: Value


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
        """Return the acceleration of the point, less gravity, in the machine's axes."""
        R = self.link_axes
        if motion.standing is not None:  # a hinge on the base: no turning there and back
            return motion.standing + R @ (motion.U @ point)
        return motion.of_point(R, point)


@dataclass(frozen=True)
class Held:
    """A cut joint in its place."""

    cut: CutJoint
    reach: LinkPoint
    rows: list[Row]
    position: Value  # where it is held, in the machine's frame [m]
    lever: Value  # from the platform's origin, machine's axes [m]; zero if a link holds it
    other: LinkPoint | None  # the held point, of the link that holds it, in the same axes

    def holder_velocity(self, twist: Twist) -> tuple[Value, Value]:
        """Return the velocity of the held point, and ω, by the platform, in the rows' axes."""
        if self.other is not None:
            return ZERO, ZERO
        axes = self.reach.axes
        return axes.T @ (twist.v + cross(twist.omega, self.lever)), axes.T @ twist.omega

    def holder_acceleration(self, motions: Motions, twist: Twist, acceleration: Twist) -> Value:
        """Return the acceleration of the held point, less gravity, in the machine's axes."""
        if self.other is None or self.cut.other is None:
            return acceleration.v + lever_matrix(twist.omega, acceleration.omega) @ self.lever
        return self.other.acceleration(motions[self.cut.other], self.cut.held_point)

    def holder_motion(self, motions: Motions, twist: Twist, acceleration: Twist) -> BodyMotion:
        """Motion of what holds it, in the machine's axes, over boxes."""
        held = BodyMotion(twist.omega, acceleration.omega, acceleration.v)
        if self.cut.other is None:
            return held
        return motions[self.cut.other].in_base or held

    def holder_turning(
        self, motions: Motions, twist: Twist, acceleration: Twist
    ) -> tuple[Value, Value]:
        """ω and ω̇ of what holds it, in the rows' axes."""
        axes = self.reach.axes
        if self.other is None or self.cut.other is None:
            return axes.T @ twist.omega, axes.T @ acceleration.omega
        R, link = axes.T @ self.other.link_axes, motions[self.cut.other]
        return R @ link.omega, R @ link.omega_dot


def placed(
    leg: Leg, places: Sequence[LinkPlacement], platform: PlatformPlacement, cut: CutJoint
) -> Held:
    """Return a cut joint of a leg in its place."""
    reach = reached(leg, places, cut.link, cut.point)
    if isinstance(cut, CutRod):
        reach = reach.in_axes(ca.DM.eye(3))
    if cut.other is None:
        lever, other = platform.rotation @ cut.held_point, None
        position, attitude = platform.position + lever, platform.rotation
    else:
        holder = reached(leg, places, cut.other, cut.held_point)
        lever, other = ZERO, holder.in_axes(reach.axes)
        position, attitude = holder.position, holder.link_axes
    distance = reach.axes.T @ (position - reach.position)
    rows = cut.rows(distance, reach.axes.T @ attitude)
    return Held(cut, reach, rows, position, lever, other)


def coupled(coupling: CutCoupling, displacements: Sequence[Value]) -> Held:
    """Return a coupling of a leg whose joints have these displacements from home."""
    moved = ca.vertcat(*(displacements[j] for j in coupling.joints))
    ground = LinkPoint(ca.DM.eye(3), ca.DM.eye(3), ZERO, {})
    return Held(coupling, ground, coupling.rows(moved, ca.DM.eye(3)), ZERO, ZERO, ground)


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


def row_matrix(leg: Leg, cuts: Sequence[Held]) -> list[list[Value]]:
    """A of A q̇ = B V: a list of rows over all joints of the leg."""
    joints = range(len(leg.joints))
    return [[_coefficient(held, row, j) for j in joints] for held in cuts for row in held.rows]


def _coefficient(held: Held, row: Row, joint: int) -> Value:
    found = ca.DM.zeros(1)
    if isinstance(held.cut, CutCoupling):
        places = {j: k for k, j in enumerate(held.cut.joints)}
        return held.cut.coefficients[places[joint]] if joint in places else found
    for sign, reach in ((1, held.reach), (-1, held.other)):
        if reach is not None and joint in reach.columns:
            v, w = reach.columns[joint]
            found += sign * (dot(row.force, v) + dot(row.couple, w))
    return found


def followed(cuts: Sequence[Held], twist: Twist) -> list[Value]:
    """B V: how fast the platform moves in every row."""
    rates = []
    for held in cuts:
        v, omega = held.holder_velocity(twist)
        rates += [dot(row.force, v) + dot(row.couple, omega) for row in held.rows]
    return rates


def row_gaps(cuts: Sequence[Held]) -> list[Value]:
    """Return the gap of every row [m, rad]."""
    return [row.gap for held in cuts for row in held.rows]


def accelerated(
    cuts: Sequence[Held],
    motions: Motions,
    q_dot: Sequence[Value],
    q_ddot: Sequence[Value],
    twist: Twist,
    acceleration: Twist,
) -> list[Value]:
    """B V̇ + β - α [m/s^2, rad/s^2], of `motions` under the joint accelerations known so far."""
    rates: list[Value] = []
    for held in cuts:
        if isinstance(held.cut, CutCoupling):
            known = ca.vertcat(*(q_ddot[j] for j in held.cut.joints))
            rates.append(-dot(held.cut.coefficients, known))
            continue
        link, point = motions[held.cut.link], held.cut.point
        far = held.holder_acceleration(motions, twist, acceleration)
        if isinstance(held.cut, CutRod):  # half the second derivative of the squared distance
            apart = held.holder_velocity(twist)[0] - held.reach.velocity(q_dot)
            if held.other is not None:
                apart += held.other.velocity(q_dot)
            (row,) = held.rows
            near = held.reach.acceleration(link, point)
            rates.append(dot(row.force, far - near) + dot(apart, apart))
            continue
        omega, alpha = held.holder_turning(motions, twist, acceleration)
        ahead = held.reach.axes.T @ far - (link.v_dot + link.U @ point)
        turning, turning_dot = omega - link.omega, alpha - link.omega_dot
        if link.in_base is not None:  # differences first, which are small
            axes, holder = held.reach.axes, held.holder_motion(motions, twist, acceleration)
            ahead = axes.T @ (far - held.reach.acceleration(link, point))
            turning = axes.T @ (holder.omega - link.in_base.omega)
            turning_dot = axes.T @ (holder.omega_dot - link.in_base.omega_dot)
        rates += [
            dot(row.force, ahead) + dot(row.couple, turning_dot)
            + dot(row.couple_rate(link.omega, turning), turning)
            for row in held.rows
        ]  # fmt: skip
    return rates


def platform_rows(cuts: Sequence[Held], about: Value = ZERO) -> list[Value]:
    """B itself: a row of six numbers for every row, in the machine's axes, about a point."""
    lines = []
    for held in cuts:
        axes, lever = held.reach.axes, held.lever - about
        for row in held.rows:
            f, n = axes @ row.force, axes @ row.couple
            seen = ca.vertcat(f, n + cross(lever, f)) if held.other is None else ca.DM.zeros(6)
            lines.append(seen.T)
    return lines


def wrench_of(
    cuts: Sequence[Held], multipliers: Sequence[Value], more: Sequence[Value] | None = None
) -> Value:
    """Bᵀ λ (6) [N, N m] of rows' multipliers, and of `more` forces at cuts, machine's axes."""
    wrench, rest = ca.DM.zeros(6), list(multipliers)
    for number, held in enumerate(cuts):
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
