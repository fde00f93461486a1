"""Demands of a motion on the motors, from the numbers of their drives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from itertools import pairwise
from typing import Literal

import casadi as ca
import numpy as np

from gough.analysis.quantities import DEFINITIONS, in_groups
from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.equations.actuators.drive import DriveLaw, MotorDemand, demand
from gough.equations.spatial.algebra import Value, vector
from gough.model.actuators import DRIVE_NUMBERS, as_screw
from gough.robot import Robot

OF_MOTORS = in_groups("drives")
_ROWS = 2048


def drives_argument(actuators: int) -> Argument:
    """The numbers of the drives of so many actuators."""
    return Argument("drives", (actuators, len(DRIVE_NUMBERS)), "SI", ", ".join(DRIVE_NUMBERS))


def drive_numbers(robot: Robot) -> Array:
    """(actuators, n) the numbers of the drives; NaN for one of which the file says nothing."""
    rows = np.full((len(robot.actuators), len(DRIVE_NUMBERS)), np.nan)
    for row, drive in zip(rows, (actuator.drive for actuator in robot.actuators), strict=True):
        if drive is not None:  # one that loses nothing has an efficiency of one both ways
            own = drive.back_efficiency
            back = {"back_efficiency": 2 - 1 / drive.efficiency if own is None else own}
            row[:] = [(as_screw(drive) | back)[name] for name in DRIVE_NUMBERS]
    return rows


def motor_demands(
    drives: Value, speed: Value, acceleration: Value, force: Value
) -> dict[str, Value]:
    """The motors' quantities (actuators) while currents hardly change; no limits are applied."""
    asked = []
    for k in range(drives.shape[0]):
        facts = dict(zip(DRIVE_NUMBERS, ca.horzsplit(drives[k, :]), strict=True))
        asked.append(demand(DriveLaw(**facts), speed[k], acceleration[k], force[k]))
    columns = [vector(*(getattr(a, f.name) for a in asked)) for f in fields(MotorDemand)]
    *_, current, voltage = columns
    return dict(zip(OF_MOTORS, (*columns, voltage * current), strict=True))


def demands_function(actuators: int) -> Function:
    """The symbolic function of it."""
    units = {"speed": "m/s, rad/s", "acceleration": "m/s^2, rad/s^2", "force": "N, N m"}
    of = "of the actuators"
    return Function.from_equation(
        "motor_demands",
        lambda *given: tuple(motor_demands(*given).values()),
        [drives_argument(actuators), *(Argument(x, (actuators,), units[x], of) for x in units)],
        [Argument(name, (actuators,), DEFINITIONS[name].unit) for name in OF_MOTORS],
        "What a motion asks of the motors while currents hardly change.",
    )


def with_inductance(
    drives: Array, time: Array, found: dict[str, Array], jumps: Iterable[float]
) -> Array:
    """(..., T, actuators) the voltages with what the inductances take as the currents change.

    `drives` are the numbers (..., actuators, n) of the drives.
    The rate of a current is that of a parabola through neighbouring samples. At times [s] where
    loads or accelerations jump a current would need a voltage without bound: there it is left out.
    """
    inductance = drives[..., DRIVE_NUMBERS.index("inductance")]
    current = found["motor_current"]
    at = np.array(sorted(jumps))
    sides = [np.searchsorted(time, at + s * 1e-9 * time[-1]) for s in (-1, 1)]
    edges = np.unique([0, *np.concatenate(sides), len(time)])
    voltage = found["motor_voltage"].copy()
    for first, last in pairwise(edges[edges <= len(time)]):
        order: Literal[1, 2] = 2 if last - first > 2 else 1
        for start in range(first, last, _ROWS) if last - first > 1 else ():  # rows that stay near
            end = min(start + _ROWS, last)
            near = slice(max(start - 2, first), min(end + 1, last))  # parabolas need three
            rate = np.gradient(current[..., near, :], time[near], axis=-2, edge_order=order)
            rows = rate[..., start - near.start : end - near.start, :]
            voltage[..., start:end, :] += inductance * rows
    return voltage
