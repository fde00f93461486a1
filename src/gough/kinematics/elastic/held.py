"""How the actuators of an elastic machine are held, and which parts of its connectors yield."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.equations.actuators.connector import Mode
from gough.errors import GoughError
from gough.model.actuators import connectors_of
from gough.model.catalogue import why_absent
from gough.model.kernels import Kernels
from gough.poses.given import array_of_numbers
from gough.robot import Hexapod, Leg, Mechanism, Robot

LOCKED, FREE = "locked", "free"


def actuator_compliance(model: Kernels, actuators: Any) -> Array:
    """The compliance (n) [m/N, rad/(N m)] of actuators that are "locked", "free", or springs.

    Numbers are the stiffness [N/m, N m/rad] of their control, one for all or one for each.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(1 / actuator_stiffness(actuators, model.structure.actuators))


def actuator_stiffness(actuators: Any, n: int) -> Array:
    """The stiffness (n) [N/m, N m/rad] of actuators that are "locked", "free", or springs."""
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
    """Complain of a machine that does not yield, and so has not a kernel."""
    if reason := why_absent(model.structure, model.formulation, kernel):
        raise GoughError(f"{model.robot.name}: {reason}")


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
