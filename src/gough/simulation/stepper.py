"""A machine that is driven step by step from Python: `reset`, then `step` with a command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gough.arrays import Array
from gough.checks import require_row
from gough.compiler.front.argument import Argument
from gough.compiler.native.kernel import Kernel
from gough.model.definition import WRENCH
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.events import stuck_joints
from gough.simulation.integrators import (
    LEAST_OF_A_PERIOD,
    WRENCH_NEXT,
    Adaptive,
    held_period,
    integrate,
)
from gough.simulation.plants.plant import Plant


class Stepper:
    """A plant, its state and its time. A step holds a command for a period [s]."""

    def __init__(
        self,
        plant: Plant,
        period: float = 1e-3,
        substeps: int = 1,
        integrator: Adaptive | None = None,
        *,
        saturated: bool = True,
    ) -> None:
        """Integrate with `substeps` steps of RK4 per period, unless an integrator is given.

        Commands are limited to the plant's limits where it is `saturated`.
        """
        Sampling(period, substeps)  # refused as it is there
        self.plant, self.period = plant, float(period)
        self.limit = np.array(plant.limit) if saturated else np.full(plant.actuators, np.inf)
        self._advance: Callable[..., Array] = (
            _advance_kernel(plant, period, int(substeps))
            if integrator is None
            else _adaptive_period(plant, period, integrator)
        )
        self.reset()

    def reset(self, pose: ArrayLike | None = None, twist: ArrayLike | None = None) -> Array:
        """Go back to time zero, at the home pose and at rest unless stated; return the state."""
        self.state = self.plant.start(self.plant.robot.home if pose is None else pose, twist)
        self.plant.check_motion(self.state)
        self.steps, self._wrench, self._parameters = 0, np.zeros(6), self.plant.own_parameters
        return self.state

    def __repr__(self) -> str:
        return f"<gough stepper of {self.plant.robot.name}, at {self.time:g} s>"

    @property
    def time(self) -> float:
        """Time since the last reset [s]."""
        return self.steps * self.period

    @property
    def measurement(self) -> Array:
        """Exact measurement now: positions, rates, wrench, deflections, connector forces."""
        kernel = self.plant.measured_kernel
        return np.asarray(kernel(self.state, self._wrench, *self._parameters))

    def step(
        self,
        command: Any,
        wrench: ArrayLike | None = None,
        *,
        wrench_next: ArrayLike | None = None,
        parameters: ArrayLike | None = None,
    ) -> Array:
        """Hold a command, within the limits, for a period; return the new state.

        The external wrench goes from `wrench`, or zero, to `wrench_next`, or stays. `parameters`
        are the plant's varied numbers, from now on.
        """
        n = self.plant.actuators
        wanted = require_row(
            "command", command, n, expected=f"({n},), a finite number for each actuator"
        )
        held = np.clip(wanted, -self.limit, self.limit)
        outside = np.zeros(6) if wrench is None else require_row("wrench", wrench, 6)
        later = outside if wrench_next is None else require_row("wrench_next", wrench_next, 6)
        if parameters is not None:
            self._parameters = (require_row("parameters", parameters, len(self.plant.varied)),)
        self.state = self._advance(self.state, held, outside, later, *self._parameters)
        self.steps, self._wrench = self.steps + 1, later
        return self.state


def _adaptive_period(plant: Plant, period: float, integrator: Adaptive) -> Callable[..., Array]:
    """Return the state after a period, NaN if the integrator failed."""
    stops = stuck_joints(plant)

    def advance(state: Array, command: Array, w_0: Array, w_1: Array, *p: Array) -> Array:
        found = integrate(
            plant,
            state,
            [0.0, period],
            command,
            wrench=lambda t: w_0 + (w_1 - w_0) * (t / period),
            parameters=next(iter(p), None),
            integrator=integrator,
            events=stops,
            least_share=LEAST_OF_A_PERIOD,
        )
        return found.state[-1] if found.time[-1] == period else np.full(len(state), np.nan)

    return advance


def _advance_kernel(plant: Plant, period: float, substeps: int) -> Kernel:
    inputs = [plant.state, plant.command, WRENCH, WRENCH_NEXT, *plant.parameters]
    required = [Argument(a.name, a.shape, a.unit, a.meaning) for a in inputs]
    held = held_period(plant, period, substeps)
    return Kernel.from_equation("advance", held, required, [plant.state])
