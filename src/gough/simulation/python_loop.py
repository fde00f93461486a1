"""The closed loop a sample at a time, in Python: for controllers and integrators not compiled in.

A controller is then a Python function; a compiled controller becomes one by `as_function`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from reprlib import repr as short
from typing import Any

import numpy as np

from gough.compiler.native.kernel import Kernel
from gough.errors import GoughError
from gough.robot import Robot
from gough.simulation.adaptive import Adaptive
from gough.simulation.controller import Controller
from gough.simulation.course import Course
from gough.simulation.loop import Sampling
from gough.simulation.sensors import Sensors
from gough.simulation.stepping import Stepper

Array = np.ndarray[Any, np.dtype[np.float64]]

PythonController = Callable[[float, Array, Array], Any]
"""(time [s], measurement (24), reference (19)) -> command (6)."""


def run_python(
    course: Course,
    controller: PythonController,
    sampling: Sampling,
    sensors: Sensors,
    saturated: bool,
    integrator: Adaptive | None = None,
) -> tuple[Array, Array]:
    """States (samples, n) and commands (samples, 6); after a run is lost they are NaN."""
    plant, start, time = course.plant, course.start, course.time
    begins, ends = course.acting
    stepper = Stepper(plant, sampling.period, sampling.substeps, integrator, saturated=saturated)
    stepper.reset(start[:7], start[7:13])
    waiting = deque([plant.holding(start[:7])] * sampling.delay)
    sensed = sensors.start(plant, start, sampling.period)
    states, commands = np.full((len(time), len(start)), np.nan), np.full((len(time), 6), np.nan)
    for k, t in enumerate(time):
        states[k] = stepper.state
        varied = tuple(rows[k] for rows in course.parameters)
        exact = plant.measured_kernel(stepper.state, begins[k], *varied)
        added = np.zeros(6) if course.noise is None else course.noise[k, 0]
        measurement, sensed = sensors.read_numbers(sensed, exact, added, sampling.period)
        waiting.append(_command(controller(float(t), measurement, course.reference[k]), t))
        commands[k] = np.clip(waiting.popleft(), -stepper.limit, stepper.limit)
        if not np.isfinite(commands[k]).all():
            break
        numbers = next(iter(varied), None)
        stepper.step(commands[k], begins[k], wrench_next=ends[k], parameters=numbers)
        if not np.isfinite(stepper.state).all():
            break
    return states, commands


def _command(returned: Any, t: float) -> Array:
    """What a controller returned: a number for each leg, which may be NaN."""
    try:
        command = np.asarray(returned, dtype=float)
    except (TypeError, ValueError):
        raise GoughError(
            f"the controller returned {short(returned)} at t = {t:g} s; expected six numbers"
        ) from None
    if command.shape != (6,):
        raise GoughError(
            f"the controller returned shape {command.shape} at t = {t:g} s; expected (6,)"
        )
    return command


def as_function(
    controller: Controller, robot: Robot, course: Course, period: float, limit: Any
) -> PythonController:
    """A compiled controller as a function that keeps its state from call to call."""
    kernel = Kernel(controller.function(robot, period, limit))
    state = controller.start(course.plant, course.start[:7], course.start[7:13])

    def law(t: float, measurement: Array, reference: Array) -> Array:
        nonlocal state
        command, state = kernel(state, measurement, reference, controller.gain_values)
        return np.asarray(command)

    return law
