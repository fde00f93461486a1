"""Demands of a motion on the motors, from the numbers of their drives."""

from collections.abc import Iterable, Mapping
from dataclasses import astuple
from itertools import pairwise
from typing import Literal

import casadi as ca
import numpy as np

from gough.analysis.quantities import DEFINITIONS, in_groups
from gough.arrays import Array
from gough.compiler import Argument, Function
from gough.equations.actuators.drive import demand
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value, vector
from gough.model import Machines, Structure, structure_of
from gough.model.actuators import drive_laws, drive_places
from gough.robot import Robot, places_of

OF_MOTORS = in_groups("drives")
_ROWS = 2048


def motor_demands(structure: Structure, machine: Machine, *of_actuators: Value) -> dict[str, Value]:
    """The motors' quantities, by speeds, accelerations and forces of actuators with drives.

    Currents hardly change, and no limits are applied.
    """
    each = map(ca.vertsplit, of_actuators)
    asked = map(astuple, map(demand, drive_laws(structure, machine), *each))
    *columns, current, voltage = (vector(*column) for column in zip(*asked, strict=True))
    return dict(zip(OF_MOTORS, (*columns, current, voltage, voltage * current), strict=True))


def demands_function(machines: Machines) -> Function:
    """The symbolic function (speed, acceleration, force) -> the motors' quantities.

    They are NaN of actuators without a drive.
    """
    own = [k for k, actuator in enumerate(machines.robot.actuators) if actuator.drive is not None]

    def equation(machine: Machine, *given: Value) -> tuple[Value, ...]:
        found = motor_demands(structure, machine, *(ca.SX(x)[own] for x in given))
        every = [ca.SX.nan(structure.actuators) for _ in found]
        for values, known in zip(every, found.values(), strict=True):
            values[own] = known
        return tuple(every)

    units = {"speed": "m/s, rad/s", "acceleration": "m/s^2, rad/s^2", "force": "N, N m"}
    each, structure = (machines.structure.actuators,), machines.structure
    return machines.function(
        "motor_demands",
        equation,
        [Argument(name, each, units[name], "of the actuators") for name in units],
        [Argument(name, each, DEFINITIONS[name].unit) for name in OF_MOTORS],
        "What a motion asks of the motors while currents hardly change.",
    )


def add_induced_voltages(
    robot: Robot, parameters: Array, time: Array, found: Mapping[str, Array], jumps: Iterable[float]
) -> None:
    """Add to voltages (..., T, actuators) what inductances take as currents change, and to powers.

    Both are changed in place. `parameters` (..., p) are those of the robot. The rate of a current
    is that of a parabola through neighbouring samples. At times [s] where loads or accelerations
    jump a current would need a voltage without bound: there it is left out.
    """
    places = places_of(robot)
    inner = [places[f"{drive}inductance"].start for drive in drive_places(structure_of(robot))]
    inductance, current = parameters[..., inner], found["motor_current"]
    at = np.array(sorted(jumps))
    sides = [np.searchsorted(time, at + s * 1e-9 * time[-1]) for s in (-1, 1)]
    edges = sorted({0, len(time), *np.concatenate(sides).tolist()})
    voltage = found["motor_voltage"]
    for first, last in pairwise(edges):
        order: Literal[1, 2] = 2 if last - first > 2 else 1
        for start in range(first, last, _ROWS) if last - first > 1 else ():  # rows that stay near
            end = min(start + _ROWS, last)
            near = slice(max(start - 2, first), min(end + 1, last))  # parabolas need three
            rate = np.gradient(current[..., near, :], time[near], axis=-2, edge_order=order)
            rows = rate[..., start - near.start : end - near.start, :]
            voltage[..., start:end, :] += inductance * rows
    if "motor_power" in found:
        np.multiply(voltage, current, out=found["motor_power"])
