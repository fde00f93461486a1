"""A Python function as controller: the same loop as the compiled one, a sample at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from gough.errors import GoughError
from gough.simulation.loop import Sampling
from gough.simulation.plant import Plant
from gough.simulation.sensors import Sensors
from gough.simulation.stepping import Stepper

Array = np.ndarray[Any, np.dtype[np.float64]]

PythonController = Callable[[float, Array, Array], Any]
"""(time [s], measurement (18), reference (19)) -> command (6)."""


def run_python(
    plant: Plant,
    controller: PythonController,
    sampling: Sampling,
    sensors: Sensors,
    start: Array,
    time: Array,
    reference: Array,
    wrench: Array,
    noise: Array | None,
    saturated: bool,
) -> tuple[Array, Array]:
    """States (samples, n) and commands (samples, 6) along a reference (samples, 19)."""
    stepper = Stepper(plant, sampling.period, sampling.substeps)
    stepper.reset(start[:7], start[7:13])
    limit = np.array(plant.limit) if saturated else np.full(6, np.inf)
    waiting = deque([plant.holding(start[:7])] * sampling.delay)
    exact = stepper.measurement
    sensed = sensors.start(exact[:6], exact[6:], sampling.period)
    states, commands = np.full((len(time), len(start)), np.nan), np.full((len(time), 6), np.nan)
    for k, t in enumerate(time):
        states[k] = stepper.state
        exact = stepper.measurement
        added = np.zeros(6) if noise is None else noise[k, 0]
        q, q_dot, sensed = sensors.read_numbers(
            sensed, exact[:6], exact[6:], added, sampling.period
        )
        measurement = np.concatenate([q, q_dot, wrench[k]])
        command = np.asarray(controller(float(t), measurement, reference[k]), dtype=float)
        if command.shape != (6,):
            raise GoughError(
                f"the controller returned shape {command.shape} at t = {t:g} s; expected (6,)"
            )
        waiting.append(command)
        commands[k] = np.clip(waiting.popleft(), -limit, limit)
        if not np.isfinite(commands[k]).all():
            break
        stepper.step(commands[k], wrench[k], wrench_next=wrench[min(k + 1, len(time) - 1)])
    return states, commands
