"""Effect of elastic parts of a leg on its loops, and on the bodies beyond them.

Small displacements e, beside the rates of the joints: A q̇ + E e = B V.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism import elimination, rows, tree
from gough.equations.mechanism.bodies import ZERO
from gough.equations.mechanism.freedom import Assembled
from gough.equations.mechanism.kinematics import JointRates
from gough.equations.mechanism.legs import LegPosture
from gough.equations.mechanism.motions import CarrierFrames, Velocities
from gough.equations.mechanism.points import GROUND, PLATFORM, Carrier
from gough.equations.mechanism.rows import Held
from gough.equations.mechanism.springs import ElasticPart, ElasticRod
from gough.equations.mechanism.tips import RodTip
from gough.equations.spatial.algebra import Value, cross, dot


@dataclass(frozen=True)
class Strain:
    """One strain of a leg: a unit translation or rotation at a point, in the machine's axes."""

    part: ElasticPart | ElasticRod
    way: Value
    turn: Value
    at: Value

    def opens(self, number: int, held: Held) -> Sequence[Value | float]:
        """Return the effect of the strain on the rows of a tip."""
        if isinstance(self.part, ElasticRod):
            long = held.tip.length if isinstance(held.tip, RodTip) else ca.DM(0)
            return [long if number == self.part.tip else ca.DM(0)] * len(held.rows)
        sign = dict(self.part.tips).get(number, 0)
        if not sign:
            return [ca.DM(0)] * len(held.rows)
        axes, point = held.reach.axes, held.reach.position if sign > 0 else held.position
        v, omega = axes.T @ self.velocity(point), axes.T @ self.turn
        return [sign * (dot(row.force, v) + dot(row.couple, omega)) for row in held.rows]

    def velocity(self, point: Value) -> Value:
        """Return the velocity of a point beyond the strain."""
        return self.way + cross(self.turn, point - self.at)


@dataclass(frozen=True)
class Strained:
    """A leg, and by column what its strains do to it."""

    number: int
    posture: LegPosture
    strains: list[Strain]
    E: list[Value]
    """By row of the leg."""

    @property
    def q_dot(self) -> list[Value]:
        """By joint: its rate by each strain, with the platform at rest."""
        if not self.strains:
            return [ca.DM(1, 0)] * len(self.posture.leg.joints)
        return elimination.solved(self.posture.rows, [-row for row in self.E])

    def closing(self, row: int) -> tuple[Value, Value]:
        """A row that fixes no joint, freed of all of them: what it says of V, and of the strains.

        The first times V is the second times e.
        """
        weights = elimination.left_over(self.posture.rows, row)
        none = ca.DM.zeros(1, len(self.strains))
        opened = sum((w * e for w, e in zip(weights, self.E, strict=True) if self.strains), none)
        return rows.wrench_of(self.posture.tips, weights).T, opened


def strained(
    number: int,
    posture: LegPosture,
    frames: CarrierFrames,
    parts: Sequence[ElasticPart | ElasticRod],
) -> Strained:
    """Return a leg with its elastic parts."""
    strains = [strain for part in parts for strain in _strains(part, frames)]
    opened = [
        [gap for k, held in enumerate(posture.tips) for gap in strain.opens(k, held)]
        for strain in strains
    ]
    count = sum(len(held.rows) for held in posture.tips)
    E = [ca.horzcat(*(column[row] for column in opened)) for row in range(count)]
    return Strained(number, posture, strains, E)


def rates_of_strain(at: Assembled, frames: CarrierFrames, leg: Strained, number: int) -> JointRates:
    """Return the rates of all joints by one strain of a leg, with the platform fixed."""
    strain, still = leg.strains[number], (ZERO, ZERO)
    velocities = {GROUND: still, PLATFORM: still}
    q_dot = [[ca.DM(0)] * len(other.leg.joints) for other in at.legs]
    q_dot[leg.number] = [rates[number] for rates in leg.q_dot]
    for k, posture in enumerate(at.legs):
        own = {c.link: frame for c, frame in frames.by_carrier.items() if c.leg == k}
        moving = tree.link_velocities(posture.leg.joints, own, q_dot[k])
        velocities |= {Carrier(k, link): velocity for link, velocity in moving.items()}
    if isinstance(strain.part, ElasticPart):
        for link in strain.part.links:
            carrier = Carrier(leg.number, link)
            v, omega = velocities[carrier]
            more = strain.velocity(frames.by_carrier[carrier][1])
            velocities[carrier] = v + more, omega + strain.turn
    return JointRates(Velocities(frames, velocities), q_dot)


def _strains(part: ElasticPart | ElasticRod, frames: CarrierFrames) -> list[Strain]:
    if isinstance(part, ElasticRod):
        return [Strain(part, ZERO, ZERO, ZERO)]
    axes = frames.axes(part.place.carrier) @ part.axes
    at = frames.point(part.place)
    return [
        Strain(part, axes[:, c], ZERO, at) if c < 3 else Strain(part, ZERO, axes[:, c - 3], at)
        for c in part.components
    ]
