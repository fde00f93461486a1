"""Small vibrations of a hexapod on yielding legs: M z̈ + K z = 0, without its dampers.

z are the platform's displacement δ (way and rotation vector, base axes), then the ways E of the
pistons that a connector parts from the platform, then those of the decoupling stages. A piston on
its actuator's side does not move along the leg with the platform: its axial mass is its own.
"""

from __future__ import annotations

import casadi as ca

from gough.equations import dynamics
from gough.equations.elastic.frames import on_frames
from gough.equations.elastic.springs import springs_of
from gough.equations.elastic.stiffness import (
    loaded,
    one_body,
    own_stiffness,
    piston_weight,
    pushes,
    stage_weight,
)
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, reciprocal


def vibration(
    machine: Machine, pose: Value, force: Value, actuator_compliance: Value
) -> tuple[Value, Value]:
    """M and K [SI] at a pose under forces of the actuators; inf for a piston that is held.

    K is symmetric: of a moment from outside that which stores energy counts, half of it turning
    with the platform.
    """
    at = loaded(machine, pose, force)
    own, M = own_stiffness(at), dynamics.default.mass_matrix(one_body(at), pose)
    K, pistons, stages = (own + own.T) / 2, [], []
    for k, leg in enumerate(at.legs):
        row, springs = at.row(k), springs_of(machine, k)
        behind, ahead = springs.behind(leg.at.l) + actuator_compliance[k], springs.ahead()
        if leg.connector.is_rigid:
            K += row.T @ row * reciprocal(behind + ahead)
        else:
            spring = reciprocal(ahead)
            K += row.T @ row * spring
            held = spring + reciprocal(behind)
            pistons.append((piston_weight(at, k) - row.T * spring, held, leg.leg.piston.mass))
        stage = leg.connector.decoupling
        if stage is not None:
            stages.append((stage_weight(at, k), stage.stiffness, stage.mass))
    inner = pistons + stages
    if not inner:
        return M, on_frames(machine, pose, K, pushes(at))
    coupled = ca.horzcat(*(coupling for coupling, _, _ in inner))
    springs = ca.diag(ca.vertcat(*(stiffness for _, stiffness, _ in inner)))
    masses = ca.diag(ca.vertcat(*(mass for _, _, mass in inner)))
    whole = ca.blockcat([[K, coupled], [coupled.T, springs]])
    return ca.diagcat(M, masses), on_frames(machine, pose, whole, pushes(at))
