"""Which rows tie the strains of a machine whose links yield, decided on samples."""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np

from gough.equations.mechanism.machine import Machine
from gough.equations.mechanism.motions import frames_of
from gough.equations.mechanism.newton import posture_at
from gough.equations.mechanism.points import PLATFORM
from gough.equations.mechanism.rows import Platform
from gough.equations.mechanism.springs import Yielding, YieldingRod, own
from gough.equations.mechanism.straining import Strained, strained
from gough.model.mechanism.carriers import Carriers
from gough.model.mechanism.independence import independent_rows
from gough.model.mechanism.plans import used_rows
from gough.model.mechanism.samples import Assembler


def closing_rows(
    machine: Machine, places: Carriers, yielding: Sequence[Yielding | YieldingRod]
) -> tuple[tuple[int, ...], ...]:
    """By leg, the rows that fix no joint: all but those that say nothing new.

    Rows that the others imply strain nothing: rigid parts of overconstrained machines have some.
    """
    count = len(machine.legs)
    q = [ca.SX.sym(f"q{k}", len(leg.joints)) for k, leg in enumerate(machine.legs)]
    p, R = ca.SX.sym("p", 3), ca.SX.sym("R", 3, 3)
    postures = [posture_at(leg, x, p, R) for leg, x in zip(machine.legs, q, strict=True)]
    frames = frames_of(Platform(p, R), postures)
    legs = [strained(k, postures[k], frames, own(yielding, k)) for k in range(count)]
    left = [(leg, row) for leg in legs for row in _unused(leg)]
    if not left:
        return ((),) * count
    ties = ca.Function("ties", [*q, p, R], [_ties(machine, legs)])
    samples = Assembler(machine.legs, places.frame(PLATFORM), places.drawing.size).samples()
    seen = [np.array(ties(*sample.q, sample.position, sample.rotation)) for sample in samples]
    chosen = [left[k] for k in independent_rows(seen)]
    return tuple(tuple(row for of, row in chosen if of is leg) for leg in legs)


def _unused(leg: Strained) -> list[int]:
    """The rows of a leg that fix no joint."""
    return sorted(set(range(len(leg.E))) - used_rows(leg.posture.leg.plan))


def _ties(machine: Machine, legs: Sequence[Strained]) -> ca.SX:
    """What these rows see of the displacements beside the moves, and of the strains of all legs."""
    by_leg = [[leg.closing(row) for row in _unused(leg)] for leg in legs]
    of_V = ca.vertcat(*(V for pairs in by_leg for V, _ in pairs))
    of_e = ca.diagcat(*(ca.vertcat(*(e for _, e in pairs)) for pairs in by_leg if pairs))
    return ca.densify(ca.SX(ca.horzcat(of_V @ machine.freedom.outside.T, of_e)))
