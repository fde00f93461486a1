"""Loads of all actuators in one motion: positions, speeds, forces and currents over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gough.analysis.machine_table import positions_of, table_of
from gough.analysis.results import Results
from gough.arrays import Array
from gough.errors import GoughError
from gough.robot import Robot

QUANTITIES = ("legs", "forces", "drives")
"""Quantities that a study must keep for this."""


@dataclass(frozen=True, eq=False)
class ActuatorLoad:
    """Loads of linear actuators in one motion, all arrays over time and actuators."""

    motion: str
    """Its name."""
    time: Array
    """(T,) [s]"""
    position: Array
    """[m]: of a hexapod the lengths of its legs."""
    speed: Array
    """[m/s]"""
    force: Array
    """[N], positive when it extends the actuator."""
    current: Array | None = None
    """Currents of the motors [A], where these are known."""
    torque: Array | None = None
    """Torques of the motors [N m]."""
    voltage: Array | None = None
    """Voltages of the amplifiers [V]."""

    @classmethod
    def of(cls, results: Results) -> ActuatorLoad:
        """Return the loads in results; a motion without a number at some time is refused."""
        check_linear(results.robot)
        name = results.name
        position = positions_of(table_of(results.robot))
        speed = "leg_speed" if position == "leg_length" else "actuator_speed"
        moved = {"position": results[position], "speed": results[speed], "force": results["force"]}
        for part, values in moved.items():
            lost = int((~np.isfinite(values)).any(axis=1).sum())
            if lost:
                raise GoughError(
                    f"{name}: {lost} of {len(values)} samples have no {part}s, as near a singular "
                    f"configuration or out of reach; expected a motion with {part}s all along"
                )
        motors = {part: results[n] for part, n in _OF_MOTORS.items() if n in results}
        return cls(name, results.time, **moved, **motors)


_OF_MOTORS = {
    "current": "motor_current",
    "torque": "motor_torque",
    "voltage": "motor_voltage",
}


class Mount(NamedTuple):
    """Mounting of a linear actuator in a machine."""

    start: float
    """Position [m] of the actuated joint with the rod retracted: of a leg, its length."""
    piece: float | None
    """Fixed length [m] between rod and joint; None where the machine's file does not give it."""


def ranges(loads: Sequence[ActuatorLoad]) -> Array:
    """(2, actuators) the minimum and maximum position [m] over all motions."""
    least = np.min([load.position.min(axis=0) for load in loads], axis=0)
    greatest = np.max([load.position.max(axis=0) for load in loads], axis=0)
    return np.array([least, greatest])


def mount(robot: Robot, used: Array, stroke: float, retracted: float) -> Mount:
    """An actuator so that the positions used lie around the middle of its stroke.

    In a leg a piece lengthens the rod if need be; it is never shortened.
    """
    start = float(used.min() + used.max() - stroke) / 2
    if not robot.extensible_legs:
        return Mount(start, None)
    piece = max(0.0, start - retracted)
    return Mount(retracted + piece, piece)


def check_linear(robot: Robot) -> None:
    """Refuse a machine some of whose actuators turn."""
    turning = [actuator.name for actuator in robot.actuators if actuator.turns]
    if turning:
        raise GoughError(
            f"{robot.name}: {', '.join(turning)} turn; expected linear actuators alone, as "
            "catalogues of cylinders have"
        )
