"""Actuators and legs in a machine's small motions: measured signals and applied forces."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.elastic.vibrating import Vibrating
from gough.kinematics.state_space import signal_names
from gough.model.kernels import Kernels
from gough.model.parameters import machine_of
from gough.robot import Connector


class AxisSignals(NamedTuple):
    """Names of an actuator's signals."""

    force: str
    stroke: str
    position: str
    speed: str


SLIDE = AxisSignals("force", "stroke", "position", "speed")
HINGE = AxisSignals("torque", "turn", "angle", "rate")


@dataclass(frozen=True)
class DrivenAxis:
    """One driven joint. Rows are by the machine's coordinates (n)."""

    name: str
    signals: AxisSignals
    compliance: float
    """Compliance [m/N, rad/(N m)] of what holds the actuator: 0 if it is locked, inf if free."""
    piston: Array | None
    """Motion of the actuator's output: with the platform, or its own; None if it is held."""
    behind: float
    """Compliance [m/N, rad/(N m)] between the base and that output; inf if free."""

    @property
    def gain(self) -> float:
        """Force on the joint per force of its actuator; per stroke [N/m] of a locked one."""
        if self.compliance == 0:
            return 1 / self.behind
        return 1.0 if self.compliance == inf else self.compliance / self.behind


@dataclass(frozen=True)
class LegAxis(DrivenAxis):
    """One leg of a hexapod along its axis."""

    length: Array
    """Change of its length, from joint to joint."""
    stage: Array | None
    """Motion of its decoupling stage."""
    connector: Connector
    ahead: float
    """Compliance [m/N] between the piston and the platform; zero of a rigid connector."""
    before_coupling: float
    """Part of this compliance before the coupling stage, with that of the joint [m/N]."""

    @property
    def compression(self) -> Array:
        """Compression of its connector."""
        return -self.length if self.piston is None else self.piston - self.length

    @property
    def lags(self) -> bool:
        """Whether the coupling stage's compression lags: a spring before it, and a damper in it."""
        coupling = self.connector.coupling
        return coupling is not None and coupling.damping > 0 and self.before_coupling > 0

    @property
    def parallel_damping(self) -> float:
        """Damper [N s/m] of a coupling stage that the connector's compression presses directly."""
        coupling = self.connector.coupling
        return 0.0 if coupling is None or self.before_coupling > 0 else coupling.damping


def driven_axes(
    model: Kernels, vibrating: Vibrating, pose: Array, compliance: Array
) -> list[DrivenAxis]:
    """Axes of a machine at a pose, whose actuators have a compliance (n) [m/N, rad/(N m)]."""
    if model.robot.extensible_legs:
        return [*_leg_axes(model, vibrating, pose, compliance)]
    rows = vibrating.drives
    if rows is None:
        rows = model.jacobian(pose) @ vibrating.moves
    driven, behind = model.structure.driven, 1 / np.array(model.robot.drive_stiffness) + compliance
    names, kinds = (
        signal_names(j.name for j in driven),
        (HINGE if j.turns else SLIDE for j in driven),
    )
    outputs = (row if yields else None for row, yields in zip(rows, behind, strict=True))
    columns = zip(names, kinds, compliance.tolist(), outputs, behind.tolist(), strict=True)
    return [DrivenAxis(*column) for column in columns]


def _leg_axes(
    model: Kernels, vibrating: Vibrating, pose: Array, compliance: Array
) -> Iterator[LegAxis]:
    machine = machine_of(model.robot)
    assert machine.extensible is not None
    names, J = vibrating.coordinates, model.jacobian(pose)
    lengths = model.inverse_kinematics(pose)
    legs = zip(model.robot.extensible_legs, model.structure.driven, strict=True)
    for k, (leg, joint) in enumerate(legs):
        springs = machine.extensible.legs[k].springs
        assert springs is not None
        row = np.concatenate([J[k], np.zeros(len(names) - J.shape[1])])
        behind = float(springs.behind(ca.DM(lengths[k]))) + compliance[k]
        ahead, piston = float(springs.ahead()), _unit(names, f"{joint.name} piston")
        if springs.connector.is_rigid:
            piston, behind, ahead = row, behind + ahead, 0.0
        stage, connector = _unit(names, f"{joint.name} stage"), leg.connector or Connector()
        K_L = springs.connector.stiffness  # with the joint, in series with the coupling stage
        before = float(springs.bearing) + (0.0 if K_L is None else float(1 / K_L))
        held = float(compliance[k])
        yield LegAxis(joint.name, SLIDE, held, piston, behind, row, stage, connector, ahead, before)


def leg_damping(axes: list[DrivenAxis], size: int) -> Array:
    """Damping matrix of the connectors (n, n) [N s/m], without coupling stages behind springs."""
    D = np.zeros((size, size))
    for leg in legs_among(axes):
        if leg.piston is not None:
            D += leg.connector.damping * np.outer(leg.piston, leg.piston)
        if leg.stage is not None and leg.connector.decoupling is not None:
            against = leg.stage - leg.length
            D += leg.connector.decoupling.damping * np.outer(against, against)
        D += leg.parallel_damping * np.outer(leg.compression, leg.compression)
    return D


def legs_among(axes: list[DrivenAxis]) -> list[LegAxis]:
    """The legs of a hexapod; other machines have none."""
    return [axis for axis in axes if isinstance(axis, LegAxis)]


def _unit(names: tuple[str, ...], name: str) -> Array | None:
    """The row of one coordinate; None if there is none of that name."""
    return np.eye(len(names))[names.index(name)] if name in names else None
