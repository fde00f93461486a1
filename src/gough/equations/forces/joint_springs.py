"""Flexures and springs of passive joints: their energy, and their wrench on the platform.

Each resists the displacement of its joint from home: about each axis, about all axes, or along its
slide. Those at the ends of a line, which spins freely or extends, each resist rotation across it,
and together, in series, rotation about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import casadi as ca

from gough.equations.closure.assembled import Assembled, assembled, in_base_axes
from gough.equations.closure.constraint_rows import Twist
from gough.equations.elastic.springs import LineTorsion, line_of
from gough.equations.machine import Machine
from gough.equations.motion.motions import CarrierFrames, frames_of, velocities_of
from gough.equations.spatial import attitude
from gough.equations.spatial.algebra import Value, cross, dot, skew, unit
from gough.equations.tree.bodies import ZERO
from gough.equations.tree.description import GROUND, Carrier, FixedFrame, Line, Pair, Point

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
    springs = Displaced(assembled(machine, pose)).springs()
    return sum((k * dot(x, x) for k, x, _ in springs), ca.DM(0)) / 2


def spring_wrench(machine: Machine, pose: Value) -> Value:
    """The wrench (6) [N, N m] of all springs on the platform, whose power is theirs."""
    if not machine.flexures:
        return ca.DM.zeros(6)
    V = ca.SX.sym("V", 6)
    springs = Displaced(assembled(machine, pose)).springs(Twist.of(V))
    power = sum((k * dot(x, rate) for k, x, rate in springs), ca.DM(0))
    return in_base_axes(machine, -ca.gradient(power, V))


@dataclass(frozen=True)
class Displaced:
    """A machine somewhere, as its joints see it from home."""

    at: Assembled

    def springs(self, twist: Twist = STILL) -> list[Spring]:
        """Return all springs, with their rates at a twist of the platform."""
        rates = velocities_of(self.at, twist)
        found = []
        for spring in self.at.machine.flexures:
            if isinstance(spring, LineTorsion):
                sides = (spring.first, spring.second, spring.line)
                found.append(self.twisted(spring, [rates.turning(side) for side in sides]))
                continue
            moved = zip(self.displacements(spring.pair), rates.of_pair(spring.pair), strict=True)
            found += [Spring(spring.stiffness, x, rate) for x, rate in moved]
        return found

    @cached_property
    def frames(self) -> CarrierFrames:
        """Where all carriers are."""
        return frames_of(self.at.platform, self.at.legs)

    @cached_property
    def at_home(self) -> dict[Carrier, FixedFrame]:
        """Machine's frame at home, as fixed in each carrier."""
        bodies = self.at.machine.description.carried
        return {body.origin.carrier: body for body in bodies if isinstance(body, FixedFrame)}

    def displacements(self, pair: Pair) -> list[Value]:
        """Return the displacements of a joint, in the order and axes of its rates [rad, m]."""
        found = self.turns_of(pair)
        if pair.slide is not None:
            found.append(self.displacement(pair.slide))
        return found

    def displacement(self, joint: Carrier) -> Value:
        """Return the displacement of a leg's own joint [rad, m]."""
        at = self.at.legs[joint.leg]
        return at.joint_positions[joint.link] - at.leg.joints[joint.link].at_home

    def turns_of(self, pair: Pair) -> list[Value]:
        """About each axis, or (3) all ways."""
        if not pair.turns:
            return []
        first, second = self._since_home(pair.first), self._since_home(pair.second)
        sides = [side for side in (pair.first, pair.second) if isinstance(side, Carrier)]
        axes = [self.frames.axes(c) @ axis for c, axis in zip(sides, pair.axes, strict=False)]
        if len(axes) == 2:
            a, b = axes
            return [
                attitude.angle_from(a, first @ second.T @ b, b),
                attitude.angle_from(b, a, second @ first.T @ a),
            ]
        if axes:
            return [attitude.angle_about(axes[0], first, second)]
        if len(sides) == 2:
            return [attitude.rotation_vector(second @ first.T)]
        line, other, sign = line_of(pair)
        stood = self._since_home(other) @ self._direction_at_home(line)
        return [sign * attitude.turn_from(stood, unit(self.frames.direction(line)))]

    def _since_home(self, side: Carrier | Line) -> Value:
        """The rotation since home; of a line that spins as it likes the shortest one."""
        if isinstance(side, Line):
            return attitude.shortest_turn(
                self._direction_at_home(side), unit(self.frames.direction(side))
            )
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

    def twisted(self, spring: LineTorsion, turns: Sequence[Value]) -> Spring:
        """Turning of two carriers against each other about the line between them.

        `turns` are the angular velocities of both, and of the line.
        """
        line, first, second = spring.line, spring.first, spring.second
        d_home = self._direction_at_home(line)
        R, S, d = ca.SX.sym("R", 3, 3), ca.SX.sym("S", 3, 3), ca.SX.sym("d", 3)
        carried = [attitude.shortest_turn(A @ d_home, d) @ A for A in (R, S)]
        angle = attitude.angle_about(d, *carried)
        at = [self._since_home(first), self._since_home(second), unit(self.frames.direction(line))]
        turning = [skew(omega) @ A for omega, A in zip(turns[:2], at, strict=False)]
        moved = [*turning, cross(turns[2], at[2])]
        symbols = ca.vertcat(ca.vec(R), ca.vec(S), d)
        along = ca.SX.sym("along", 21)
        rate = ca.jtimes(angle, symbols, along)
        values, moves = (ca.densify(ca.vertcat(*map(ca.vec, x))) for x in (at, moved))
        angle, rate = ca.substitute([angle, rate], [symbols, along], [values, moves])
        return Spring(spring.stiffness, angle, rate)
