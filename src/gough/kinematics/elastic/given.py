"""What users say of a machine that yields: what its actuators do, which connectors yield."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gough.arrays import Array
from gough.equations.actuators.connector import Mode
from gough.errors import GoughError, clipped
from gough.model.actuators import connectors_of
from gough.model.kernels import Kernels
from gough.poses.given import array_of_numbers
from gough.robot import Hexapod, Leg, Robot

Actuators = Literal["locked", "free"] | float | Any
"""Held, of constant force, or under position control: stiffness [N/m], one or one each."""


def actuator_compliance(actuators: Actuators, count: int) -> Array:
    """How far each actuator yields (n) [m/N]: 0 if it is locked, inf if it is free."""
    expected = f'"locked", "free", or a stiffness above 0 N/m: one, or one for each of {count}'
    if isinstance(actuators, str):
        if actuators not in ("locked", "free"):
            raise GoughError(f"actuators is {clipped(repr(actuators), 40)}; expected {expected}")
        return np.full(count, 0.0 if actuators == "locked" else np.inf)
    stiffness = array_of_numbers(actuators, "actuators")
    if stiffness.shape not in ((), (count,)) or not (stiffness > 0).all():
        raise GoughError(f"actuators is {clipped(repr(actuators), 80)}; expected {expected}")
    return np.broadcast_to(1 / stiffness, (count,))


def elastic_model(robot: Robot, connectors: Mode | None) -> Kernels:
    """The kernels of a robot that yields, its connectors in a mode; GoughError if it does not."""
    if not isinstance(robot, Hexapod):
        raise GoughError(
            f"{robot.name} has no modes of vibration: that is of hexapods, whose legs extend; "
            "expected a robot of gough/1"
        )
    chosen = robot if connectors is None else with_connectors(robot, connectors)
    if not chosen.elastic:
        mode = "" if connectors is None else f" with {connectors!r} connectors"
        raise GoughError(
            f"{robot.name}: not all of its legs yield{mode}; expected a stiffness, a screw, a "
            "connector or an axial joint_stiffness of each leg"
        )
    return Kernels(chosen)


def with_connectors(robot: Hexapod, mode: Mode) -> Hexapod:
    """The robot whose connectors have only the parts that yield in an operating mode."""
    connectors_of(robot, mode)  # complains of parts that are missing
    legs = tuple(_in_mode(leg, mode) for leg in robot.legs)
    return robot.model_copy(update={"legs": legs})


def _in_mode(leg: Leg, mode: Mode) -> Leg:
    """As `equations.actuators.connector.in_mode` has it."""
    connector = leg.connector
    if connector is None:
        return leg
    changes: dict[str, Any] = {}
    if mode not in {"low-frequency", "complete"}:
        changes["coupling"] = None
    if mode == "rigid":
        changes |= {"stiffness": None, "decoupling": None}
    elif mode in ("simple", "low-frequency") and connector.decoupling is not None:
        changes["decoupling"] = connector.decoupling.model_copy(update={"damping": 0.0})
    return leg.model_copy(update={"connector": connector.model_copy(update=changes)})
