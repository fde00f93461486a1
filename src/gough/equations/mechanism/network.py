"""The springs of a machine whose links and bearings yield: where their energy is least.

V is the platform's displacement, e the strains of links and bearings, whose compliance is C. Drives
and flexures move by N V + P e and push back by k; other rows tie both together: N V + P e = 0. With
the forces s of all of these [Pashkevich, Klimchik & Chablat 2011]

    e = -C Pᵀ s,  s = k (N V + P e),  Nᵀ s = wrench

where s, in place of k, is what holds the ties. Overconstrained machines have more ties than the
platform needs: these strain one another.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from gough.equations.mechanism.flexures import flexure_springs, strained_flexures
from gough.equations.mechanism.freedom import Assembled
from gough.equations.mechanism.legs import leg_jacobian
from gough.equations.mechanism.motions import frames_of
from gough.equations.mechanism.springs import Springs, own
from gough.equations.mechanism.straining import Strained, strained
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value

TYPICAL = 1e-7
"""A compliance [m/N, rad/(N m)] that brings forces and displacements to like sizes."""


@dataclass(frozen=True)
class Network:
    """The springs as the moves see them, in the machine's axes."""

    K: Value
    """Force by displacement along the moves u, with no other load (n x n)."""
    T: Value
    """How the platform is displaced then, by u (6 x n)."""
    C: Value
    """How a wrench displaces it when u does not change (6x6)."""


def network(at: Assembled, springs: Springs, stiffness: list[Value]) -> Network:
    """The springs with these stiffnesses of the motors."""
    freedom, N, P, C, k = at.machine.freedom, *_springs(at, springs, stiffness)
    inside, outside = freedom.inside, freedom.outside
    n, across, count = inside.shape[1], outside.shape[0], N.shape[0]
    own_share = ca.diag(ca.vertcat(*(ca.DM(x is not None) for x in k)))
    gain = ca.vertcat(*(1 / TYPICAL if x is None else x for x in k))
    yielding = own_share + ca.diag(gain) @ (P @ C @ P.T)
    aside = ca.diag(gain) @ N @ outside.T
    matrix = ca.blockcat(
        [[yielding, -TYPICAL * aside], [outside @ N.T, ca.DM.zeros(across, across)]]
    )
    given = ca.diagcat(ca.diag(gain) @ N @ inside, ca.DM.eye(across))
    found = solve(matrix, given)
    s, y = found[:count, :], TYPICAL * found[count:, :]
    return Network(
        inside.T @ N.T @ s[:, :n],
        inside + outside.T @ y[:, :n],
        outside.T @ y[:, n:] @ outside,
    )


def _springs(
    at: Assembled, springs: Springs, stiffness: list[Value]
) -> tuple[Value, Value, Value, list[Value | None]]:
    """N, P, C, and k of all springs, which is None of ties."""
    frames, V = frames_of(at.platform, at.legs), ca.DM.eye(6)
    legs = [
        strained(number, posture, frames, own(springs.yielding, number))
        for number, posture in enumerate(at.legs)
    ]
    C = ca.diagcat(*(part.compliance for leg in legs for part in own(springs.yielding, leg.number)))
    by_V, by_e = [leg_jacobian(leg, V) for leg in at.legs], [leg.q_dot for leg in legs]
    N, P, k = [], [], list[Value | None]()
    for (leg, joint), of_motor in zip(at.machine.motors, stiffness, strict=True):
        N.append(by_V[leg][joint])
        P.append(_among(legs, leg, by_e[leg][joint]))
        k.append(of_motor)
    for leg, closing in zip(legs, springs.closing, strict=True):
        for row in closing:
            of_V, of_e = leg.closing(row)
            N.append(of_V)
            P.append(_among(legs, leg.number, -of_e))
            k.append(None)
    bent = flexure_springs(at, springs.flexures, V)
    for (of_flexure, of_V), of_e in zip(
        bent, strained_flexures(at, frames, legs, springs.flexures), strict=True
    ):
        N.append(of_V)
        P.append(of_e)
        k += [of_flexure] * of_V.shape[0]
    return ca.vertcat(*N), ca.vertcat(*P), C, k


def _among(legs: list[Strained], number: int, row: Value) -> Value:
    """A row over the strains of one leg among those of all."""
    return ca.horzcat(
        *(row if leg.number == number else ca.DM.zeros(1, len(leg.strains)) for leg in legs)
    )
