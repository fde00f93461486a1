"""What the actuator forces are made of: Baiges's six wrenches, and a plainer split in four.

Baiges 1996, 6.(24), adds up what the actuators must do to the platform from six causes. Here the
piston's motion along each leg, 6.(29), is sorted into the same six, so that they add up to
Jᵀ force.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from gough.equations.dynamics import AT_REST, kane
from gough.equations.legs.closure import leg_forces
from gough.equations.machine import Machine
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
    """For the weight of the legs."""
    tangential: Value
    """For second rates of leg coordinates."""
    coriolis: Value
    """For products of a length's rate and an angular rate."""
    centrifugal: Value
    """For products of two angular rates of a leg, gyroscopic torques included."""


def wrench_decomposition(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Decomposition:
    """The six wrenches whose sum the actuators exert on the platform [Baiges 1996, 6.(24)]."""
    legs = ca.DM.zeros(6, 4)
    for leg in machine.legs:
        F = kane.leg_forces(machine, leg, pose, twist, acceleration)
        parts = (F.gr, F.tan, F.cor, F.cent)
        legs += ca.horzcat(*(kane.acting_at(F.arm, F.axes @ part) for part in parts))
    return Decomposition(
        -wrench,  # erratum: with the other sign
        kane.platform_wrench(machine, pose, twist, acceleration),  # 6.(24.a)
        *ca.horzsplit(legs),  # 6.(24.b), (24.d)-(24.f); errata: the torques in (24.f)
    )


def force_decomposition(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Decomposition:
    """The six shares of the actuator forces [N]: one solution of 6.(24) for each wrench."""
    W = wrench_decomposition(machine, pose, twist, acceleration, wrench)
    wrenches = ca.horzcat(
        W.external, W.platform, W.leg_gravity, W.tangential, W.coriolis, W.centrifugal
    )
    return Decomposition(*ca.horzsplit(leg_forces(machine, pose, wrenches)))


def force_parts(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
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
