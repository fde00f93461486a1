"""The forces of actuators that hold a hexapod which yields."""

from __future__ import annotations

from dataclasses import replace

from gough.equations.actuators import compliant_statics
from gough.equations.actuators.connector import Connector
from gough.equations.elastic.springs import LegSprings, springs_of
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value


def holding_force(machine: Machine, pose: Value, wrench: Value) -> Value:
    """Forces (n) [N, N m] of the actuators that hold the machine at a pose under a wrench.

    They are those of a rigid machine but for the weights of a hexapod's pistons, which bear on the
    platform by where the springs of connectors leave them.
    """
    springs = [springs_of(machine, k) for k in range(len(machine.legs))]
    return compliant_statics.static_solution(
        machine, list(map(_one_spring, springs)), pose, wrench
    ).force


def _one_spring(springs: LegSprings) -> Connector:
    """The connector whose stiffness is that of all springs between piston and platform."""
    if springs.connector.is_rigid:
        return springs.connector
    return replace(springs.connector, stiffness=1 / springs.ahead(), coupling=None)
