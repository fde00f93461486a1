"""How the joints of a description move when the platform does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gough.equations.mechanism.bodies import ZERO
from gough.equations.mechanism.description import Pair
from gough.equations.mechanism.legs import LegPosture, leg_rates
from gough.equations.mechanism.motions import Velocities, velocities_of
from gough.equations.mechanism.points import Carrier, Line
from gough.equations.mechanism.rows import Platform, Twist
from gough.equations.spatial.algebra import Value, cross, dot


@dataclass(frozen=True)
class JointRates:
    """How everything moves at a twist of the platform, in the machine's axes."""

    velocities: Velocities
    q_dot: list[list[Value]]

    @classmethod
    def of(cls, platform: Platform, legs: list[LegPosture], twist: Twist) -> JointRates:
        """At a twist."""
        return cls(velocities_of(platform, legs, twist), [leg_rates(at, twist) for at in legs])

    def of_pair(self, pair: Pair, elsewhere: Value = ZERO) -> list[Value]:
        """Of a joint: about each axis, or (3) all ways, and along its slide.

        Its bodies may also turn against each other elsewhere than in the joint.
        """
        sliding = [] if pair.slide is None else [self.q_dot[pair.slide.leg][pair.slide.link]]
        if not pair.turns:
            return sliding
        turning = self.turning(pair.second) - self.turning(pair.first) - elsewhere
        if not pair.axes:
            return [turning, *sliding]
        frames = self.velocities.frames
        sides = [side for side in (pair.first, pair.second) if isinstance(side, Carrier)]
        axes = [frames.axes(side) @ axis for side, axis in zip(sides, pair.axes, strict=False)]
        return [*_components(axes, turning), *sliding]

    def turning(self, side: Carrier | Line) -> Value:
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
