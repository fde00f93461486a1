"""A state of a machine to call exported functions with: at home, in motion, under a load."""

from __future__ import annotations

from collections.abc import Callable, Container

import numpy as np

from gough.arrays import Array
from gough.kinematics.forward.tracking import STATE, first_state
from gough.model.kernels import Kernels

_SPEED, _ACCELERATION, _JERK = 0.1, 1.0, 10.0
"""Of each of the platform's moves [m/s, rad/s and so on]."""
_LOAD = np.array([0.1, 0.2, -0.3, 0.01, -0.02, 0.03])
"""A wrench [N, N m] on a platform with a weight of 1 N."""


def example_state(model: Kernels, names: Container[str]) -> dict[str, Array]:
    """Values of those inputs of kernels that have these names.

    The platform moves as it can, the actuators stand and push as this takes.
    """
    makers: dict[str, Callable[[Kernels], Array]] = {
        "parameters": lambda model: model.parameters,
        "pose": _home,
        "twist": lambda model: _moving(model, _SPEED),
        "acceleration": lambda model: _moving(model, _ACCELERATION),
        "jerk": lambda model: _moving(model, _JERK),
        "wrench": _load,
        "direction": _load,
        "wrench_rate": _load,
        "q": lambda model: model.inverse_kinematics(*model.numbers(), _home(model)),
        "readings": lambda model: model.readings(*model.numbers(), _home(model)),
        "force": _forces,
        "max_force": _largest_forces,
        STATE.name: lambda model: first_state(model.robot),
    }
    return {name: np.asarray(make(model)) for name, make in makers.items() if name in names}


def _home(model: Kernels) -> Array:
    return np.array(model.robot.home)


def _moving(model: Kernels, rate: float) -> Array:
    """A twist, or a rate of one, that the platform can have at home."""
    given = np.full(6, rate)
    if "admissible" not in model.kernel_names:
        return given
    return np.asarray(model.admissible(*model.numbers(), _home(model), given))


def _load(model: Kernels) -> Array:
    weight = model.robot.platform.mass * np.linalg.norm(model.robot.gravity)
    return _LOAD * (weight or 1.0)


def _forces(model: Kernels) -> Array:
    """What the motion takes; none of a machine whose motion does not determine it."""
    if "inverse_dynamics" not in model.kernel_names:
        return np.zeros(model.structure.actuators)
    moving = _moving(model, _SPEED), _moving(model, _ACCELERATION)
    return np.asarray(model.inverse_dynamics(*model.numbers(), _home(model), *moving, _load(model)))


def _largest_forces(model: Kernels) -> Array:
    """Those of the robot; where it states none, twice what the motion takes."""
    enough = 2 * np.abs(_forces(model)).max()
    return np.array([enough if a.max_force is None else a.max_force for a in model.robot.actuators])
