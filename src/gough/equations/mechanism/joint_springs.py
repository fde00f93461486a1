"""Flexures and springs of passive joints: their energy, and what they do to the platform.

Each resists the displacement of its joint from where it is at home: about each axis, all ways, or
along its slide. Against turning about a line between two balls they are in series, because what
is between them spins as it likes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import casadi as ca

from gough.equations.mechanism.bodies import ZERO
from gough.equations.mechanism.description import Pair
from gough.equations.mechanism.joint_rates import JointRates
from gough.equations.mechanism.legs import LegPosture, leg_postures
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.motions import Frames, frames_of
from gough.equations.mechanism.points import GROUND, Carrier, Line, Point, Seen
from gough.equations.mechanism.rows import Platform, Twist
from gough.equations.mechanism.stance import in_base_axes, platform_at
from gough.equations.spatial.algebra import Value, angular, cross, dot, linear, skew, unit
from gough.equations.spatial.attitude import (
    angle_about,
    rotation_vector,
    shortest_turn,
    turn_from,
)

STILL = Twist(ZERO, ZERO)


class Spring(NamedTuple):
    """A spring: stiffness [N m/rad, N/m], displacement from home, and its rate."""

    stiffness: Value
    displacement: Value
    rate: Value


def spring_energy(machine: Machine, pose: Value) -> Value:
    """Energy [J] of all springs of passive joints; zero at home."""
    if not machine.flexures:
        return ca.DM(0)
    springs = _Displaced(machine, pose).springs()
    return sum((k * dot(x, x) for k, x, _ in springs), ca.DM(0)) / 2


def spring_wrench(machine: Machine, pose: Value) -> Value:
    """The wrench (6) [N, N m] of all springs on the platform, whose power is theirs."""
    if not machine.flexures:
        return ca.DM.zeros(6)
    V = ca.SX.sym("V", 6)
    springs = _Displaced(machine, pose).springs(Twist(linear(V), angular(V)))
    power = sum((k * dot(x, rate) for k, x, rate in springs), ca.DM(0))
    return in_base_axes(machine, -ca.gradient(power, V))


@dataclass(frozen=True)
class _Displaced:
    """A machine at a pose, as its joints see it from home."""

    machine: Machine
    pose: Value

    def springs(self, twist: Twist = STILL) -> list[Spring]:
        """All springs, and how fast they yield at a twist of the platform."""
        rates = JointRates.of(self.platform, self.legs, twist)
        found, lines = [], dict[int, list[tuple[Value, Pair]]]()
        for flexure in self.machine.flexures:
            k, pair = flexure.stiffness, self.machine.description.pairs[flexure.joint]
            moved = zip(self.displacements(pair), rates.of_pair(pair), strict=True)
            found += [Spring(k, x, rate) for x, rate in moved]
            if flexure.line is not None:
                lines.setdefault(flexure.line, []).append((k, pair))
        ends = (ends for ends in lines.values() if len(ends) == 2)
        return found + [self._in_series(*near, *far, rates) for near, far in ends]

    @cached_property
    def platform(self) -> Platform:
        """Where the platform is."""
        return platform_at(self.machine, self.pose)

    @cached_property
    def legs(self) -> list[LegPosture]:
        """Where the legs are."""
        return leg_postures(self.machine, self.platform)

    @cached_property
    def frames(self) -> Frames:
        """Where all carriers are."""
        return frames_of(self.platform, self.legs)

    @cached_property
    def at_home(self) -> dict[Carrier, Seen]:
        """What each carrier carries along from home: the machine's frame."""
        bodies = self.machine.description.carried
        return {body.origin.carrier: body for body in bodies if isinstance(body, Seen)}

    def displacements(self, pair: Pair) -> list[Value]:
        """Of a joint, in the order and the axes of its rates [rad, m]."""
        found = self._turned(pair) if pair.turns else []
        if pair.slide is not None:
            leg, link = pair.slide
            at = self.legs[leg]
            found.append(at.joint_positions[link] - at.leg.joints[link].at_home)
        return found

    def _turned(self, pair: Pair) -> list[Value]:
        """About each axis, or (3) all ways."""
        first, second = self._since_home(pair.first), self._since_home(pair.second)
        sides = [side for side in (pair.first, pair.second) if isinstance(side, Carrier)]
        axes = [self.frames.axes(c) @ axis for c, axis in zip(sides, pair.axes, strict=False)]
        if len(axes) == 2:
            a, b = axes
            return [_angle(a, first @ second.T @ b, b), _angle(b, a, second @ first.T @ a)]
        if axes:
            return [angle_about(axes[0], first, second)]
        if len(sides) == 2:
            return [rotation_vector(second @ first.T)]
        line, other, sign = _line_of(pair)
        stood = self._since_home(other) @ self._direction_at_home(line)
        return [sign * turn_from(stood, unit(self.frames.direction(line)))]

    def _since_home(self, side: Carrier | Line) -> Value:
        """The rotation since home; of a line that spins as it likes the shortest one."""
        if isinstance(side, Line):
            return shortest_turn(self._direction_at_home(side), unit(self.frames.direction(side)))
        if side == GROUND:
            return self.frames.axes(GROUND)
        return self.frames.axes(side) @ self.at_home[side].axes

    def _direction_at_home(self, line: Line) -> Value:
        near, far = (self._place_at_home(point) for point in (line.near, line.far))
        return unit(far - near)

    def _place_at_home(self, point: Point) -> Value:
        if point.carrier == GROUND:
            return point.at
        seen = self.at_home[point.carrier]
        return seen.axes.T @ (point.at - seen.origin.at)

    def _in_series(
        self, k: Value, near: Pair, k_far: Value, far: Pair, rates: JointRates
    ) -> Spring:
        """Two flexures at the ends of a line, against turning about it."""
        line, first, _ = _line_of(near)
        _, second, _ = _line_of(far)
        d_home = self._direction_at_home(line)
        R, S, d = ca.SX.sym("R", 3, 3), ca.SX.sym("S", 3, 3), ca.SX.sym("d", 3)
        carried = [shortest_turn(A @ d_home, d) @ A for A in (R, S)]
        angle = angle_about(d, *carried)
        at = [self._since_home(first), self._since_home(second), unit(self.frames.direction(line))]
        turning = [
            skew(rates.turning(side)) @ A for side, A in zip((first, second), at, strict=False)
        ]
        moved = [*turning, cross(rates.turning(line), at[2])]
        symbols = ca.vertcat(ca.vec(R), ca.vec(S), d)
        along = ca.SX.sym("along", 21)
        rate = ca.jtimes(angle, symbols, along)
        values = ca.vertcat(*map(ca.vec, at))
        angle, rate = ca.substitute(
            [angle, rate], [symbols, along], [values, ca.vertcat(*map(ca.vec, moved))]
        )
        return Spring(k * k_far / (k + k_far), angle, rate)


def _line_of(pair: Pair) -> tuple[Line, Carrier | Line, int]:
    """The line that a ball ends, what is at its other side, and whether the line is the second."""
    if isinstance(pair.second, Line):
        return pair.second, pair.first, 1
    assert isinstance(pair.first, Line)
    return pair.first, pair.second, -1


def _angle(axis: Value, a: Value, b: Value) -> Value:
    """The angle [rad] about an axis of length one by which a turns to b, within half a turn."""
    return ca.atan2(dot(axis, cross(a, b)), dot(a, b) - dot(axis, a) * dot(axis, b))
