"""The machine on compliant legs at rest [Baiges 1996, 6.4]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import casadi as ca

from gough.equations import dynamics
from gough.equations.actuators import connector
from gough.equations.actuators.compliant_leg import (
    CompliantLeg,
    Inner,
    acting_at,
    as_one_body,
    legs_of,
    resting_coupling,
    resting_stage,
    unloaded_position,
)
from gough.equations.actuators.connector import ConnectorLaw
from gough.equations.dynamics import AT_REST
from gough.equations.legs import closure
from gough.equations.legs.extensible import ExtensibleLegs
from gough.equations.spatial.algebra import Value, vector


@dataclass(frozen=True)
class Statics:
    """The machine at rest: forces of the actuators, on the platform (n) [N]; where masses are."""

    force: Value
    leg_force: Value
    inner: Inner


def static_solution(
    machine: ExtensibleLegs, connectors: Sequence[ConnectorLaw], pose: Value, wrench: Value
) -> Statics:
    """The machine at rest at a pose under a wrench [6.4.1]; NaN where that is singular.

    The weight of M_e bears on the platform in proportion to E, which depends on the force on the
    platform; both follow from one linear system.
    """
    legs = legs_of(machine, connectors, pose, AT_REST, Inner.none(len(connectors)))
    D = vector(*(resting_stage(leg) for leg in legs))
    E = vector(*(unloaded_position(leg) for leg in legs))
    required = dynamics.default.gravity(as_one_body(machine, _placed(legs, E, D)), pose) - wrench
    columns = []
    for leg in legs:
        weight = leg.leg.piston.mass * leg.weight
        line = closure.jacobian_row(leg.at).T
        if leg.connector.is_rigid:
            required += line * weight  # borne by the actuator alone
        across = machine.gravity - leg.weight * leg.at.s
        compliance = connector.compliance(leg.connector) * leg.leg.piston.mass * leg.at.inverse_l
        columns.append(line + compliance * acting_at(leg.at, across))
    # erratum of 6.(30): the legs' weight across them, W_gr, acts at rest, too
    F, regular = closure.balance(machine, ca.horzcat(*columns), required)
    F = ca.if_else(regular, F, ca.DM.nan(len(legs)))
    E += vector(*(connector.compliance(leg.connector) for leg in legs)) * F  # 6.(31)
    delta_c = vector(*(resting_coupling(leg, F[k]) for k, leg in enumerate(legs)))
    weights = vector(*(leg.leg.piston.mass * leg.weight for leg in legs))
    still = ca.DM.zeros(len(legs))
    inner = Inner(E, delta_c, D, still, still)
    return Statics(F - weights, F, inner)  # 6.(33)


def steady_inner(
    machine: ExtensibleLegs,
    connectors: Sequence[ConnectorLaw],
    pose: Value,
    twist: Value,
    force: Value,
) -> Inner:
    """Inner coordinates that go along with a motion and bear forces F_kL (n) [N] without change."""
    legs = legs_of(machine, connectors, pose, twist, Inner.none(len(connectors)))
    E, delta_c = [], []
    for k, leg in enumerate(legs):
        E.append(unloaded_position(leg) + connector.compliance(leg.connector) * force[k])
        delta_c.append(resting_coupling(leg, force[k]))
    D = vector(*(resting_stage(leg) for leg in legs))
    E_dot = vector(*(leg.v.l_dot for leg in legs))
    return Inner(vector(*E), vector(*delta_c), D, E_dot, ca.DM.zeros(len(legs)))


def _placed(legs: Sequence[CompliantLeg], E: Value, D: Value) -> list[CompliantLeg]:
    return [replace(leg, inner=replace(leg.inner, E=E[k], D=D[k])) for k, leg in enumerate(legs)]
