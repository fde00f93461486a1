"""Stiffness that holds the actuators of a machine, and compliant parts of its connectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.equations.actuators.connector import ConnectorLaw, Mode
from gough.errors import GoughError
from gough.model.actuators import connectors_of
from gough.model.catalogue import why_absent
from gough.model.kernels import Kernels
from gough.poses.given import array_of_numbers
from gough.robot import Leg, Robot

LOCKED, FREE = "locked", "free"


def actuator_compliance(model: Kernels, actuators: ArrayLike) -> Array:
    """Return the compliance (n) [m/N, rad/(N m)] of actuators: "locked", "free", or springs.

    Numbers are the stiffness [N/m, N m/rad] of their control, one for all or one for each.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(1 / actuator_stiffness(actuators, model.structure.actuators))


def actuator_stiffness(actuators: ArrayLike, n: int) -> Array:
    """Return the stiffness (n) [N/m, N m/rad] of actuators: "locked", "free", or springs."""
    if isinstance(actuators, str):
        known = {LOCKED: np.inf, FREE: 0.0}
        if actuators not in known:
            raise GoughError(
                f'actuators are {actuators!r}; expected "locked", "free" or a stiffness [N/m]'
            )
        return np.full(n, known[actuators])
    stiffness = array_of_numbers(actuators, "actuators")
    if stiffness.shape not in ((), (n,)) or not (stiffness >= 0).all():
        raise GoughError(
            f"actuators are {actuators!r:.80}; expected a stiffness of at least 0, or {n} of them"
        )
    return np.broadcast_to(stiffness, n).copy()


def check_elastic(model: Kernels, kernel: str = "stiffness") -> None:
    """Raise GoughError if a machine is rigid, and so lacks a kernel."""
    if reason := why_absent(model.structure, model.formulation, kernel):
        raise GoughError(f"{model.robot.name}: {reason}")


def elastic_model(
    machine: Robot | Kernels, mode: Mode | None, *, swinging: bool = False
) -> Kernels:
    """Return the kernels of a robot that vibrates, its connectors in a mode; GoughError if none.

    A robot with compliant links or bearings has no vibration kernel: refused unless `swinging`.
    """
    robot = machine.own_robot("vibration") if isinstance(machine, Kernels) else machine
    model = Kernels(with_connectors(robot, mode) if mode and robot.extensible_legs else robot)
    if not (swinging and robot.has_compliant_links):
        check_elastic(model, "vibration")
    return model


def with_connectors(robot: Robot, mode: Mode) -> Robot:
    """Return the robot with only those parts of its connectors that an operating mode has."""
    pairs = zip(robot.extensible_legs, connectors_of(robot, mode), strict=True)
    legs = tuple(_with_parts_of(connector, leg) for leg, connector in pairs)
    return robot.model_copy(update={"legs": legs})


def _with_parts_of(law: ConnectorLaw, leg: Leg) -> Leg:
    """Return the leg with those parts of its connector that its law in an operating mode has."""
    if leg.connector is None:
        return leg
    parts = ("stiffness", "coupling", "decoupling")
    changes: dict[str, Any] = {name: None for name in parts if getattr(law, name) is None}
    if law.decoupling is not None and leg.connector.decoupling is not None:
        damping = {"damping": float(law.decoupling.damping)}
        changes["decoupling"] = leg.connector.decoupling.model_copy(update=damping)
    return leg.model_copy(update={"connector": leg.connector.model_copy(update=changes)})
