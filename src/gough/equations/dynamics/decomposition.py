"""Decompositions of the actuator forces: six parts after Baiges 1996, and a plainer split in four.

Baiges's 6.(24) is the sum of six wrenches that the connector forces F_L balance, those with which
the legs push the platform. An actuator also moves its own piston along the leg, 6.(29). Here these
terms, too, are sorted into the six parts, so that they add up to Jᵀ force, not to Jᵀ F_L: the
weight's into `leg_gravity`, M_e L̈ into `tangential`, -M_e E (k1² ω1² + ω2²) into `centrifugal`.
So these three are not the W_gr, W_tan and W_cent of the thesis; W_p and, of UPS legs, W_cor are.
W_ext has the other sign (an erratum). The decoupling mass M_d is part of the cylinder.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from gough.equations.dynamics import AT_REST, kane
from gough.equations.legs.closure import leg_forces
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.spatial.algebra import Value


@dataclass(frozen=True)
class Decomposition:
    """Six parts of a whole: wrenches on the platform (6) [N, N m], or actuator forces (n) [N].

    A leg's part counts by the rates of the leg's own coordinates: its length and the two angles of
    its universal joint or, where it has none, of its direction. The second rates of these also
    depend on the velocity of the platform, so the tangential part does, too.
    """

    external: Value
    """Against the external wrench."""
    platform: Value
    """For the platform's inertia, its velocity terms included, and its weight."""
    leg_gravity: Value
    """For the weight of the legs, along them and across."""
    tangential: Value
    """For second rates of leg coordinates, the length among them."""
    coriolis: Value
    """For products of a length's rate and an angular rate."""
    centrifugal: Value
    """For products of two angular rates of a leg, along it and across; gyroscopic torques, too."""


def wrench_decomposition(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Decomposition:
    """Six wrenches whose sum is Jᵀ force [Baiges 1996, 6.(24), and 6.(29) sorted into them]."""
    legs = ca.DM.zeros(6, 4)
    for leg in machine.legs:
        F = kane.leg_forces(machine, leg, pose, twist, acceleration)
        parts = (F.gr, F.tan, F.cor, F.cent)
        legs += ca.horzcat(*(kane.acting_at(F.arm, F.axes @ part) for part in parts))
    return Decomposition(
        -wrench,  # erratum: with the other sign
        kane.platform_wrench(machine, pose, twist, acceleration),  # 6.(24.a)
        *ca.horzsplit(legs),  # 6.(24.b), (24.d)-(24.f), 6.(29); errata: the torques in (24.f)
    )


def force_decomposition(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Decomposition:
    """Six parts of the actuator forces [N], one for each wrench of `wrench_decomposition`."""
    W = wrench_decomposition(machine, pose, twist, acceleration, wrench)
    wrenches = ca.horzcat(
        W.external, W.platform, W.leg_gravity, W.tangential, W.coriolis, W.centrifugal
    )
    return Decomposition(*ca.horzsplit(leg_forces(machine, pose, wrenches)))


def force_parts(
    machine: ExtensibleLegs, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """The actuator forces [N], nx4: of gravity, acceleration, velocity and the external wrench.

    The columns are those of G, M · acceleration, C · twist and -wrench; their sum is the whole.
    """
    weightless = replace(machine, gravity=ca.DM.zeros(3))
    wrenches = ca.horzcat(
        kane.required_wrench(machine, pose, AT_REST, AT_REST),
        kane.required_wrench(weightless, pose, AT_REST, acceleration),
        kane.required_wrench(weightless, pose, twist, AT_REST),
        -wrench,
    )
    return leg_forces(machine, pose, wrenches)
