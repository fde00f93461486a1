"""A machine that is driven step by step from Python: `reset`, then `step` with a command."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.catalogue import WRENCH
from gough.compiler.argument import Argument
from gough.compiler.function import Function
from gough.compiler.kernel import Kernel
from gough.errors import GoughError
from gough.parameters import parameters_of
from gough.simulation.plant import Plant
from gough.simulation.rk4 import WRENCH_NEXT, held_period
from gough.studies.kernels import kernels_of

Array = np.ndarray[Any, np.dtype[np.float64]]


class Stepper:
    """A plant, its state and its time. A step holds a command for a period [s]."""

    def __init__(self, plant: Plant, period: float = 1e-3, substeps: int = 1) -> None:
        self.plant, self.period = plant, period
        self._limit = np.array(plant.limit)
        self._model, self._numbers = kernels_of(plant.robot).model, parameters_of(plant.robot)
        self._advance = _advance_kernel(plant, period, substeps)
        self.reset()

    def reset(self, pose: Any = None, twist: Any = None) -> Array:
        """Go back to time zero, at the home pose and at rest unless stated; the state."""
        self.state = self.plant.start(self.plant.robot.home if pose is None else pose, twist)
        self.steps = 0
        return self.state

    @property
    def time(self) -> float:
        """Since the last reset [s]."""
        return self.steps * self.period

    @property
    def measurement(self) -> Array:
        """Leg lengths [m] and their rates [m/s] (12)."""
        pose, twist = self.state[:7], self.state[7:13]
        q = self._model.inverse_kinematics(self._numbers, pose)
        return np.concatenate([q, self._model.joint_velocity(self._numbers, pose, twist)])

    def step(self, command: Any, wrench: Any = None, *, wrench_next: Any = None) -> Array:
        """Hold a command (6), cut off at the limits, for a period; the new state.

        The external wrench goes from `wrench`, or zero, to `wrench_next`, or stays.
        """
        wanted = np.asarray(command, dtype=float)
        if wanted.shape != (6,):
            raise GoughError(f"command has shape {wanted.shape}; expected (6,), one for each leg")
        held = np.clip(wanted, -self._limit, self._limit)
        outside = np.zeros(6) if wrench is None else np.asarray(wrench, dtype=float)
        later = outside if wrench_next is None else np.asarray(wrench_next, dtype=float)
        self.state = self._advance(self.state, held, outside, later)
        self.steps += 1
        return self.state


def _advance_kernel(plant: Plant, period: float, substeps: int) -> Kernel:
    inputs = [plant.state, plant.command, WRENCH, WRENCH_NEXT, *plant.parameters]
    required = [Argument(a.name, a.shape, a.unit, a.meaning) for a in inputs]
    held = held_period(plant, period, substeps)
    return Kernel(Function.from_equation("advance", held, required, [plant.state]))
