"""Amplifiers that are told a force: a plant with drives that any force controller can command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np

from gough.equations.actuators.drive import CURRENT_BANDWIDTH, Drive, back_emf, reduction
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError
from gough.model.actuators import drives_of
from gough.simulation.plant import Plant, rigid_plant

Array = np.ndarray[Any, np.dtype[np.float64]]

NO_WRENCH = ca.DM.zeros(6)


def force_commanded(plant: Plant) -> Plant:
    """The plant of drives, told forces [N] instead of voltages.

    The amplifiers make the current of each force, within half a millisecond; they do not know the
    drives' inertia and friction, so the legs feel something else.
    """
    if plant.command.name != "voltage":
        raise GoughError(f"the plant is told a {plant.command.name}; expected one told voltages")
    drives, ideal = drives_of(plant.robot), rigid_plant(plant.robot, plant.varied)
    per_ampere = np.array([float(reduction(d) * d.torque_constant) for d in drives])
    amperes = np.array([np.inf if d.max_current is None else float(d.max_current) for d in drives])
    resistance = np.array([float(d.resistance) for d in drives])

    def told(machine: Machine, state: Value, force: Value) -> Value:
        speed = plant.measured(machine, state, NO_WRENCH).q_dot
        current = state[plant.state.size - 6 : plant.state.size]
        return amplifier_voltages(drives, force, current, speed)

    return replace(
        plant,
        command=ideal.command,
        limit=tuple(np.minimum(ideal.limit, amperes * per_ampere).tolist()),
        rates=lambda m, state, force, w: plant.rates(m, state, told(m, state, force), w),
        force=lambda m, state, force, w: plant.force(m, state, told(m, state, force), w),
        watch=lambda m, state, force, w: plant.watch(m, state, told(m, state, force), w),
        holding=lambda pose: plant.holding(pose) / resistance * per_ampere,
        make=lambda robot, varied: force_commanded(plant.make(robot, varied)),
    )


def amplifier_voltages(
    drives: Sequence[Drive], force: Value, current: Value, speed: Value
) -> Value:
    """Voltages (6) [V] with which currents (6) [A] go to those of forces (6) [N]; without limits.

    What an amplifier cannot do of them it cuts off itself, see `gough.equations.actuators.drive`.
    """
    volts = []
    for k, d in enumerate(drives):
        wanted = force[k] / (reduction(d) * d.torque_constant)
        V = d.resistance * wanted + back_emf(d, speed[k])
        if d.inductance is not None:
            V += (CURRENT_BANDWIDTH * d.inductance - d.resistance) * (wanted - current[k])
        volts.append(V)
    return ca.vertcat(*volts)
