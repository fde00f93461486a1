"""Legs as a machine's small motions see them: what they measure, how they push, what calms them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.elastic.springs import LegSprings
from gough.equations.machine import Machine
from gough.kinematics.elastic.vibrating import Vibrating
from gough.model.kernels import Kernels
from gough.model.parameters import machine_of
from gough.robot import Connector, Hexapod


@dataclass(frozen=True)
class LegAxis:
    """One leg along its axis. Rows are by the machine's coordinates (n)."""

    length: Array
    """How it grows, from joint to joint."""
    piston: Array | None
    """How its piston goes: with the platform, or on its own; None for one that is held."""
    stage: Array | None
    """How its decoupling stage goes."""
    behind: float
    """Compliance [m/N] of what is between the base and what the actuator moves; inf if free."""
    connector: Connector
    before_coupling: float
    """Compliance [m/N] between the piston and the coupling stage, with that of the joint."""

    @property
    def compression(self) -> Array:
        """How its connector is pressed together."""
        return -self.length if self.piston is None else self.piston - self.length


def leg_axes(model: Kernels, vibrating: Vibrating, pose: Array, compliance: Array) -> list[LegAxis]:
    """All legs of a machine at a pose, whose actuators yield by their compliance (n) [m/N]."""
    robot, machine = model.robot, machine_of(model.robot)
    assert isinstance(robot, Hexapod)
    assert isinstance(machine, Machine)
    names, J = vibrating.coordinates, model.jacobian(pose)
    lengths = model.inverse_kinematics(pose)
    axes = []
    for k, leg in enumerate(robot.legs):
        springs = machine.legs[k].springs
        assert springs is not None
        row = np.concatenate([J[k], np.zeros(len(names) - J.shape[1])])
        behind = float(springs.behind(ca.DM(lengths[k]))) + compliance[k]
        piston = _unit(names, f"leg {k + 1} piston")
        if springs.connector.is_rigid:
            piston, behind = row, behind + float(springs.ahead())
        stage = _unit(names, f"leg {k + 1} stage")
        connector = leg.connector or Connector()
        axes.append(LegAxis(row, piston, stage, behind, connector, _before_coupling(springs)))
    return axes


def damping(legs: list[LegAxis], of_joints: Array) -> Array:
    """The damping matrix (n, n) [N s/m, …], without coupling stages that springs precede."""
    D = np.zeros((len(legs[0].length),) * 2)
    D[: len(of_joints), : len(of_joints)] = of_joints
    for leg in legs:
        if leg.piston is not None:
            D += leg.connector.damping * np.outer(leg.piston, leg.piston)
        if leg.stage is not None and leg.connector.decoupling is not None:
            against = leg.stage - leg.length
            D += leg.connector.decoupling.damping * np.outer(against, against)
        coupling = leg.connector.coupling
        if coupling is not None and leg.before_coupling == 0:
            D += coupling.damping * np.outer(leg.compression, leg.compression)
    return D


def keeps_coupling(leg: LegAxis) -> bool:
    """Whether the coupling stage's compression lags: a spring before it, and a damper in it."""
    coupling = leg.connector.coupling
    return coupling is not None and coupling.damping > 0 and leg.before_coupling > 0


def pushed(leg: LegAxis, compliance: float) -> float:
    """Force along the leg per force of its actuator; per way [N/m] of one that is locked."""
    if compliance == 0:
        return 1 / leg.behind
    return 1.0 if compliance == inf else compliance / leg.behind


def _unit(names: tuple[str, ...], name: str) -> Array | None:
    """The row of one coordinate; None if there is none of that name."""
    return np.eye(len(names))[names.index(name)] if name in names else None


def _before_coupling(springs: LegSprings) -> float:
    """Of the joint and of K_L, which are in series with the coupling stage."""
    K_L = springs.connector.stiffness
    return float(springs.bearing) + (0.0 if K_L is None else float(1 / K_L))
