"""Joint positions of common legs in closed form, and without an angle: as cosines and sines.

A leg is solved step by step. Each step knows the cut joint's place in the frame of links that
are solved already, and solves one or two more joints. The sign of a root determines the branch.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import dot

from gough.equations.closure.constraint_rows import PlatformPlacement
from gough.equations.machine import Leg
from gough.equations.spatial.algebra import Value, reciprocal
from gough.equations.tree.joints import BASE, Position, Turn


@dataclass
class Known:
    """A leg that is solved in part."""

    leg: Leg
    platform: PlatformPlacement
    positions: dict[int, Position]

    def target(self, cut: int, joint: int) -> Value:
        """Where a cut joint is held, in the frame on which a joint is mounted, from its origin."""
        p = self.platform
        held = p.position + p.rotation @ self.leg.cuts[cut].held_point
        mounted = self.leg.joints[joint]
        return mounted.rotation.T @ (self._inside(held, mounted.before) - mounted.origin)

    def point_in(self, cut: int, link: int) -> Value:
        """A cut joint's point in the frame of a link before it."""
        at = self.leg.cuts[cut]
        point, k = at.point, at.link
        while k != link:
            place = self.leg.joints[k].placed(self.positions[k])
            point, k = place.origin + place.rotation @ point, self.leg.joints[k].before
        return point

    def _inside(self, point: Value, link: int) -> Value:
        """A point of the base frame in the frame of a link."""
        if link == BASE:
            return point
        joint = self.leg.joints[link]
        place = joint.placed(self.positions[link])
        return place.rotation.T @ (self._inside(point, joint.before) - place.origin)


class ClosedFormStep(ABC):
    """One step: the positions of some joints from those that are known."""

    @property
    @abstractmethod
    def joints(self) -> list[int]:
        """The joints that it solves."""

    @abstractmethod
    def solved(self, known: Known) -> dict[int, Position]:
        """Positions by joint."""


@dataclass(frozen=True)
class OneJoint(ClosedFormStep):
    """Base of all steps that solve one joint."""

    joint: int

    @property
    def joints(self) -> list[int]:
        """The joint that it solves."""
        return [self.joint]

    def solved(self, known: Known) -> dict[int, Position]:
        """Position of the joint."""
        return {self.joint: self._position(known)}

    @abstractmethod
    def _position(self, known: Known) -> Position: ...


@dataclass(frozen=True)
class Reach(OneJoint):
    """A hinge or slide that brings a point of its link to a distance from where its cut is held.

    `across`: only distances across the hinge's axis count, as all that follows moves across it.
    """

    cut: int
    point: Value
    squared_distance: Value | float
    across: bool = False
    sign: Value | int = 1

    def _position(self, known: Known) -> Position:
        d, e = known.target(self.cut, self.joint), self.point
        if not known.leg.joints[self.joint].turns:
            d = d - e
            return d[2] + self.sign * ca.sqrt(self.squared_distance - d[0] * d[0] - d[1] * d[1])
        spread = d[0] * d[0] + d[1] * d[1]
        excess = e[0] ** 2 + e[1] ** 2 - self.squared_distance
        if self.across:
            k = (spread + excess) / 2
        else:
            k = (spread + d[2] * d[2] + (excess + e[2] ** 2)) / 2 - d[2] * e[2]
        if e[1].is_zero():
            return turn_of(d[0], d[1], k / e[0], spread, self.sign)
        x, y = d[0] * e[0] + d[1] * e[1], d[1] * e[0] - d[0] * e[1]
        return turn_of(x, y, k, x * x + y * y, self.sign)


@dataclass(frozen=True)
class Extend(OneJoint):
    """A slide behind hinges that gives its cut the distance from them at which it is held."""

    first: int  # the first of the hinges: their axes meet at its frame's origin
    cut: int
    across: bool
    sign: Value | int = 1

    def _position(self, known: Known) -> Position:
        d, slide = known.target(self.cut, self.first), known.leg.joints[self.joint]
        start = slide.origin + slide.rotation @ known.leg.cuts[self.cut].point
        along = slide.rotation[:, 2]
        seen = ca.DM([1, 1, 0 if self.across else 1])
        b, m = dot(along, start * seen), dot(start * seen, start)
        return self.sign * ca.sqrt(dot(d * seen, d) + (b * b - m)) - b


