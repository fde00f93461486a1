"""Spring network of a machine with elastic links and bearings: its minimum of energy.

V is the platform's displacement, e the strains of links and bearings, whose compliance is C. Drives
and flexures move by N V + P e and push back by k; other rows tie both together: N V + P e = 0. With
the forces s of all of these [Pashkevich, Chablat & Wenger 2009]

    e = -C Pᵀ s,  s = k (N V + P e),  Nᵀ s = wrench

where s, in place of k, is what holds the ties. Overconstrained machines have more ties than the
platform needs: these strain one another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism.flexures import flexure_springs, strained_flexures
from gough.equations.mechanism.freedom import Assembled
from gough.equations.mechanism.legs import leg_jacobian
from gough.equations.mechanism.motions import frames_of
from gough.equations.mechanism.springs import Springs, own
from gough.equations.mechanism.strains import Strained, strained
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value

TYPICAL = 1e-7
"""A compliance [m/N, rad/(N m)] that brings forces and displacements to like sizes."""


@dataclass(frozen=True)
class Network:
    """Springs condensed to the platform's coordinates u, in the machine's axes."""

    K: Value
    """Stiffness along u, with no other load (n x n)."""
    T: Value
    """Derivative of the platform's displacement by u (6 x n)."""
    C: Value
    """Compliance of the platform at constant u (6x6)."""


@dataclass(frozen=True)
class _Spring:
    """A drive, a flexure or a tie: one row or several."""

    N: Value
    P: Value
    k: Value | None
    """None of a tie."""

    @property
    def gain(self) -> list[Value | float]:
        """By which its rows are multiplied."""
        return [1 / TYPICAL if self.k is None else self.k] * self.N.shape[0]

    @property
    def share(self) -> list[Value]:
        """Return 1 for each of its forces that is a spring's, 0 for those of a tie."""
        return [ca.DM(self.k is not None)] * self.N.shape[0]


def network(at: Assembled, springs: Springs, stiffness: Sequence[Value]) -> Network:
    """The springs with these stiffnesses of the motors."""
    inside, outside = at.machine.freedom.inside, at.machine.freedom.outside
    parts, C = _parts(at, springs, stiffness)
    N, P = (ca.vertcat(*(getattr(part, name) for part in parts)) for name in ("N", "P"))
    gain = ca.diag(ca.vertcat(*(x for part in parts for x in part.gain)))
    share = ca.diag(ca.vertcat(*(x for part in parts for x in part.share)))
    n, across, count = inside.shape[1], outside.shape[0], N.shape[0]
    matrix = ca.blockcat(
        [
            [share + gain @ (P @ C @ P.T), -TYPICAL * (gain @ N @ outside.T)],
            [outside @ N.T, ca.DM.zeros(across, across)],
        ]
    )
    found = solve(matrix, ca.diagcat(gain @ N @ inside, ca.DM.eye(across)))
    s, y = found[:count, :], TYPICAL * found[count:, :]
    return Network(
        inside.T @ N.T @ s[:, :n],
        inside + outside.T @ y[:, :n],
        outside.T @ y[:, n:] @ outside,
    )


def _parts(
    at: Assembled, springs: Springs, stiffness: Sequence[Value]
) -> tuple[list[_Spring], Value]:
    """All springs, and the compliance of all strains."""
    frames = frames_of(at.platform, at.legs)
    legs = [
        strained(k, posture, frames, own(springs.elastic_parts, k))
        for k, posture in enumerate(at.legs)
    ]
    C = ca.diagcat(
        *(part.compliance for leg in legs for part in own(springs.elastic_parts, leg.number))
    )
    flexures = zip(
        flexure_springs(at, springs.flexures, ca.DM.eye(6)),
        strained_flexures(at, frames, legs, springs.flexures),
        strict=True,
    )
    bent = [_Spring(N, P, k) for (k, N), P in flexures]
    return [*_drives(at, legs, stiffness), *_ties(legs, springs), *bent], C


def _drives(
    at: Assembled, legs: Sequence[Strained], stiffness: Sequence[Value]
) -> Iterator[_Spring]:
    by_V, by_e = [leg_jacobian(leg, ca.DM.eye(6)) for leg in at.legs], [leg.q_dot for leg in legs]
    for (leg, joint), k in zip(at.machine.motors, stiffness, strict=True):
        yield _Spring(by_V[leg][joint], _among(legs, leg, by_e[leg][joint]), k)


def _ties(legs: Sequence[Strained], springs: Springs) -> Iterator[_Spring]:
    for leg, closing in zip(legs, springs.closing, strict=True):
        for row in closing:
            N, opened = leg.closing(row)
            yield _Spring(N, _among(legs, leg.number, -opened), None)


def _among(legs: Sequence[Strained], number: int, row: Value) -> Value:
    """A row over the strains of one leg among those of all."""
    return ca.horzcat(
        *(row if leg.number == number else ca.DM.zeros(1, len(leg.strains)) for leg in legs)
    )
