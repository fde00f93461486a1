"""Hexapods with the parts of their connectors that yield in an operating mode."""

from __future__ import annotations

from typing import Any

from gough.equations.actuators.connector import Mode
from gough.kinematics.elastic.held import check_elastic
from gough.model.actuators import connectors_of
from gough.model.kernels import Kernels
from gough.robot import Hexapod, Leg, Mechanism, Robot


def elastic_model(robot: Robot, mode: Mode | None, *, swinging: bool = False) -> Kernels:
    """The kernels of a robot that vibrates, its connectors in a mode; GoughError if it does not.

    One whose links bend or whose bearings yield has no kernel of it: refused unless asked for.
    """
    chosen = with_connectors(robot, mode) if mode and isinstance(robot, Hexapod) else robot
    model = Kernels(chosen)
    if not (swinging and isinstance(robot, Mechanism) and robot.links_yield):
        check_elastic(model, "vibration")
    return model


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
