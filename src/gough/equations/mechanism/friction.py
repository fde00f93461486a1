"""Friction in the joints of a machine of any kind: what it does to the platform.

Every joint resists its motion with a viscous and a dry part. Dry friction fades to zero below a
speed, so that it is smooth. The wrench on the platform is the one whose power is that of all joints
together. A rod with balls at both ends does not spin about itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism.description import Pair
from gough.equations.mechanism.legs import LegPosture, leg_postures, leg_rates
from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.motions import Velocities, velocities_of
from gough.equations.mechanism.points import Carrier, Line
from gough.equations.mechanism.rows import Platform, Twist
from gough.equations.mechanism.stance import in_base_axes, platform_at, twist_in
from gough.equations.spatial.algebra import Value, angular, cross, dot, linear

TURNING_FADE, SLIDING_FADE = 1e-2, 1e-3
"""Small beside the working speed of any joint [rad/s, m/s]."""


@dataclass(frozen=True)
class Rubbing:
    """Friction in a joint: viscous [N m s/rad, N s/m] and dry [N m, N].

    In a universal joint it holds for each of the two axes, in a ball joint for the turning as a
    whole.
    """

    joint: int
    """Its place in the description."""
    damping: Value
    friction: Value


def friction_wrench(
    machine: Machine, rubbing: Sequence[Rubbing], pose: Value, twist: Value
) -> Value:
    """The wrench (6) [N, N m] of all joints' friction on the platform."""
    platform = platform_at(machine, pose)
    legs = leg_postures(machine, platform)
    V = ca.SX.sym("V", 6)
    as_they_move = _Motion.of(platform, legs, twist_in(machine, twist))
    as_they_may = _Motion.of(platform, legs, Twist(linear(V), angular(V)))
    efforts, rates = [], []
    for rub in rubbing:
        pair = machine.description.pairs[rub.joint]
        fade = TURNING_FADE if pair.slide is None else SLIDING_FADE
        efforts += [_resistance(rub, rate, fade) for rate in as_they_move.rates(pair)]
        rates += as_they_may.rates(pair)
    power = ca.dot(ca.vertcat(*rates), ca.vertcat(*efforts))
    return in_base_axes(machine, -ca.gradient(power, V))


def _resistance(rub: Rubbing, rate: Value, fade: float) -> Value:
    return (rub.damping + rub.friction / ca.sqrt(dot(rate, rate) + fade**2)) * rate


@dataclass(frozen=True)
class _Motion:
    """How everything moves at a twist of the platform, in the machine's axes."""

    velocities: Velocities
    q_dot: list[list[Value]]

    @classmethod
    def of(cls, platform: Platform, legs: list[LegPosture], twist: Twist) -> _Motion:
        return cls(velocities_of(platform, legs, twist), [leg_rates(at, twist) for at in legs])

    def rates(self, pair: Pair) -> list[Value]:
        """Of a joint: about each axis, or (3) all ways, and along its slide."""
        sliding = [] if pair.slide is None else [self.q_dot[pair.slide.leg][pair.slide.link]]
        if not pair.turns:
            return sliding
        turning = self._turning(pair.second) - self._turning(pair.first)
        if not pair.axes:
            return [turning, *sliding]
        frames = self.velocities.frames
        sides = [side for side in (pair.first, pair.second) if isinstance(side, Carrier)]
        axes = [frames.axes(side) @ axis for side, axis in zip(sides, pair.axes, strict=False)]
        return [*_components(axes, turning), *sliding]

    def _turning(self, side: Carrier | Line) -> Value:
        """Angular velocity; of what spins about a line without that."""
        if isinstance(side, Carrier):
            return self.velocities.by_carrier[side][1]
        along, speed = self.velocities.frames.direction(side), self.velocities.point
        return cross(along, speed(side.far) - speed(side.near)) / dot(along, along)


def _components(axes: Sequence[Value], turning: Value) -> list[Value]:
    """Rates about one or two axes of which a turning consists."""
    along = [dot(axis, turning) for axis in axes]
    if len(axes) == 1:
        return along
    c = dot(*axes)
    return [(along[0] - c * along[1]) / (1 - c * c), (along[1] - c * along[0]) / (1 - c * c)]
