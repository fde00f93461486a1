"""Flexures: joints that resist their motion, as springs between the bodies that they join."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

from gough.equations.mechanism.description import Pair
from gough.equations.mechanism.freedom import Assembled
from gough.equations.mechanism.kinematics import JointRates
from gough.equations.mechanism.motions import CarrierFrames
from gough.equations.mechanism.points import Line
from gough.equations.mechanism.rows import Twist
from gough.equations.mechanism.springs import ElasticPart, Flexure
from gough.equations.mechanism.strains import Strain, Strained, rates_of_strain
from gough.equations.spatial.algebra import Value, angular, linear, unit


def flexure_springs(
    at: Assembled, flexures: Sequence[Flexure], moves: Value
) -> list[tuple[Value, Value]]:
    """Stiffness of all flexures, and their rates by the columns of the platform's moves."""
    if not flexures:
        return []
    twists = [Twist(linear(V), angular(V)) for V in ca.horzsplit(moves)]
    moving = [JointRates.of(at.platform, at.legs, twist) for twist in twists]
    found, spins = [], dict[int, list[tuple[Value, Value]]]()
    for flexure in flexures:
        k, pair = flexure.stiffness, at.machine.description.pairs[flexure.joint]
        N = ca.horzcat(*(ca.vertcat(*rates.of_pair(pair)) for rates in moving))
        if flexure.line is not None:
            s, sign = _line_of(moving[0], pair)
            spins.setdefault(flexure.line, []).append((k, sign * (s.T @ N)))
            N -= s @ (s.T @ N)
        found.append((k, N))
    return found + [_in_series(*ends) for ends in spins.values() if len(ends) == 2]


def strained_flexures(
    at: Assembled, frames: CarrierFrames, legs: Sequence[Strained], flexures: Sequence[Flexure]
) -> list[Value]:
    """Rates of all flexures by the strains of all legs; none of them ends a line that spins."""
    if not flexures:
        return []
    moving = [
        (strain, rates_of_strain(at, frames, leg, k))
        for leg in legs
        for k, strain in enumerate(leg.strains)
    ]
    pairs = at.machine.description.pairs
    return [
        ca.horzcat(
            *(
                ca.vertcat(
                    *rates.of_pair(pairs[flexure.joint], _strain_rotation(strain, flexure.joint))
                )
                for strain, rates in moving
            )
        )
        for flexure in flexures
    ]


def _strain_rotation(strain: Strain, joint: int) -> Value:
    """Return the relative rotation of a joint's bodies that is strain, not motion of the joint."""
    beyond = dict(strain.part.joints) if isinstance(strain.part, ElasticPart) else {}
    return beyond.get(joint, 0) * strain.turn


def _line_of(moving: JointRates, pair: Pair) -> tuple[Value, int]:
    """The direction of a line that a joint ends, and whether its turning counts from there on."""
    first, second = pair.first, pair.second
    line = first if isinstance(first, Line) else second
    assert isinstance(line, Line)
    return unit(moving.velocities.frames.direction(line)), 1 if line is first else -1


def _in_series(near: tuple[Value, Value], far: tuple[Value, Value]) -> tuple[Value, Value]:
    """Two flexures at the ends of a line, against turning about it: between them all spins."""
    (k, x), (l, y) = near, far
    return k * l / (k + l), x - y