@dataclass(frozen=True)
class Stretch:
    """Links that move a cut as one would: a parallelogram between two hinges and the cut."""

    start: Value  # a point on the first hinge's axis, in its frame [m]
    end: Value  # from there to the cut, in the frame of the second hinge's link [m]


@dataclass(frozen=True)
class Aim(ClosedFormStep):
    """Two hinges whose axes meet, which point the cut to where it is held."""

    first: int
    second: int
    cut: int
    sign: Value | int = 1
    stretch: Stretch | None = None  # where more links follow, but the cut moves as if they were one

    @property
    def joints(self) -> list[int]:
        """The joints that it solves."""
        return [self.first, self.second]

    def solved(self, known: Known) -> dict[int, Position]:
        """Positions of both: the second gives the component along the first one's axis."""
        d = known.target(self.cut, self.first)
        if self.stretch is None:
            t = known.point_in(self.cut, self.second)
        else:
            d, t = d - self.stretch.start, self.stretch.end
        F = known.leg.joints[self.second].rotation
        x = F[2, 0] * t[0] + F[2, 1] * t[1]
        y = F[2, 1] * t[0] - F[2, 0] * t[1]
        second = turn_of(x, y, d[2] - F[2, 2] * t[2], x * x + y * y, self.sign)
        return {self.first: swung(F @ second.turned(t), d), self.second: second}


@dataclass(frozen=True)
class Bring(OneJoint):
    """A hinge or slide that brings the cut to where it is held."""

    cut: int

    def _position(self, known: Known) -> Position:
        here, held = known.point_in(self.cut, self.joint), known.target(self.cut, self.joint)
        return swung(here, held) if known.leg.joints[self.joint].turns else held[2] - here[2]


@dataclass(frozen=True)
class EqualJoints(ClosedFormStep):
    """Joints that stand as earlier ones do: the second rod of a parallelogram."""

    earlier: dict[int, int]

    @property
    def joints(self) -> list[int]:
        """The joints that it solves."""
        return list(self.earlier)

    def solved(self, known: Known) -> dict[int, Position]:
        """Positions of the joints."""
        return {joint: known.positions[twin] for joint, twin in self.earlier.items()}


@dataclass(frozen=True)
class Opposite(OneJoint):
    """A hinge that turns back what an earlier one turns: the far end of a parallelogram's bar."""

    earlier: int
    together: Turn  # both turns, one after the other

    def _position(self, known: Known) -> Position:
        turn, both = known.positions[self.earlier], self.together
        assert isinstance(turn, Turn)
        cosine = both.cosine * turn.cosine + both.sine * turn.sine
        sine = both.sine * turn.cosine - both.cosine * turn.sine
        return Turn(cosine, sine)


def closed_positions(
    leg: Leg, steps: Sequence[ClosedFormStep]
) -> Callable[[Value, Value], list[Position]]:
    """From the platform's position and rotation to the joints' positions, by these steps."""

    def found(position: Value, rotation: Value) -> list[Position]:
        known = Known(leg, PlatformPlacement(position, rotation), {})
        for step in steps:
            known.positions.update(step.solved(known))
        return [known.positions[j] for j in range(len(leg.joints))]

    return found


def turn_of(x: Value, y: Value, k: Value, squared: Value, sign: Value | int) -> Turn:
    """The turn with x cos θ + y sin θ = k; `squared` is x² + y²."""
    w = sign * ca.sqrt(squared - k * k)
    by = reciprocal(squared)
    return Turn((k * x - y * w) * by, (k * y + x * w) * by)


def swung(a: Value, b: Value) -> Turn:
    """The turn about z that brings a vector over another one that is as long across z."""
    if a[1].is_zero() and a[0].is_constant():
        by = reciprocal(a[0])
        return Turn(b[0] * by, b[1] * by)
    by = reciprocal(a[0] * a[0] + a[1] * a[1])
    return Turn((a[0] * b[0] + a[1] * b[1]) * by, (a[0] * b[1] - a[1] * b[0]) * by)
