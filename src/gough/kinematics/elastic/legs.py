"""Actuators and legs as a machine's small motions see them: what they feel, how they push."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.elastic.springs import LegSprings
from gough.equations.machine import Machine
from gough.kinematics.elastic.vibrating import Vibrating
from gough.kinematics.state_space import signal_names
from gough.model.kernels import Kernels
from gough.model.parameters import machine_of
from gough.robot import Connector, Hexapod, Mechanism


class Signals(NamedTuple):
    """What an actuator's signals are called."""

    force: str
    stroke: str
    position: str
    speed: str


SLIDE = Signals("force", "stroke", "position", "speed")
HINGE = Signals("torque", "turn", "angle", "rate")


@dataclass(frozen=True)
class DrivenAxis:
    """One driven joint. Rows are by the machine's coordinates (n)."""

    name: str
    signals: Signals
    piston: Array | None
    """How what its actuator moves goes: with the platform, or on its own; None if that is held."""
    behind: float
    """Compliance [m/N, rad/(N m)] of what is between the base and that; inf if free."""


@dataclass(frozen=True)
class LegAxis(DrivenAxis):
    """One leg of a hexapod along its axis."""

    length: Array
    """How it grows, from joint to joint."""
    stage: Array | None
    """How its decoupling stage goes."""
    connector: Connector
    ahead: float
    """Compliance [m/N] between the piston and the platform; zero of a rigid connector."""
    before_coupling: float
    """Of it what is before the coupling stage, with that of the joint."""

    @property
    def compression(self) -> Array:
        """How its connector is pressed together."""
        return -self.length if self.piston is None else self.piston - self.length


def driven_axes(
    model: Kernels, vibrating: Vibrating, pose: Array, compliance: Array
) -> list[DrivenAxis]:
    """Of a machine at a pose, whose actuators yield by their compliance (n) [m/N, rad/(N m)]."""
    if isinstance(model.robot, Mechanism):
        return _joint_axes(model, model.robot, vibrating, pose, compliance)
    return list(_leg_axes(model, vibrating, pose, compliance))


def _joint_axes(
    model: Kernels, robot: Mechanism, vibrating: Vibrating, pose: Array, compliance: Array
) -> list[DrivenAxis]:
    rows = vibrating.drives
    if rows is None:
        rows = model.jacobian(pose) @ vibrating.moves
    stiffness = [joint.springs.get("stiffness", inf) for joint in robot.driven]
    driven = model.structure.driven
    names = signal_names(joint.name for joint in driven)
    return [
        DrivenAxis(
            name,
            HINGE if joint.turns else SLIDE,
            row if 1 / k + yielding else None,
            1 / k + yielding,
        )
        for joint, name, row, k, yielding in zip(
            driven, names, rows, stiffness, compliance, strict=True
        )
    ]


def _leg_axes(
    model: Kernels, vibrating: Vibrating, pose: Array, compliance: Array
) -> list[LegAxis]:
    machine = machine_of(model.robot)
    assert isinstance(model.robot, Hexapod)
    assert isinstance(machine, Machine)
    names, J = vibrating.coordinates, model.jacobian(pose)
    lengths = model.inverse_kinematics(pose)
    axes = []
    for k, (leg, joint) in enumerate(zip(model.robot.legs, model.structure.driven, strict=True)):
        springs = machine.legs[k].springs
        assert springs is not None
        row = np.concatenate([J[k], np.zeros(len(names) - J.shape[1])])
        behind = float(springs.behind(ca.DM(lengths[k]))) + compliance[k]
        ahead, piston = float(springs.ahead()), _unit(names, f"{joint.name} piston")
        if springs.connector.is_rigid:
            piston, behind, ahead = row, behind + ahead, 0.0
        axes.append(
            LegAxis(
                joint.name,
                SLIDE,
                piston,
                behind,
                row,
                _unit(names, f"{joint.name} stage"),
                leg.connector or Connector(),
                ahead,
                _before_coupling(springs),
            )
        )
    return axes


def leg_damping(axes: list[DrivenAxis], size: int) -> Array:
    """Of the connectors (n, n) [N s/m], without coupling stages that springs precede."""
    D = np.zeros((size, size))
    for leg in legs_among(axes):
        if leg.piston is not None:
            D += leg.connector.damping * np.outer(leg.piston, leg.piston)
        if leg.stage is not None and leg.connector.decoupling is not None:
            against = leg.stage - leg.length
            D += leg.connector.decoupling.damping * np.outer(against, against)
        D += at_once(leg) * np.outer(leg.compression, leg.compression)
    return D


def legs_among(axes: list[DrivenAxis]) -> list[LegAxis]:
    """The legs of a hexapod; other machines have none."""
    return [axis for axis in axes if isinstance(axis, LegAxis)]


def keeps_coupling(leg: LegAxis) -> bool:
    """Whether the coupling stage's compression lags: a spring before it, and a damper in it."""
    coupling = leg.connector.coupling
    return coupling is not None and coupling.damping > 0 and leg.before_coupling > 0


def at_once(leg: LegAxis) -> float:
    """The damper [N s/m] of a coupling stage that the connector's compression presses directly."""
    coupling = leg.connector.coupling
    return 0.0 if coupling is None or leg.before_coupling > 0 else coupling.damping


def pushed(axis: DrivenAxis, compliance: float) -> float:
    """Force on the joint per force of its actuator; per way [N/m] of one that is locked."""
    if compliance == 0:
        return 1 / axis.behind
    return 1.0 if compliance == inf else compliance / axis.behind


def _unit(names: tuple[str, ...], name: str) -> Array | None:
    """The row of one coordinate; None if there is none of that name."""
    return np.eye(len(names))[names.index(name)] if name in names else None


def _before_coupling(springs: LegSprings) -> float:
    """Of the joint and of K_L, which are in series with the coupling stage."""
    K_L = springs.connector.stiffness
    return float(springs.bearing) + (0.0 if K_L is None else float(1 / K_L))
