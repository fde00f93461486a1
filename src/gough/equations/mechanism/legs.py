"""Each leg's state from the platform's: joint positions, rates and accelerations.

[Briot & Khalil 2021, §2: (4), (5), and their time derivatives].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gough.equations.machine import Leg, Machine
from gough.equations.mechanism import elimination, rows, tree
from gough.equations.mechanism.bodies import BodyMotion
from gough.equations.mechanism.elimination import Elimination
from gough.equations.mechanism.joints import LinkPlacement, Position
from gough.equations.mechanism.rows import Held, PlatformPlacement, Twist
from gough.equations.mechanism.tips import BallTip
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class LegPosture:
    """A leg in its place: joint positions, link frames, held tips, and its rows to be solved."""

    leg: Leg
    positions: Sequence[Position]
    places: list[LinkPlacement]
    tips: list[Held]
    rows: Elimination

    @property
    def joint_positions(self) -> list[Value]:
        """Positions of its joints as the machine's maker counts them [rad, m]."""
        pairs = zip(self.leg.joints, self.positions, strict=True)
        return [joint.counted(x) for joint, x in pairs]

    @property
    def is_on_a_ball(self) -> bool:
        """Whether all that holds it is one ball joint at the platform."""
        tips = self.leg.tips
        return len(tips) == 1 and type(tips[0]) is BallTip and tips[0].other is None


@dataclass(frozen=True)
class LegMotion:
    """Rates and accelerations of a leg's joints, and its links' motions, less gravity."""

    q_dot: list[Value]
    q_ddot: list[Value]
    links: dict[int, BodyMotion]


def leg_postures(machine: Machine, platform: PlatformPlacement) -> list[LegPosture]:
    """All legs at a place of the platform: the inverse geometric model."""
    return [
        posture(leg, leg.positions(platform.position, platform.rotation), platform)
        for leg in machine.legs
    ]


def posture(leg: Leg, positions: Sequence[Position], platform: PlatformPlacement) -> LegPosture:
    """One leg at these positions of its joints."""
    places = [joint.placed(x) for joint, x in zip(leg.joints, positions, strict=True)]
    tips = rows.held_tips(leg, places, platform)
    A = rows.row_matrix(leg, tips)
    return LegPosture(leg, positions, places, tips, elimination.eliminated(leg.plan, A))


def leg_rates(at: LegPosture, twist: Twist) -> list[Value]:
    """q̇ of A q̇ = B V [rad/s, m/s]."""
    return elimination.solved(at.rows, rows.followed(at.tips, twist))


def leg_jacobian(at: LegPosture, T: Value) -> list[Value]:
    """G_i T: rates of a leg's joints by u, a row for each joint [Briot & Khalil 2021 (8)]."""
    return elimination.solved(at.rows, [row @ T for row in rows.platform_rows(at.tips)])


def leg_motion(at: LegPosture, twist: Twist, acceleration: Twist, gravity: Value) -> LegMotion:
    """q̇, and q̈ of A q̈ = B V̇ + β - α; the acceleration is less gravity."""
    q_dot = leg_rates(at, twist)

    def links(q_ddot: Sequence[Value]) -> dict[int, BodyMotion]:
        return tree.link_motions(at.leg.joints, at.places, q_dot, q_ddot, gravity)

    def outrun(q_ddot: Sequence[Value]) -> list[Value]:
        return rows.accelerated(at.tips, links(q_ddot), q_dot, twist, acceleration)

    q_ddot = elimination.solved_in_turn(at.rows, outrun)
    return LegMotion(q_dot, q_ddot, links(q_ddot))
