"""How the actuators of an elastic machine are held, and what the machine weighs on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.errors import GoughError
from gough.model.catalogue import why_absent
from gough.model.kernels import Kernels
from gough.poses.given import array_of_numbers

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
